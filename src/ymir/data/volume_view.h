// Values of one channel component at any voxel or point: looks buckets up, crosses levels, and gives the background
// where there is no bucket. For kernels that visit every voxel, rows (tile_rows.h) are several times faster.
#pragma once

#include <cmath>
#include <type_traits>

#include "ymir/data/discrete_volume.h"

namespace ymir {

template <class T>
class VolumeView {
 public:
  VolumeView(const BucketSet& buckets, const VolumeChannel& channel, int component, const T* tiles)
      : buckets_(&buckets),
        tiles_(tiles),
        background_(static_cast<T>(channel.background[static_cast<std::size_t>(component)])),
        shift_(channel.resolution == 4   ? 2
               : channel.resolution == 8 ? 3
                                         : 4),
        mask_(channel.resolution - 1),
        face_axis_(channel.sampling == Sampling::face ? component : -1) {}
  // The view holds pointers: it ends with the next change of topology or write to the channel. Reads beyond local
  // buckets see what the last exchange brought.
  VolumeView(const DiscreteVolume& volume, ChannelId<T> id, int component = 0)
      : VolumeView(volume.buckets(), volume.channel(id.index), component, volume.tiles(id, component)) {}

  // Value at a voxel, counted in voxels of `level` from the origin. Space held at another level answers with the coarse
  // value (faces: interpolated along their axis) or with the mean of the finer ones (integers: the lowest one).
  T value(int level, Vec3i voxel) const;

  // Trilinear value at a world point [m], on the lattice of the bucket that holds the point.
  double sample(Vec3d p) const;

 private:
  BucketCoord bucket_of(int level, Vec3i v) const { return {v.x >> shift_, v.y >> shift_, v.z >> shift_, level}; }
  std::size_t offset_in(int tile, Vec3i v) const {
    const int in_tile = ((v.z & mask_) << shift_ | (v.y & mask_)) << shift_ | (v.x & mask_);
    return (static_cast<std::size_t>(tile) << 3 * shift_) + static_cast<std::size_t>(in_tile);
  }
  T coarse_value(int level, int coarser, Vec3i voxel) const;
  T mean_of_finer(int tile, Vec3i voxel) const;

  const BucketSet* buckets_;
  const T* tiles_;
  T background_;
  int shift_, mask_, face_axis_;
};

// Three components at once: a vector channel at a point.
template <class T>
class VectorVolumeView {
 public:
  VectorVolumeView(const DiscreteVolume& volume, ChannelId<T> id)
      : x_(volume, id, 0), y_(volume, id, 1), z_(volume, id, 2) {}
  Vec3d sample(Vec3d p) const { return {x_.sample(p), y_.sample(p), z_.sample(p)}; }

 private:
  VolumeView<T> x_, y_, z_;
};

template <class T>
T VolumeView<T>::value(int level, Vec3i voxel) const {
  const BucketCoord bucket = bucket_of(level, voxel);
  if (!addressable(bucket)) return background_;
  if (const int tile = buckets_->find(key_of(bucket)); tile >= 0) return tiles_[offset_in(tile, voxel)];
  const int levels = buckets_->domain().levels();
  BucketCoord coarse = bucket;
  while (coarse.level + 1 < levels) {
    coarse = parent(coarse);
    if (buckets_->find(key_of(coarse)) >= 0) return coarse_value(level, coarse.level, voxel);
  }
  if (level == 0) return background_;
  const Vec3i fine{2 * voxel.x, 2 * voxel.y, 2 * voxel.z};
  const int tile = buckets_->find(key_of(bucket_of(level - 1, fine)));
  return tile < 0 ? background_ : mean_of_finer(tile, fine);
}

template <class T>
T VolumeView<T>::coarse_value(int level, int coarser, Vec3i voxel) const {
  const int up = coarser - level;
  const Vec3i low{voxel.x >> up, voxel.y >> up, voxel.z >> up};
  const T at_low = value(coarser, low);
  if (face_axis_ < 0) return at_low;
  const int beyond = voxel[face_axis_] & ((1 << up) - 1);
  if (beyond == 0) return at_low;
  Vec3i high = low;
  ++high[face_axis_];
  const double t = static_cast<double>(beyond) / (1 << up);
  return static_cast<T>((1 - t) * static_cast<double>(at_low) + t * static_cast<double>(value(coarser, high)));
}

template <class T>
T VolumeView<T>::mean_of_finer(int tile, Vec3i fine) const {
  if constexpr (std::is_integral_v<T>) return tiles_[offset_in(tile, fine)];
  double sum = 0;
  int count = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3i d{corner & 1, corner >> 1 & 1, corner >> 2 & 1};
    if (face_axis_ >= 0 && d[face_axis_] == 1) continue;  // the four finer faces that make up this one
    sum += static_cast<double>(tiles_[offset_in(tile, fine + d)]);
    ++count;
  }
  return static_cast<T>(sum / count);
}

template <class T>
double VolumeView<T>::sample(Vec3d p) const {
  const GridDomain& domain = buckets_->domain();
  constexpr double limit = 1 << 24;  // beyond any addressable voxel; also false for NaN
  int level = 0;
  double inverse = 0;
  for (int l = 0; l < domain.levels(); ++l) {
    const double per_metre = (mask_ + 1) / domain.bucket_size(l);
    const Vec3d u = p * per_metre;
    if (!(std::abs(u.x) < limit && std::abs(u.y) < limit && std::abs(u.z) < limit)) continue;
    if (l > 0 && inverse > 0) {
      const Vec3i v{static_cast<int>(std::floor(u.x)), static_cast<int>(std::floor(u.y)),
                    static_cast<int>(std::floor(u.z))};
      const BucketCoord bucket = bucket_of(l, v);
      if (!addressable(bucket) || buckets_->find(key_of(bucket)) < 0) continue;
    }
    level = l;
    inverse = per_metre;
    if (domain.levels() == 1) break;
  }
  if (inverse == 0) return static_cast<double>(background_);

  Vec3d u = p * inverse;
  for (int axis = 0; axis < 3; ++axis)
    if (axis != face_axis_) u[axis] -= 0.5;
  const Vec3i low{static_cast<int>(std::floor(u.x)), static_cast<int>(std::floor(u.y)),
                  static_cast<int>(std::floor(u.z))};
  const Vec3d t{u.x - low.x, u.y - low.y, u.z - low.z};
  const bool one_tile = (low.x & mask_) != mask_ && (low.y & mask_) != mask_ && (low.z & mask_) != mask_;
  const BucketCoord bucket = bucket_of(level, low);
  const int tile = one_tile && addressable(bucket) ? buckets_->find(key_of(bucket)) : -1;
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3i d{corner & 1, corner >> 1 & 1, corner >> 2 & 1};
    const double weight = (d.x ? t.x : 1 - t.x) * (d.y ? t.y : 1 - t.y) * (d.z ? t.z : 1 - t.z);
    const T corner_value = tile >= 0 ? tiles_[offset_in(tile, low + d)] : value(level, low + d);
    sum += weight * static_cast<double>(corner_value);
  }
  return sum;
}

}  // namespace ymir
