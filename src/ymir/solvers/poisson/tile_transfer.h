// Blocks between two levels: a tile's 4^3 coarse cells fill one octant of its parent tile. The parent lies on this
// rank, where it is addressed in place, or on another, to which blocks travel in one message per pair of ranks.
#pragma once

#include <span>
#include <vector>

#include "ymir/data/bucket_set.h"

namespace ymir::poisson {

// Cell (i, j, k) of a block at data[i + row * j + layer * k].
template <class T>
struct BlockAddress {
  T* data;
  int row, layer;
};

class TileTransfer {
 public:
  // Collective. Parents of all tiles of `fine` are in `coarse`.
  TileTransfer(const BucketSet& fine, const BucketSet& coarse);

  // The octant of a local parent (tile >= 0), or a place in the messages (~tile).
  struct Place {
    int tile;
    int octant;
  };
  Place place(int fine_tile) const { return places_[static_cast<std::size_t>(fine_tile)]; }

  static int octant_offset(int octant) { return 4 * (octant & 1) + 32 * (octant >> 1 & 1) + 256 * (octant >> 2 & 1); }
  // The block of a fine tile: in the parent's tile of `coarse_values`, or in the message.
  BlockAddress<float> block(int fine_tile, float* coarse_values) {
    const Place at = place(fine_tile);
    if (at.tile >= 0) return {coarse_values + 512 * std::ptrdiff_t{at.tile} + octant_offset(at.octant), 8, 64};
    return {message(at).data(), 4, 16};
  }

  // Values per block of the messages that follow.
  void set_block_size(int values);
  std::span<float> message(Place away) { return {&out_[static_cast<std::size_t>(~away.tile) * size_], size_}; }
  // Blocks of other ranks' tiles that belong into local tiles here.
  std::span<const Place> guests() const { return guests_; }
  std::span<float> guest(std::size_t n) { return {&in_[n * size_], size_}; }

  void send_up();                                 // messages of fine tiles arrive at the guests
  void send_down();                               // and back
  void put_guests(float* coarse_values);          // 4^3 guests to their octants
  void fetch_guests(const float* coarse_values);  // and back

 private:
  struct Peer {
    int rank;
    std::size_t begin, end;  // blocks
  };
  void exchange(std::vector<float>& from, const std::vector<Peer>& senders, std::vector<float>& to,
                const std::vector<Peer>& receivers);

  Communicator* communicator_;
  std::vector<Place> places_;
  std::vector<Peer> parents_, children_;  // ranks of remote parents, and of remote children
  std::vector<Place> guests_;
  std::vector<float> out_, in_;
  std::size_t size_ = 0, away_ = 0;
};

// Key of a tile's parent, in the domain of the next level.
constexpr BucketKey parent_key(BucketKey key) {
  const BucketCoord c = coord_of(key);
  return key_of({c.x >> 1, c.y >> 1, c.z >> 1, 0});
}

}  // namespace ymir::poisson
