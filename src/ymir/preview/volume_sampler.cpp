#include "ymir/preview/volume_sampler.h"

#include <algorithm>
#include <cmath>

#include "ymir/preview/palette.h"

namespace ymir {
namespace {

constexpr std::size_t most_nodes = 180'000;  // of the lattice of light, unless blocks alone have more corners

std::size_t cells(Vec3i n) {
  return static_cast<std::size_t>(n.x) * static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.z);
}

std::size_t cell(Vec3i n, Vec3i i) {
  return (static_cast<std::size_t>(i.z) * static_cast<std::size_t>(n.y) + static_cast<std::size_t>(i.y)) *
             static_cast<std::size_t>(n.x) +
         static_cast<std::size_t>(i.x);
}

int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
Vec3i corner(int k) { return {k & 1, (k >> 1) & 1, k >> 2}; }

// Beyond this no block can be; it leaves room to divide.
int voxel_below(float p) { return static_cast<int>(std::floor(std::clamp(p, -2e9f, 2e9f))); }

}  // namespace

VolumeSampler::VolumeSampler(const PreviewVolume& volume, std::size_t& skipped)
    : origin_(volume.origin), albedo_(volume.albedo), axes_(volume.axes), resolution_(volume.block_resolution) {
  const auto& a = volume.axes;
  const float determinant = dot(a[0], cross(a[1], a[2]));
  const bool sound = std::isfinite(determinant) && std::abs(determinant) > 0 && is_finite(volume.origin) &&
                     resolution_.x > 0 && resolution_.y > 0 && resolution_.z > 0 && std::isfinite(volume.extinction) &&
                     volume.density.size() == volume.blocks.size() * cells(resolution_);
  if (!sound) {
    skipped += volume.blocks.size();
    return;
  }
  inverse_ = {cross(a[1], a[2]) / determinant, cross(a[2], a[0]) / determinant, cross(a[0], a[1]) / determinant};
  voxel_ = std::min({norm(a[0]), norm(a[1]), norm(a[2])});
  hot_ = volume.temperature.size() == volume.density.size();
  colored_ = volume.value.size() == volume.density.size();
  BlockIndex source;
  std::vector<std::size_t> number;  // in the volume, of every block of `source`
  for (std::size_t b = 0; b < volume.blocks.size(); ++b) {
    if (!BlockIndex::in_range(volume.blocks[b]) || source.find(volume.blocks[b]) >= 0) {
      ++skipped;
      continue;
    }
    source.add(volume.blocks[b]);
    number.push_back(b);
  }
  // A block's first voxels also matter to interpolation that starts in the block before it.
  for (const std::size_t b : number)
    for (int k = 0; k < 8; ++k) add_block(volume.blocks[b] - corner(k), volume, source, number);
}

void VolumeSampler::add_block(Vec3i block, const PreviewVolume& volume, const BlockIndex& source,
                              const std::vector<std::size_t>& number) {
  if (index_.find(block) >= 0) return;
  const Vec3i size = resolution_ + Vec3i{1, 1, 1};
  std::array<std::int64_t, 8> neighbours;
  for (int k = 0; k < 8; ++k) {
    const std::int64_t found = source.find(block + corner(k));
    neighbours[static_cast<std::size_t>(k)] =
        found < 0 ? -1 : static_cast<std::int64_t>(number[static_cast<std::size_t>(found)]);
  }
  std::vector<float> density(cells(size)), temperature(hot_ ? cells(size) : 0), value(colored_ ? cells(size) : 0);
  bool something = false;
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) {
        const int k = (x == resolution_.x ? 1 : 0) | (y == resolution_.y ? 2 : 0) | (z == resolution_.z ? 4 : 0);
        const std::int64_t b = neighbours[static_cast<std::size_t>(k)];
        if (b < 0) continue;
        const std::size_t from = static_cast<std::size_t>(b) * cells(resolution_) +
                                 cell(resolution_, {x % resolution_.x, y % resolution_.y, z % resolution_.z});
        const float d = volume.density[from] * volume.extinction;
        density[cell(size, {x, y, z})] = std::isfinite(d) ? std::max(d, 0.0f) : 0.0f;
        something = something || d > 0;
        if (colored_) value[cell(size, {x, y, z})] = volume.value[from];
        if (!hot_ || !std::isfinite(volume.temperature[from])) continue;
        temperature[cell(size, {x, y, z})] = volume.temperature[from];
        something = something || volume.temperature[from] > 700;
      }
  if (!something) return;
  index_.add(block);
  low_ = blocks_.empty() ? block : cwise_min(low_, block);
  high_ = blocks_.empty() ? block + Vec3i{1, 1, 1} : cwise_max(high_, block + Vec3i{1, 1, 1});
  blocks_.push_back(block);
  density_.insert(density_.end(), density.begin(), density.end());
  temperature_.insert(temperature_.end(), temperature.begin(), temperature.end());
  value_.insert(value_.end(), value.begin(), value.end());
}

// The finest lattice that stays within most_nodes, two voxels and the range of the index.
void VolumeSampler::make_nodes() {
  if (blocks_.empty()) return;
  const int reach = 1 + std::max({std::abs(low_.x), std::abs(low_.y), std::abs(low_.z), std::abs(high_.x),
                                  std::abs(high_.y), std::abs(high_.z)});
  const auto fits = [&](int n) {
    const auto all = static_cast<double>(blocks_.size()) * n * n * n;
    return all <= most_nodes && 2 * n <= std::max({resolution_.x, resolution_.y, resolution_.z}) &&
           static_cast<double>(n) * reach < (1 << 20) - 2;
  };
  while (fits(cells_ + 1)) ++cells_;
  const int side = cells_ + 1;
  BlockIndex nodes;
  for (const Vec3i& b : blocks_)
    for (int i = 0; i < side * side * side; ++i) {
      const Vec3i place = b * cells_ + Vec3i{i % side, i / side % side, i / (side * side)};
      const std::size_t node = nodes.add(place);
      if (node == nodes_.size()) nodes_.push_back({place, {}});
      block_nodes_.push_back(static_cast<std::uint32_t>(node));
    }
}

