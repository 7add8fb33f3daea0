// Discrete Volume: voxel data of one object, as tiles per bucket and channel. [Lesser2022, 5.3; method notes C, 1]
//
// A channel has its own type, resolution (voxels along a bucket edge) and sampling. A component of a channel is one
// allocation: tile t at t * resolution^3, x fastest, tiles in the order of the BucketSet [local, Morton | neighbouring
// | one constant background tile that stands for every missing bucket]. Face sampling stores three components; voxel
// (i, j, k) owns its three lower faces, so a face exists once and its owner is the voxel's owner. A voxel of a bucket
// at level l has edge bucket_size * 2^l / resolution.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/data/array.h"
#include "ymir/data/bucket_set.h"
#include "ymir/data/for_each_bucket.h"
#include "ymir/data/tile_buffer.h"

namespace ymir {

enum class Sampling : std::uint8_t { cell, face };

template <class T>
struct ChannelId {
  int index = -1;
  bool valid() const { return index >= 0; }
};

template <class T>
struct ChannelOptions {
  int resolution = 8;  // 4, 8 or 16
  Sampling sampling = Sampling::cell;
  T background{};      // of every component: new buckets and everything outside
  int components = 1;  // 1 or 3; face sampling implies 3
  // Not part of the state: left out of snapshots and hashes, undefined after tiles changed until written.
  bool scratch = false;
};

struct VolumeChannel {
  std::string name;
  ScalarType type;
  int resolution;
  Sampling sampling;
  int components;
  std::array<double, 3> background;  // exact for all channel types
  bool scratch = false;

  std::size_t tile_values() const { return static_cast<std::size_t>(resolution) * resolution * resolution; }
  std::size_t tile_bytes() const { return tile_values() * size_of(type); }
};

class DiscreteVolume {
 public:
  explicit DiscreteVolume(const GridDomain& domain);
  ~DiscreteVolume();
  DiscreteVolume(const DiscreteVolume&) = delete;
  DiscreteVolume& operator=(const DiscreteVolume&) = delete;

  const GridDomain& domain() const { return *domain_; }
  const BucketSet& buckets() const { return *buckets_; }

  template <class T>
  ChannelId<T> add_channel(std::string name, ChannelOptions<T> options = {}) {
    const auto background = static_cast<double>(options.background);
    return {add({std::move(name),
                 ElementOf<T>::type,
                 options.resolution,
                 options.sampling,
                 options.sampling == Sampling::face ? 3 : options.components,
                 {background, background, background},
                 options.scratch})};
  }
  // Invalid when there is no channel of that name and type.
  template <class T>
  ChannelId<T> find_channel(std::string_view name) const {
    return {find(name, ElementOf<T>::type)};
  }
  int channel_count() const { return static_cast<int>(channels_.size()); }
  const VolumeChannel& channel(int index) const;

  // What is outside from now on, and in new buckets. Not part of the state: a snapshot does not keep it.
  void set_background(int index, const std::array<double, 3>& values);

  // Topology. All of it is collective; keys may be named on any rank and go to their owners. Buckets that stay keep
  // their values, new ones hold the background, or, where a bucket of another level held that space, its values:
  // constant from coarse to fine, the mean from fine to coarse.
  void set_buckets(const std::vector<BucketKey>& keys);
  void activate(const std::vector<BucketKey>& keys);
  void deactivate(const std::vector<BucketKey>& keys);
  // Adds the 26 neighbours at the same level, `layers` times, where no bucket of any level holds that space. With
  // several levels, grade again afterwards.
  void pad(int layers);
  // Sends buckets to their owners after GridDomain::rebalance, with all channels.
  void migrate();

  // Keys named on any rank, on the ranks that own them: sorted, each once. Collective.
  std::vector<BucketKey> routed(const std::vector<BucketKey>& keys) const;

  // Memory of all channels for so many buckets [bytes].
  std::size_t bytes_for(std::int64_t buckets) const;

  // Voxel edge [m], and the place of a sample: a cell centre, or the centre of the lower face along `component`.
  double voxel_size(int channel, int level = 0) const;
  Vec3d position(int channel, int level, Vec3i voxel, int component = 0) const;

  // State for rollback. Costs nothing when taken; a channel is copied when it is next written while a snapshot holds
  // it. restore() of a snapshot from before a rebalance must be followed by migrate().
  struct Snapshot;
  std::shared_ptr<const Snapshot> snapshot() const;
  void restore(const Snapshot& snapshot);

  // Exchanges the values of two channels of the same kind, without touching them.
  template <class T>
  void swap_values(ChannelId<T> a, ChannelId<T> b) {
    swap_values(a.index, b.index);
  }

  // Hash of the local values and keys of all channels but scratch, the same for any number of ranks. Collective.
  std::uint64_t hash() const;

  // First tile of a component. Writing makes the neighbouring tiles of other ranks stale; `discard` leaves the old
  // values out when a snapshot forces a copy. Code above data/ uses accessors (volume_accessor.h).
  template <class T>
  const T* tiles(ChannelId<T> id, int component = 0) const {
    return reinterpret_cast<const T*>(bytes(id.index, component));
  }
  template <class T>
  T* write_tiles(ChannelId<T> id, int component = 0, bool discard = false) {
    return reinterpret_cast<T*>(write_bytes(id.index, component, discard));
  }
  const std::byte* bytes(int channel, int component) const;
  std::byte* write_bytes(int channel, int component, bool discard);
  const void* identity(int channel) const { return channels_[static_cast<std::size_t>(channel)].get(); }

  // Brings the neighbouring tiles of a channel up to date, if stale: for Stencil::faces only the layers that touch a
  // local bucket. Between the two calls the channel must not be written. begin is collective.
  void begin_exchange(int channel, Stencil stencil);
  bool exchanging(int channel) const;
  void end_exchange(int channel);

 private:
  struct Storage;
  struct FaceLayer {
    int tile;
    int face;  // index into face_directions
  };
  struct FacePlan {
    std::vector<FaceLayer> send, receive;
  };

  // What migrate() moves: local tiles per receiving rank, and the keys that came from each rank.
  struct Moves {
    std::vector<std::vector<int>> leaving;
    std::vector<std::vector<BucketKey>> arrived;
  };

  int add(VolumeChannel channel);
  void swap_values(int a, int b);
  int find(std::string_view name, ScalarType type) const;
  void rebuild(std::vector<BucketKey> local, const Moves* moves = nullptr);
  void carry_over(const BucketSet& from, int channel, int component, const TileBuffer& old, TileBuffer& tiles) const;
  void receive_moved(const Moves& moves, std::size_t tile_bytes, const TileBuffer& old, TileBuffer& tiles) const;
  const std::vector<FacePlan>& face_plans();
  Storage& storage(int channel) { return *channels_[static_cast<std::size_t>(channel)]; }
  void fill_missing(int channel);
  std::shared_ptr<TileBuffer> undefined_tiles(int channel, int component, int stagger) const;
  const Storage& storage(int channel) const { return *channels_[static_cast<std::size_t>(channel)]; }

  const GridDomain* domain_;
  std::shared_ptr<BucketSet> buckets_;
  std::vector<std::unique_ptr<Storage>> channels_;
  std::vector<FacePlan> face_plans_;  // one per link; empty until needed
};

}  // namespace ymir
