#include "ymir/preview/fibre_shade.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ymir/preview/block_index.h"

namespace ymir {
namespace {

constexpr int side = 8;              // voxels of a block
constexpr float voxels_across = 96;  // of the scene
constexpr float voxels_along = 10;   // of a strand
constexpr int most_samples = 64;     // of one segment

}  // namespace

PreviewVolume fibre_medium(const PreviewScene& scene, const Geometry& geometry) {
  const PreviewCurves& curves = scene.curves;
  PreviewVolume volume;
  double length = 0;
  Box box;
  for (const auto& [begin, end] : geometry.thin_strands)
    for (std::size_t v = begin; v < end; ++v) {
      box.include(Vec3d(curves.position[v]));
      if (v + 1 < end) length += static_cast<double>(norm(curves.position[v + 1] - curves.position[v]));
    }
  if (!(length > 0)) return volume;
  const Vec3d size = box.size();
  const float mean = static_cast<float>(length / static_cast<double>(geometry.thin_strands.size()));
  const float extent = static_cast<float>(std::max({size.x, size.y, size.z}));
  const float voxel = std::max({std::min(extent / voxels_across, mean / voxels_along), 1e-6f * extent, 1e-9f});
  volume.origin = Vec3f(box.center());  // places far from the world's origin keep their precision
  volume.axes = {{{voxel, 0, 0}, {0, voxel, 0}, {0, 0, voxel}}};
  volume.block_resolution = {side, side, side};
  volume.extinction = 1;
  BlockIndex index;
  for (const auto& [begin, end] : geometry.thin_strands)
    for (std::size_t v = begin; v + 1 < end; ++v) {
      const Vec3f a = curves.position[v] - volume.origin, b = curves.position[v + 1] - volume.origin;
      const float step = norm(b - a);
      const int samples = std::clamp(static_cast<int>(std::ceil(3 * step / voxel)), 1, most_samples);
      // Seen from all sides, a rod of length L and width w hides pi/4 L w.
      const float area = 0.25f * std::numbers::pi_v<float> * step * (curves.radius[v] + curves.radius[v + 1]);
      const float density = area / static_cast<float>(samples) / (voxel * voxel * voxel);
      for (int i = 0; i < samples; ++i) {
        const Vec3f p = (a + (b - a) * ((static_cast<float>(i) + 0.5f) / static_cast<float>(samples))) / voxel;
        const Vec3i at{static_cast<int>(std::floor(p.x)), static_cast<int>(std::floor(p.y)),
                       static_cast<int>(std::floor(p.z))};
        const Vec3i block{at.x >> 3, at.y >> 3, at.z >> 3};
        if (!BlockIndex::in_range(block)) continue;
        const std::size_t number = index.add(block);
        if (number == volume.blocks.size()) {
          volume.blocks.push_back(block);
          volume.density.resize(volume.density.size() + side * side * side);
        }
        const Vec3i in{at.x & 7, at.y & 7, at.z & 7};
        volume.density[number * side * side * side + static_cast<std::size_t>((in.z * side + in.y) * side + in.x)] +=
            density;
      }
    }
  return volume;
}

}  // namespace ymir