Vec3f VolumeSampler::node(std::size_t i) const {
  Vec3f p = origin_;
  for (int k = 0; k < 3; ++k) {
    const float voxels =
        static_cast<float>(nodes_[i].place[k]) * static_cast<float>(resolution_[k]) / static_cast<float>(cells_);
    p += axes_[static_cast<std::size_t>(k)] * (voxels + 0.5f);
  }
  return p;
}

VolumeSampler::Light VolumeSampler::light_at(const Value& value) const {
  Light sum{0, 0, 0};
  Vec3i base;
  Vec3f f;
  for (int k = 0; k < 3; ++k) {
    const float at = std::clamp(value.place[k], 0.0f, 1.0f) * static_cast<float>(cells_);
    base[k] = std::min(static_cast<int>(at), cells_ - 1);
    f[k] = at - static_cast<float>(base[k]);
  }
  const Vec3i side = Vec3i{1, 1, 1} * (cells_ + 1);
  const std::size_t first = static_cast<std::size_t>(value.block) * cells(side);
  for (int c = 0; c < 8; ++c) {
    const float w = ((c & 1) != 0 ? f.x : 1 - f.x) * ((c & 2) != 0 ? f.y : 1 - f.y) * ((c & 4) != 0 ? f.z : 1 - f.z);
    const Light& l = nodes_[block_nodes_[first + cell(side, base + corner(c))]].light;
    sum.sun_depth += w * l.sun_depth;
    sum.sun_seen += w * l.sun_seen;
    sum.sky_depth += w * l.sky_depth;
  }
  return sum;
}

Vec3f VolumeSampler::albedo(const Value& value) const { return colored_ ? scale_color(value.value) : albedo_; }

Vec3f VolumeSampler::to_voxels(Vec3f d) const {
  return {dot(inverse_[0], d), dot(inverse_[1], d), dot(inverse_[2], d)};
}

bool VolumeSampler::clip(Vec3f origin, Vec3f direction, float& t0, float& t1) const {
  const Vec3f o = to_voxels(origin - origin_) - Vec3f{0.5f, 0.5f, 0.5f}, d = to_voxels(direction);
  for (int k = 0; k < 3; ++k) {
    const float low = static_cast<float>(low_[k]) * static_cast<float>(resolution_[k]),
                high = static_cast<float>(high_[k]) * static_cast<float>(resolution_[k]);
    if (std::abs(d[k]) < 1e-12f) {
      if (o[k] < low || o[k] > high) return false;
      continue;
    }
    const float a = (low - o[k]) / d[k], b = (high - o[k]) / d[k];
    t0 = std::max(t0, std::min(a, b));
    t1 = std::min(t1, std::max(a, b));
  }
  return t0 < t1;
}

VolumeSampler::Value VolumeSampler::at(Vec3f position, Vec3f direction, float& empty) const {
  const Vec3f p = to_voxels(position - origin_) - Vec3f{0.5f, 0.5f, 0.5f};
  const Vec3i base{voxel_below(p.x), voxel_below(p.y), voxel_below(p.z)};
  const Vec3i block{floor_div(base.x, resolution_.x), floor_div(base.y, resolution_.y),
                    floor_div(base.z, resolution_.z)};
  Value value;
  value.block = index_.find(block);
  if (value.block < 0) {
    const Vec3f d = to_voxels(direction);
    const int shift = index_.empty_shift(block);
    empty = 1e30f;
    for (int k = 0; k < 3; ++k) {
      const int side = (block[k] >> shift) + (d[k] > 0 ? 1 : 0);
      const float face = std::ldexp(static_cast<float>(side), shift) * static_cast<float>(resolution_[k]);
      if (std::abs(d[k]) > 1e-12f) empty = std::min(empty, (face - p[k]) / d[k]);
    }
    empty = std::max(empty, 0.0f);
    return value;
  }
  empty = 0;
  const Vec3i size = resolution_ + Vec3i{1, 1, 1};
  const Vec3i local = base - Vec3i{block.x * resolution_.x, block.y * resolution_.y, block.z * resolution_.z};
  const std::size_t at = static_cast<std::size_t>(value.block) * cells(size) + cell(size, local);
  const auto row = static_cast<std::size_t>(size.x), slice = row * static_cast<std::size_t>(size.y);
  const Vec3f f = p - Vec3f(base);
  const auto interpolate = [&](const std::vector<float>& v) {
    const auto along_x = [&](std::size_t i) { return v[i] * (1 - f.x) + v[i + 1] * f.x; };
    const auto along_y = [&](std::size_t i) { return along_x(i) * (1 - f.y) + along_x(i + row) * f.y; };
    return along_y(at) * (1 - f.z) + along_y(at + slice) * f.z;
  };
  value.density = interpolate(density_);
  if (hot_) value.temperature = interpolate(temperature_);
  if (colored_) value.value = interpolate(value_);
  for (int k = 0; k < 3; ++k)
    value.place[k] = (static_cast<float>(local[k]) + f[k]) / static_cast<float>(resolution_[k]);
  return value;
}

}  // namespace ymir
