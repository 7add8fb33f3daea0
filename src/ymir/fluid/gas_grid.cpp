#include "ymir/fluid/gas_grid.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ymir {
namespace {

BucketKey shifted(BucketKey key, int axis, int by) {
  BucketCoord c = coord_of(key);
  (axis == 0 ? c.x : axis == 1 ? c.y : c.z) += by;
  return addressable(c) ? key_of(c) : key;
}

void sort_once(std::vector<BucketKey>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint8_t life_of(const std::vector<std::pair<BucketKey, std::uint8_t>>& lives, BucketKey key) {
  const auto found = std::lower_bound(lives.begin(), lives.end(), std::pair(key, std::uint8_t{}));
  return found != lives.end() && found->first == key ? found->second : std::uint8_t{0};
}

}  // namespace

std::vector<BucketKey> dilated(std::vector<BucketKey> keys, int layers) {
  // A cube is the product of three segments.
  for (int axis = 0; axis < 3; ++axis) {
    const std::size_t count = keys.size();
    for (std::size_t i = 0; i < count; ++i)
      for (int by = 1; by <= layers; ++by) {
        keys.push_back(shifted(keys[i], axis, by));
        keys.push_back(shifted(keys[i], axis, -by));
      }
    sort_once(keys);
  }
  return keys;
}

std::vector<BucketKey> tiles_in(const GridDomain& domain, const Box& box) {
  std::vector<BucketKey> keys;
  if (box.empty()) return keys;
  const BucketCoord low = domain.bucket_of(box.low), high = domain.bucket_of(box.high);
  for (int z = low.z; z <= high.z; ++z)
    for (int y = low.y; y <= high.y; ++y)
      for (int x = low.x; x <= high.x; ++x) keys.push_back(key_of({x, y, z, 0}));
  std::sort(keys.begin(), keys.end());
  return keys;
}

GasGrid::GasGrid(double voxel, Communicator& communicator)
    : voxel_(voxel), domain_(voxel * side, 1, communicator), volume_(std::make_unique<DiscreteVolume>(domain_)) {
  velocity = volume_->add_channel<float>("velocity", {side, Sampling::face});
  open = volume_->add_channel<float>("open", {side, Sampling::face, 1.0f, 3, true});
  solid_velocity = volume_->add_channel<float>("solid_velocity", {side, Sampling::face, 0.0f, 3, true});
  cell = volume_->add_channel<std::uint8_t>("cell", {side, Sampling::cell, 0, 1, true});
  life = volume_->add_channel<std::uint8_t>("life", {4});
}

std::int64_t GasGrid::gas_tiles() const {
  std::int64_t count = 0;
  for (int t = 0; t < volume_->buckets().local_count(); ++t) count += holds_gas(t) ? 1 : 0;
  return count;
}

std::vector<BucketKey> GasGrid::gas_keys() const {
  std::vector<BucketKey> keys;
  for (int t = 0; t < volume_->buckets().local_count(); ++t)
    if (holds_gas(t)) keys.push_back(volume_->buckets().key(t));
  return keys;
}

bool GasGrid::set_wanted(const std::vector<BucketKey>& keys, const std::function<bool(BucketCoord)>& behind_wall) {
  const std::vector<BucketKey> wanted = volume_->routed(keys);
  Lives lives;
  for (const BucketKey key : wanted) {
    const int t = volume_->buckets().find(key);
    const bool lives_on = t >= 0 && t < volume_->buckets().local_count() && holds_gas(t);
    lives.emplace_back(key, static_cast<std::uint8_t>(lives_on ? longest_life : newborn));
  }
  bool changed = false;
  std::size_t known = 0;
  for (int t = 0; t < volume_->buckets().local_count(); ++t) {
    if (!holds_gas(t)) continue;
    const BucketKey key = volume_->buckets().key(t);
    if (std::binary_search(wanted.begin(), wanted.end(), key)) {
      ++known;
      continue;
    }
    const auto left = static_cast<std::uint8_t>(volume_->tiles(life)[t * life_values] - 1);
    if (left > 0)
      lives.emplace_back(key, left);
    else
      changed = true;
  }
  changed = changed || known != wanted.size();
  std::sort(lives.begin(), lives.end());
  const bool any_changed = domain_.communicator().any(changed);
  if (any_changed) {
    std::vector<BucketKey> all;
    for (const auto& [key, left] : lives) {
      all.push_back(key);
      for (int axis = 0; axis < 3; ++axis) all.push_back(shifted(key, axis, 1));
      for (int dir = 0; behind_wall && dir < 27; ++dir) {
        const Vec3i d = offset_of(dir);
        const BucketCoord beside = offset(coord_of(key), d.x, d.y, d.z);
        if (addressable(beside) && behind_wall(beside)) all.push_back(key_of(beside));
      }
    }
    volume_->set_buckets(all);
    continue_velocity(lives);
  }
  auto out = write(*volume_, life);
  for_each_bucket(volume_->buckets(), out,
                  [&](int t) { std::fill_n(out.tile(t), life_values, life_of(lives, volume_->buckets().key(t))); });
  return any_changed;
}

// Each component of a tile that gets gas becomes the mean of the layers of gas that touch it: a tile that begins at
// rest beside a stream would be a wall for a moment. Faces it shares with gas are known and stay.
void GasGrid::continue_velocity(const Lives& lives) {
  struct Beginning {
    int tile;
    std::array<float, 3> mean;
    std::array<bool, 3> keep;  // its first layer of faces along an axis
  };
  std::vector<Beginning> beginnings;
  for (int t = 0; t < volume_->buckets().local_count(); ++t)
    if (!holds_gas(t) && life_of(lives, volume_->buckets().key(t)) > 0) beginnings.push_back({t, {}, {}});
  constexpr int stride[3] = {1, side, side * side};
  auto lived = read(*volume_, life, Stencil::box);  // the first value of a tile, wherever it lies
  auto u = read(*volume_, velocity, Stencil::faces);
  std::vector<int> beginning_of(static_cast<std::size_t>(volume_->buckets().local_count()), -1);
  for (std::size_t i = 0; i < beginnings.size(); ++i)
    beginning_of[static_cast<std::size_t>(beginnings[i].tile)] = static_cast<int>(i);
  for_each_bucket(volume_->buckets(), lived, u, [&](int t) {
    if (beginning_of[static_cast<std::size_t>(t)] < 0) return;
    Beginning& b = beginnings[static_cast<std::size_t>(beginning_of[static_cast<std::size_t>(t)])];
    const auto& neighbours = volume_->buckets().neighbours(t);
    double sum[3] = {};
    int count = 0;
    for (int f = 0; f < 6; ++f) {
      const int n = neighbours[static_cast<std::size_t>(face_directions[static_cast<std::size_t>(f)])];
      if (lived.tile(n)[0] == 0) continue;
      const int axis = f / 2, layer = f % 2 == 0 ? side - 1 : 0;
      if (f % 2 == 0) b.keep[static_cast<std::size_t>(axis)] = true;
      const int across = stride[axis == 0 ? 1 : 0], along = stride[axis == 2 ? 1 : 2];
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < side * side; ++i)
          sum[c] += static_cast<double>(u.tile(n, c)[layer * stride[axis] + i % side * across + i / side * along]);
      count += side * side;
    }
    for (std::size_t c = 0; c < 3; ++c)
      b.mean[c] = count > 0 ? static_cast<float>(sum[c] / count) : u.tile(t, static_cast<int>(c))[voxels - 1];
  });
  auto out = read_write(*volume_, velocity);
  for_each_bucket(volume_->buckets(), out, [&](int t) {
    if (beginning_of[static_cast<std::size_t>(t)] < 0) return;
    const Beginning& b = beginnings[static_cast<std::size_t>(beginning_of[static_cast<std::size_t>(t)])];
    for (std::size_t c = 0; c < 3; ++c)
      for (int i = 0; i < voxels; ++i)
        if (!b.keep[c] || i / stride[c] % side > 0) out.tile(t, static_cast<int>(c))[i] = b.mean[c];
  });
}

Vec3d GasGrid::cell_position(int tile, Vec3i v) const {
  const BucketCoord b = volume_->buckets().coord(tile);
  return {(b.x * side + v.x + 0.5) * voxel_, (b.y * side + v.y + 0.5) * voxel_, (b.z * side + v.z + 0.5) * voxel_};
}

Vec3d GasGrid::face_position(int tile, Vec3i v, int axis) const {
  Vec3d p = cell_position(tile, v);
  p[axis] -= 0.5 * voxel_;
  return p;
}

}  // namespace ymir
