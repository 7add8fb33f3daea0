#include "ymir/preview/overlays.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/preview/block_index.h"
#include "ymir/preview/frame_channels.h"
#include "ymir/preview/palette.h"

namespace ymir {
namespace {

constexpr Vec3f tile_color{0.05f, 0.25f, 0.55f};
constexpr std::size_t most_arrows = 4000;

struct Gas {
  std::span<const Vec3i> buckets;
  std::span<const Vec3f> velocity;
  int resolution = 0;
  float bucket_size = 0;
};

// The velocity of a volume, by voxel; without any where the frame holds none.
Gas gas_of(const ObjectState& object) {
  Gas gas;
  if (object.kind != "volume") return gas;
  gas.buckets = channel_of<Vec3i>(object, "bucket");
  gas.bucket_size = static_cast<float>(number_of(object, "bucket_size", 0));
  const double n = number_of(object, "velocity.resolution", 0);
  if (!(gas.bucket_size > 0) || !std::isfinite(gas.bucket_size)) gas.buckets = {};
  if (!(n >= 1 && n <= 1024)) return gas;
  gas.resolution = static_cast<int>(n);
  const auto voxels = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  gas.velocity = channel_of<Vec3f>(object, "velocity", gas.buckets.size() * voxels);
  return gas;
}

void add_line(PreviewLines& lines, Vec3f a, Vec3f b, Vec3f color) {
  lines.position.push_back(a);
  lines.position.push_back(b);
  lines.color.push_back(color);
}

void add_arrow(PreviewLines& lines, Vec3f from, Vec3f along, Vec3f color) {
  const Vec3f side = cross(along, std::abs(along.y) < 0.9f * norm(along) ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0});
  const Vec3f barb = normalized(side) * (0.12f * norm(along)), tip = from + along;
  add_line(lines, from, tip, color);
  add_line(lines, tip, tip - along * 0.3f + barb, color);
  add_line(lines, tip, tip - along * 0.3f - barb, color);
}

}  // namespace

void add_tile_edges(PreviewLines& lines, const Frame& frame) {
  for (const ObjectState& object : frame.objects) {
    const Gas gas = gas_of(object);
    std::array<BlockIndex, 3> drawn;  // edges along each axis by their lower corner; neighbours share them
    std::array<std::size_t, 3> count{};
    for (const Vec3i& b : gas.buckets) {
      if (!BlockIndex::in_range(b)) continue;
      for (int edge = 0; edge < 12; ++edge) {
        const int axis = edge / 4;
        const auto k = static_cast<std::size_t>(axis);
        Vec3i corner = b;
        corner[(axis + 1) % 3] += edge & 1;
        corner[(axis + 2) % 3] += (edge >> 1) & 1;
        if (drawn[k].add(corner) != count[k]) continue;
        ++count[k];
        Vec3f a = Vec3f(corner) * gas.bucket_size, end = a;
        end[axis] += gas.bucket_size;
        add_line(lines, a, end, tile_color);
      }
    }
  }
}

void add_wind_arrows(PreviewLines& lines, const Frame& frame, double top_speed) {
  if (!(top_speed > 0)) return;
  for (const ObjectState& object : frame.objects) {
    const Gas gas = gas_of(object);
    if (gas.velocity.empty()) continue;
    // As many per tile as there is room for, else tiles are left out evenly.
    int side = gas.resolution;
    while (side > 1 && gas.buckets.size() * static_cast<std::size_t>(side * side * side) > most_arrows) --side;
    const std::size_t stride = (gas.buckets.size() + most_arrows - 1) / most_arrows;
    const float spacing = gas.bucket_size / static_cast<float>(side);
    for (std::size_t b = 0; b < gas.buckets.size(); b += stride)
      for (int i = 0; i < side * side * side; ++i) {
        const Vec3f place = Vec3f(Vec3i{i % side, i / side % side, i / (side * side)}) + Vec3f{0.5f, 0.5f, 0.5f};
        Vec3i voxel;
        for (int k = 0; k < 3; ++k)
          voxel[k] = static_cast<int>(place[k] / static_cast<float>(side) * static_cast<float>(gas.resolution));
        const auto n = static_cast<std::size_t>(gas.resolution);
        const Vec3f v = gas.velocity[b * n * n * n +
                                     (static_cast<std::size_t>(voxel.z) * n + static_cast<std::size_t>(voxel.y)) * n +
                                     static_cast<std::size_t>(voxel.x)];
        const float speed = norm(v) / static_cast<float>(top_speed);
        if (!is_finite(v) || !(speed > 0.01f)) continue;
        const Vec3f at = Vec3f(gas.buckets[b]) * gas.bucket_size + place * spacing;
        const Vec3f along = v * (0.9f * spacing * std::min(speed, 1.0f) / norm(v));
        add_arrow(lines, at - along * 0.5f, along, scale_color(std::min(speed, 1.0f)));
      }
  }
}

double reference_wind(const Frame& frame) {
  std::vector<float> speeds;
  for (const ObjectState& object : frame.objects) {
    const Gas gas = gas_of(object);
    for (const Vec3f& v : gas.velocity)
      if (is_finite(v)) speeds.push_back(norm(v));
  }
  if (speeds.empty()) return 0;
  const auto at = speeds.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(speeds.size() - 1));
  std::nth_element(speeds.begin(), at, speeds.end());
  return static_cast<double>(*at);
}

}  // namespace ymir
