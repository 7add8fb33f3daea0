// Samples at any place, for paths that leave the neighbourhood of their tile: tiles are looked up by their coordinates.
//
// On several ranks a path may end in a tile that this rank does not hold. Such tiles are fetched from their owners, and
// the tiles whose paths asked for them are computed again. Loki (7.4) sends the end points instead and gets values
// back. With tiles, results have the same bits for any number of ranks, midpoints of paths are exact too, and where
// most points of a tile leave the rank fewer bytes travel: 12 per voxel of velocity instead of about 16 per point and
// component.
#pragma once

#include <span>
#include <vector>

#include "ymir/fluid/trace.h"

namespace ymir {

struct TileSummary {
  VelocityBounds velocity;
  std::uint8_t kinds = 0;   // bit n: there is a cell of CellKind n
  std::uint8_t sheets = 0;  // marks of GasGrid::sheets that occur

  static constexpr std::uint8_t bit(CellKind kind) { return static_cast<std::uint8_t>(1 << static_cast<int>(kind)); }
  bool only_gas() const { return kinds == bit(CellKind::fluid); }
};
// sheets: null without any.
TileSummary summary_of(const std::array<const float*, 3>& velocity, const std::uint8_t* cells,
                       const std::uint8_t* sheets);

// One channel component as paths read it.
template <class T>
struct TileSource {
  const T* tiles = nullptr;    // of the volume
  const T* fetched = nullptr;  // from other ranks
  float background = 0;
  Lattice lattice = Lattice::cells;
};

// Tiles of other ranks that paths have asked for.
class FetchedTiles {
 public:
  explicit FetchedTiles(const BucketSet& buckets) : buckets_(&buckets) {}

  int count() const { return count_; }
  static constexpr int unknown = -1;
  // Index of a tile anywhere: of the volume, beyond missing() a fetched one, or unknown.
  int find(BucketCoord tile) const;
  // Brings these tiles of all sources; those without tiles are left out. Collective; true on all ranks when any rank
  // wanted some.
  bool fetch(std::vector<BucketKey> wanted, std::span<TileSource<float>> sources, TileSource<std::uint8_t>& cells,
             TileSource<std::uint8_t>& sheets);

  template <class T>
  const T* tile(const TileSource<T>& source, int index) const {
    const int first = buckets_->missing() + 1;
    return index < first ? source.tiles + static_cast<std::size_t>(index) * GasGrid::voxels
                         : source.fetched + static_cast<std::size_t>(index - first) * GasGrid::voxels;
  }

 private:
  const BucketSet* buckets_;
  std::vector<BucketKey> keys_;  // answered
  std::vector<int> place_;       // of each key: index of its tile
  KeyIndex index_;
  int count_ = 0;
  std::vector<std::vector<float>> values_;  // per source
  std::vector<std::uint8_t> cells_, sheets_;
};

// Looks tiles up for one thread; remembers the last one found and what was unknown.
class TileFinder {
 public:
  TileFinder(const FetchedTiles& tiles, std::span<const TileSummary> summaries, std::vector<BucketKey>& wanted)
      : tiles_(&tiles), summaries_(summaries), wanted_(&wanted) {}

  // Voxels are counted from this tile's first one from now on.
  void start(BucketCoord tile) {
    first_ = {tile.x * GasGrid::side, tile.y * GasGrid::side, tile.z * GasGrid::side};
    last_ = {};
    complete_ = true;
  }
  bool complete() const { return complete_; }

  // A tile, counted from the start tile, as an index for values(); missing while it is unknown.
  int tile(int x, int y, int z) { return find(x + (first_.x >> 3), y + (first_.y >> 3), z + (first_.z >> 3)).index; }
  template <class T>
  const T* values(const TileSource<T>& source, int tile) const {
    return tiles_->tile(source, tile);
  }
  struct Voxel {
    int tile, in_tile;
    bool only_gas;  // all of the tile
  };
  Voxel voxel(int x, int y, int z) {
    x += first_.x, y += first_.y, z += first_.z;
    const Found& found = find(x >> 3, y >> 3, z >> 3);
    return {found.index, ((z & 7) * 8 + (y & 7)) * 8 + (x & 7), found.only_gas};
  }

