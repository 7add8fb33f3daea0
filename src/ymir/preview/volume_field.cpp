#include "ymir/preview/volume_field.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ymir/parallel/threads.h"
#include "ymir/preview/palette.h"

namespace ymir {
namespace {

constexpr int most_steps = 4096;
constexpr int lattice_cells = 56;  // along the longest side
constexpr float opaque = 1e-3f;

std::uint64_t block_key(Vec3i b) {
  constexpr std::uint64_t mask = (1u << 21) - 1;
  return (static_cast<std::uint64_t>(b.x) & mask) | ((static_cast<std::uint64_t>(b.y) & mask) << 21) |
         ((static_cast<std::uint64_t>(b.z) & mask) << 42);
}

bool in_key_range(Vec3i b) {
  constexpr int limit = (1 << 20) - 2;
  return std::abs(b.x) < limit && std::abs(b.y) < limit && std::abs(b.z) < limit;
}

std::size_t cells(Vec3i n) {
  return static_cast<std::size_t>(n.x) * static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.z);
}

std::size_t cell(Vec3i n, Vec3i i) {
  return (static_cast<std::size_t>(i.z) * static_cast<std::size_t>(n.y) + static_cast<std::size_t>(i.y)) *
             static_cast<std::size_t>(n.x) +
         static_cast<std::size_t>(i.x);
}

int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Vec3f mul(Vec3f a, Vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

float henyey_greenstein(float cosine, float g) {
  const float d = 1 + g * g - 2 * g * cosine;
  return (1 - g * g) / (d * std::sqrt(d));  // 1 when g is 0
}

}  // namespace

VolumeSampler::VolumeSampler(const PreviewVolume& volume, std::size_t& skipped)
    : origin_(volume.origin), albedo_(volume.albedo), resolution_(volume.block_resolution) {
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
  std::unordered_map<std::uint64_t, std::size_t> source;
  for (std::size_t b = 0; b < volume.blocks.size(); ++b) {
    if (in_key_range(volume.blocks[b]))
      source.emplace(block_key(volume.blocks[b]), b);
    else
      ++skipped;
  }
  low_ = {1 << 21, 1 << 21, 1 << 21};
  high_ = {-(1 << 21), -(1 << 21), -(1 << 21)};
  // A block's first voxels also matter to interpolation that starts in the block before it.
  for (const Vec3i& b : volume.blocks)
    if (in_key_range(b))
      for (int corner = 0; corner < 8; ++corner)
        fill_block(b - Vec3i{corner & 1, (corner >> 1) & 1, corner >> 2}, volume, source);
  tabulate();
  for (int corner = 0; corner < 8 && !blocks_.empty(); ++corner) {
    Vec3f p = origin_;
    for (int k = 0; k < 3; ++k)
      p += a[static_cast<std::size_t>(k)] *
           (static_cast<float>(((corner >> k) & 1 ? high_ : low_)[k] * resolution_[k]) + 0.5f);
    bounds_.include(Vec3d(p));
  }
}

void VolumeSampler::fill_block(Vec3i block, const PreviewVolume& volume,
                               const std::unordered_map<std::uint64_t, std::size_t>& source) {
  if (blocks_.contains(block_key(block))) return;
  const Vec3i size = resolution_ + Vec3i{1, 1, 1};
  std::array<std::ptrdiff_t, 8> neighbours;
  for (int k = 0; k < 8; ++k) {
    const auto it = source.find(block_key(block + Vec3i{k & 1, (k >> 1) & 1, k >> 2}));
    neighbours[static_cast<std::size_t>(k)] = it == source.end() ? -1 : static_cast<std::ptrdiff_t>(it->second);
  }
  std::vector<float> density(cells(size)), temperature(hot_ ? cells(size) : 0);
  bool something = false;
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) {
        const int k = (x == resolution_.x ? 1 : 0) | (y == resolution_.y ? 2 : 0) | (z == resolution_.z ? 4 : 0);
        const std::ptrdiff_t b = neighbours[static_cast<std::size_t>(k)];
        if (b < 0) continue;
        const std::size_t from = static_cast<std::size_t>(b) * cells(resolution_) +
                                 cell(resolution_, {x % resolution_.x, y % resolution_.y, z % resolution_.z});
        const float d = volume.density[from] * volume.extinction;
        density[cell(size, {x, y, z})] = std::isfinite(d) ? std::max(d, 0.0f) : 0.0f;
        something = something || d > 0;
        if (!hot_ || !std::isfinite(volume.temperature[from])) continue;
        temperature[cell(size, {x, y, z})] = volume.temperature[from];
        something = something || volume.temperature[from] > 700;
      }
  if (!something) return;
  blocks_.emplace(block_key(block), static_cast<std::uint32_t>(blocks_.size()));
  density_.insert(density_.end(), density.begin(), density.end());
  temperature_.insert(temperature_.end(), temperature.begin(), temperature.end());
  low_ = cwise_min(low_, block);
  high_ = cwise_max(high_, block + Vec3i{1, 1, 1});
}

