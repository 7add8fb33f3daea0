// Accessors of Discrete Volume channels for for_each_bucket. A reader sees the current bucket and its neighbours within
// the declared stencil; a writer sees the current bucket only. [Lesser2022, 5.4]
#pragma once

#include <algorithm>

#include "ymir/data/discrete_volume.h"
#include "ymir/data/tile_rows.h"
#include "ymir/data/volume_view.h"

namespace ymir {

template <class T>
class VolumeReader {
 public:
  VolumeReader(DiscreteVolume& volume, ChannelId<T> id, Stencil stencil)
      : volume_(&volume), id_(id), stencil_(stencil) {}

  Access access() const { return {volume_->identity(id_.index), stencil_, false}; }
  void begin_exchange() {
    const VolumeChannel& channel = volume_->channel(id_.index);
    values_ = channel.tile_values();
    for (int c = 0; c < channel.components; ++c) tiles_[static_cast<std::size_t>(c)] = volume_->tiles(id_, c);
    volume_->begin_exchange(id_.index, stencil_);
  }
  bool in_flight() const { return volume_->exchanging(id_.index); }
  bool waits(BucketKey key) const {
    if (stencil_ == Stencil::own || !in_flight()) return false;
    const BucketSet& set = volume_->buckets();
    const int i = set.find(key);
    if (i < 0) return true;  // iterating over another object's bucket, which may border anything
    return std::binary_search(set.boundary().begin(), set.boundary().end(), i);
  }
  void end_exchange() { volume_->end_exchange(id_.index); }

  // Index in this volume of a bucket of another object; missing() when the volume does not hold it.
  int find(BucketKey key) const {
    const int i = volume_->buckets().find(key);
    return i < 0 ? volume_->buckets().missing() : i;
  }
  const T* tile(int bucket, int component = 0) const {
    return tiles_[static_cast<std::size_t>(component)] + static_cast<std::size_t>(bucket) * values_;
  }
  // The tile and its six neighbours; needs Stencil::faces or more, and R the channel's resolution.
  template <int R>
  TileRows<T, R> rows(int bucket, int component = 0) const {
    const std::array<int, 27>& n = volume_->buckets().neighbours(bucket);
    TileRows<T, R> rows{tile(bucket, component), {}};
    for (std::size_t f = 0; f < 6; ++f) rows.face[f] = tile(n[static_cast<std::size_t>(face_directions[f])], component);
    return rows;
  }
  // Value by voxel within the bucket; indices may reach one bucket beyond it on every side (same level).
  T value(int bucket, Vec3i voxel, int component = 0) const {
    const int r = volume_->channel(id_.index).resolution;
    const auto side = [r](int v) { return v < 0 ? -1 : v >= r ? 1 : 0; };
    const Vec3i s{side(voxel.x), side(voxel.y), side(voxel.z)};
    const int from = volume_->buckets().neighbours(bucket)[static_cast<std::size_t>(direction(s.x, s.y, s.z))];
    const Vec3i v = voxel - s * r;
    return tile(from, component)[(v.z * r + v.y) * r + v.x];
  }
  // Any level, any place: see volume_view.h.
  VolumeView<T> view(int component = 0) const { return {*volume_, id_, component}; }

 private:
  DiscreteVolume* volume_;
  ChannelId<T> id_;
  Stencil stencil_;
  std::size_t values_ = 0;
  std::array<const T*, 3> tiles_{};
};

template <class T>
class VolumeWriter {
 public:
  VolumeWriter(DiscreteVolume& volume, ChannelId<T> id, bool discard) : volume_(&volume), id_(id), discard_(discard) {}

  Access access() const { return {volume_->identity(id_.index), Stencil::own, true}; }
  void begin_exchange() {
    const VolumeChannel& channel = volume_->channel(id_.index);
    values_ = channel.tile_values();
    for (int c = 0; c < channel.components; ++c)
      tiles_[static_cast<std::size_t>(c)] = volume_->write_tiles(id_, c, discard_);
  }
  bool in_flight() const { return false; }
  bool waits(BucketKey) const { return false; }
  void end_exchange() {}

  T* tile(int bucket, int component = 0) const {
    return tiles_[static_cast<std::size_t>(component)] + static_cast<std::size_t>(bucket) * values_;
  }

 private:
  DiscreteVolume* volume_;
  ChannelId<T> id_;
  bool discard_;
  std::size_t values_ = 0;
  std::array<T*, 3> tiles_{};
};

template <class T>
VolumeReader<T> read(DiscreteVolume& volume, ChannelId<T> id, Stencil stencil = Stencil::own) {
  return {volume, id, stencil};
}
// The body writes every value of every component of each bucket; old values are not there to be read.
template <class T>
VolumeWriter<T> write(DiscreteVolume& volume, ChannelId<T> id) {
  return {volume, id, true};
}
// The body reads and writes the current bucket.
template <class T>
VolumeWriter<T> read_write(DiscreteVolume& volume, ChannelId<T> id) {
  return {volume, id, false};
}

// Sets every value of a channel: value_at(level, voxel, component), voxels counted from the origin at that level.
template <class T, class F>
void fill(DiscreteVolume& volume, ChannelId<T> id, F&& value_at) {
  const VolumeChannel& channel = volume.channel(id.index);
  const int r = channel.resolution;
  auto out = write(volume, id);
  for_each_bucket(volume.buckets(), out, [&](int bucket) {
    const BucketCoord b = volume.buckets().coord(bucket);
    for (int component = 0; component < channel.components; ++component) {
      T* to = out.tile(bucket, component);
      for (int z = 0; z < r; ++z)
        for (int y = 0; y < r; ++y)
          for (int x = 0; x < r; ++x)
            *to++ = value_at(b.level, Vec3i{b.x * r + x, b.y * r + y, b.z * r + z}, component);
    }
  });
}

}  // namespace ymir