 private:
  struct Found {
    int x = 1 << 30, y = 0, z = 0;  // in tiles from the origin
    int index = 0;
    bool only_gas = false;
  };
  const Found& find(int x, int y, int z) {
    if (x != last_.x || y != last_.y || z != last_.z) look_up(x, y, z);
    return last_;
  }
  void look_up(int x, int y, int z);

  const FetchedTiles* tiles_;
  std::span<const TileSummary> summaries_;
  std::vector<BucketKey>* wanted_;
  Vec3i first_{};
  Found last_;
  bool complete_ = true;
};

// What a look-up answers with: the sample, air replaced as in GatheredBox, or its kind as a number.
enum class LookUp : std::uint8_t { value, kind };

template <LookUp what>
class LookupTaps {
 public:
  LookupTaps() = default;
  LookupTaps(TileFinder& finder, const TileSource<float>& source, const TileSource<std::uint8_t>& cells)
      : finder_(&finder), source_(&source), cells_(&cells), below_(below(source.lattice)) {}

  struct Place {
    LaneIndex x, y, z;
    std::array<const float*, 8> inside;  // where all eight corners lie in a tile that holds only gas, else null
  };
  Place locate(const Row& x, const Row& y, const Row& z) const {
    Place place{LaneIndex::of(x), LaneIndex::of(y), LaneIndex::of(z), {}};
    for (int lane = 0; lane < 8; ++lane) {
      const TileFinder::Voxel v = finder_->voxel(place.x.at[lane], place.y.at[lane], place.z.at[lane]);
      if (!v.only_gas) continue;
      const int i = v.in_tile & 7, j = v.in_tile >> 3 & 7, k = v.in_tile >> 6;
      const bool below_too = i + below_.x >= 0 && j + below_.y >= 0 && k + below_.z >= 0;
      if (i == 7 || j == 7 || k == 7 || (what == LookUp::kind && !below_too)) continue;
      place.inside[static_cast<std::size_t>(lane)] =
          what == LookUp::kind ? all_gas.data() : finder_->values(*source_, v.tile) + v.in_tile;
    }
    return place;
  }
  void pair(const Place& place, int dy, int dz, Row (&run)[2]) const {
    for (int lane = 0; lane < 8; ++lane) {
      const float* corner = place.inside[static_cast<std::size_t>(lane)];
      for (int n = 0; n < 2; ++n)
        run[n].set(lane, corner != nullptr ? corner[dz * 64 + dy * 8 + n]
                                           : value(place.x.at[lane] + n, place.y.at[lane] + dy, place.z.at[lane] + dz));
    }
  }
  void quad(const Place& place, int dy, int dz, Row (&run)[4]) const {
    for (int lane = 0; lane < 8; ++lane)
      for (int n = 0; n < 4; ++n)
        run[n].set(lane, value(place.x.at[lane] - 1 + n, place.y.at[lane] + dy, place.z.at[lane] + dz));
  }
  float value(int x, int y, int z) const {
    const TileFinder::Voxel v = finder_->voxel(x, y, z);
    const float stored = what == LookUp::kind ? 0 : finder_->values(*source_, v.tile)[v.in_tile];
    if (what == LookUp::value && v.only_gas) return stored;
    const int here_ = finder_->values(*cells_, v.tile)[v.in_tile];
    const auto both = [&] {
      const TileFinder::Voxel other = finder_->voxel(x + below_.x, y + below_.y, z + below_.z);
      return here_ | finder_->values(*cells_, other.tile)[other.in_tile];
    };
    if constexpr (what == LookUp::kind) return static_cast<float>(sample_kind(both()));
    return is_air(here_) && is_air(both()) ? source_->background : stored;
  }

 private:
  static constexpr std::array<float, 74> all_gas{};  // kinds around a voxel, offsets as in a tile

  TileFinder* finder_ = nullptr;
  const TileSource<float>* source_ = nullptr;
  const TileSource<std::uint8_t>* cells_ = nullptr;
  Vec3i below_{};
};

}  // namespace ymir