Vec3f VolumeSampler::to_voxels(Vec3f d) const {
  return {dot(inverse_[0], d), dot(inverse_[1], d), dot(inverse_[2], d)};
}

bool VolumeSampler::clip(Vec3f origin, Vec3f direction, float& t0, float& t1) const {
  const Vec3f o = to_voxels(origin - origin_) - Vec3f{0.5f, 0.5f, 0.5f}, d = to_voxels(direction);
  for (int k = 0; k < 3; ++k) {
    const float low = static_cast<float>(low_[k] * resolution_[k]),
                high = static_cast<float>(high_[k] * resolution_[k]);
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

void VolumeSampler::tabulate() {
  constexpr double largest = 1 << 22;
  const Vec3i size = high_ - low_;
  if (blocks_.empty() || static_cast<double>(size.x) * size.y * size.z > largest) return;
  table_.assign(cells(size), -1);
  for (Vec3i b = low_; b.z < high_.z; ++b.z)
    for (b.y = low_.y; b.y < high_.y; ++b.y)
      for (b.x = low_.x; b.x < high_.x; ++b.x) {
        const auto it = blocks_.find(block_key(b));
        if (it != blocks_.end()) table_[cell(size, b - low_)] = static_cast<std::int32_t>(it->second);
      }
}

std::int64_t VolumeSampler::find_block(Vec3i b) const {
  for (int k = 0; k < 3; ++k)
    if (b[k] < low_[k] || b[k] >= high_[k]) return -1;
  if (!table_.empty()) return table_[cell(high_ - low_, b - low_)];
  const auto it = blocks_.find(block_key(b));
  return it == blocks_.end() ? -1 : it->second;
}

VolumeSampler::Value VolumeSampler::at(Vec3f position, Vec3f direction, float& empty) const {
  const Vec3f p = to_voxels(position - origin_) - Vec3f{0.5f, 0.5f, 0.5f};
  const Vec3i base{static_cast<int>(std::floor(p.x)), static_cast<int>(std::floor(p.y)),
                   static_cast<int>(std::floor(p.z))};
  const Vec3i block{floor_div(base.x, resolution_.x), floor_div(base.y, resolution_.y),
                    floor_div(base.z, resolution_.z)};
  const std::int64_t found = find_block(block);
  if (found < 0) {
    const Vec3f d = to_voxels(direction);
    empty = 1e30f;
    for (int k = 0; k < 3; ++k) {
      const float face = static_cast<float>((block[k] + (d[k] > 0 ? 1 : 0)) * resolution_[k]);
      if (std::abs(d[k]) > 1e-12f) empty = std::min(empty, (face - p[k]) / d[k]);
    }
    empty = std::max(empty, 0.0f);
    return {};
  }
  empty = 0;
  const Vec3i size = resolution_ + Vec3i{1, 1, 1};
  const Vec3i local = base - Vec3i{block.x * resolution_.x, block.y * resolution_.y, block.z * resolution_.z};
  const std::size_t at = static_cast<std::size_t>(found) * cells(size) + cell(size, local);
  const auto row = static_cast<std::size_t>(size.x), slice = row * static_cast<std::size_t>(size.y);
  const float fx = p.x - static_cast<float>(base.x), fy = p.y - static_cast<float>(base.y),
              fz = p.z - static_cast<float>(base.z);
  const auto interpolate = [&](const std::vector<float>& v) {
    const auto along_x = [&](std::size_t i) { return v[i] * (1 - fx) + v[i + 1] * fx; };
    const auto along_y = [&](std::size_t i) { return along_x(i) * (1 - fy) + along_x(i + row) * fy; };
    return along_y(at) * (1 - fz) + along_y(at + slice) * fz;
  };
  return {interpolate(density_), hot_ ? interpolate(temperature_) : 0.0f};
}

VolumeField::VolumeField(const PreviewScene& scene, const Tracer& tracer, std::size_t& skipped)
    : environment_(scene.environment), to_sun_(normalized(scene.environment.to_sun, Vec3f{0, 1, 0})) {
  for (const PreviewVolume& volume : scene.volumes) {
    VolumeSampler sampler(volume, skipped);
    if (sampler.empty()) continue;
    bounds_.include(sampler.bounds());
    samplers_.push_back(std::move(sampler));
  }
  if (!samplers_.empty() && environment_.enabled) light_lattice(tracer);
}

// Visits the steps of a ray through the medium as visit(position, length, values of all samplers); a false answer ends
// the walk. Each step stands for its whole length with the value at its middle.
template <class Visit>
void VolumeField::walk(Vec3f origin, Vec3f direction, float t0, float t1, float jitter, float coarseness,
                       Visit&& visit) const {
  float begin = 1e30f, end = -1e30f, step = 1e30f;
  for (const VolumeSampler& s : samplers_) {
    float a = t0, b = t1;
    if (!s.clip(origin, direction, a, b)) continue;
    begin = std::min(begin, a);
    end = std::max(end, b);
    step = std::min(step, s.step());
  }
  if (begin >= end) return;
  step = std::max(step * coarseness, (end - begin) / most_steps);
  // The first step is a random part of a full one, so that neighbouring pixels do not band alike.
  float length = step * (0.25f + 0.75f * jitter), t = begin;
  for (int i = 0; i < 2 * most_steps && t < end; ++i) {
    length = std::min(length, end - t);
    const Vec3f position = origin + direction * (t + 0.5f * length);
    float density = 0, temperature = 0, skip = 1e30f;
    Vec3f albedo;
    for (const VolumeSampler& s : samplers_) {
      float clear = 0;
      const auto value = s.at(position, direction, clear);
      density += value.density;
      temperature = std::max(temperature, value.temperature);
      albedo += s.albedo() * value.density;
      skip = std::min(skip, clear);
    }
    if (skip > 0.5f * length) {
      // Empty up to `skip` beyond the middle; the next step starts there.
      t += 0.5f * length + skip + 1e-4f * step;
    } else {
      if (!visit(position, length, density, temperature, density > 0 ? albedo / density : albedo)) return;
      t += length;
    }
    length = step;
  }
}

float VolumeField::transmittance(Vec3f origin, Vec3f direction, float t0, float t1, float jitter,
                                 float coarseness) const {
  if (empty()) return 1;
  float depth = 0;
  walk(origin, direction, t0, t1, jitter, coarseness, [&](Vec3f, float length, float density, float, Vec3f) {
    depth += density * length;
    return depth < 8;
  });
  return std::exp(-depth);
}

void VolumeField::light_lattice(const Tracer& tracer) {
  const Vec3d size = bounds_.size();
  const double spacing = std::max({size.x, size.y, size.z}) / lattice_cells;
  for (int k = 0; k < 3; ++k)
    lattice_size_[k] = std::clamp(static_cast<int>(size[k] / spacing) + 1, 2, lattice_cells + 2);
  lattice_.resize(cells(lattice_size_));
  parallel_for(lattice_size_.z, [&](std::ptrdiff_t slice) {
    const int z = static_cast<int>(slice);
    for (int y = 0; y < lattice_size_.y; ++y)
      for (int x = 0; x < lattice_size_.x; ++x) {
        Vec3d p;
        const Vec3i i{x, y, z};
        for (int k = 0; k < 3; ++k) p[k] = bounds_.low[k] + size[k] * i[k] / (lattice_size_[k] - 1);
        Light& light = lattice_[cell(lattice_size_, i)];
        const Vec3f at(p);
        light.sun_depth = -std::log(std::max(transmittance(at, to_sun_, 0, 1e30f, 0.5f, 2), 1e-4f));
        light.sky_depth = -std::log(std::max(transmittance(at, {0, 1, 0}, 0, 1e30f, 0.5f, 3), 1e-4f));
        light.sun_seen = tracer.occluded({at, to_sun_, 0, std::numeric_limits<float>::infinity(), 0x9e3779b9u}) ? 0 : 1;
      }
  });
}

VolumeField::Light VolumeField::light_at(Vec3f position) const {
  Light sum{0, 0, 0};
  std::array<int, 3> base{};
  std::array<float, 3> f{};
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double u = (position[k] - bounds_.low[k]) / std::max(bounds_.high[k] - bounds_.low[k], 1e-30);
    const float at = static_cast<float>(std::clamp(u, 0.0, 1.0)) * static_cast<float>(lattice_size_[k] - 1);
    base[i] = std::min(static_cast<int>(at), lattice_size_[k] - 2);
    f[i] = at - static_cast<float>(base[i]);
  }
  for (int c = 0; c < 8; ++c) {
    const float w =
        ((c & 1) != 0 ? f[0] : 1 - f[0]) * ((c & 2) != 0 ? f[1] : 1 - f[1]) * ((c & 4) != 0 ? f[2] : 1 - f[2]);
    const Light& l = lattice_[cell(lattice_size_, {base[0] + (c & 1), base[1] + ((c >> 1) & 1), base[2] + (c >> 2)})];
    sum.sun_depth += w * l.sun_depth;
    sum.sun_seen += w * l.sun_seen;
    sum.sky_depth += w * l.sky_depth;
  }
  return sum;
}

// Higher orders of scattering as copies of the first with less extinction, anisotropy and strength
// [Wrenninge 2015, "Art-directable multiple volumetric scattering"].
Vec3f VolumeField::scattered(const Light& light, const std::array<float, orders>& phase) const {
  float sun = 0, extinction = 1;
  for (const float p : phase) {
    sun += p * std::exp(-extinction * light.sun_depth);
    extinction *= 0.4f;
  }
  // The factor 1/2 against a wall facing the sun is the mean of its cosine over a sphere of droplets.
  const float sky = 0.35f + 0.65f * std::exp(-0.6f * light.sky_depth);
  return environment_.sun * (0.5f * sun * light.sun_seen) + environment_.sky * sky;
}

VolumeField::Segment VolumeField::march(const Ray& ray, float t0, float t1, float jitter) const {
  Segment out;
  if (empty()) return out;
  std::array<float, orders> phase{};
  float weight = 1, g = 0.45f;
  for (float& p : phase) {
    p = weight * henyey_greenstein(dot(ray.direction, to_sun_), g);
    weight *= 0.6f;
    g *= 0.5f;
  }
  walk(ray.origin, ray.direction, t0, t1, jitter, 1,
       [&](Vec3f position, float length, float density, float temperature, Vec3f albedo) {
         const float absorbed = 1 - std::exp(-density * length);
         if (absorbed > 0 && environment_.enabled)
           out.radiance += mul(albedo, scattered(light_at(position), phase)) * (out.transmittance * absorbed);
         if (temperature > 700) {
           // Stefan-Boltzmann's fourth power, normalised at 1500 K and kept within what a picture can show.
           const float power = std::min(std::pow(temperature / 1500.0f, 4.0f), 8.0f);
           out.radiance += black_body_color(temperature) * (out.transmittance * 20.0f * power * length);
         }
         out.transmittance *= 1 - absorbed;
         return out.transmittance > opaque;
       });
  return out;
}

}  // namespace ymir
