#include "ymir/objects/steady_load.h"

namespace ymir {

std::vector<Vec3d> steady_load(std::span<const PointForce> forces, std::span<const Vec3d> positions, const double* mass,
                               const double* radius, int bucket) {
  const std::size_t n = positions.size();
  std::vector<double> planes(18 * n, 0.0);
  const auto plane = [&](std::size_t p) { return planes.data() + p * n; };
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) plane(static_cast<std::size_t>(k))[i] = positions[i][k];
  const PointBlock block{
      nullptr, bucket, static_cast<int>(n), 0, 1, {plane(0), plane(1), plane(2)}, {plane(3), plane(4), plane(5)},
      mass,    radius};
  const ForceBlock out{{plane(6), plane(7), plane(8)},
                       {plane(9), plane(10), plane(11), plane(12), plane(13), plane(14)}};
  const Planes<Vec3d>::Type samples{plane(15), plane(16), plane(17)};
  for (const PointForce& force : forces) {
    if (!force.steady) continue;
    if (force.sample) force.sample(block, samples);
    force.accumulate(block, samples, out);
  }
  std::vector<Vec3d> load(n);
  for (std::size_t i = 0; i < n; ++i) load[i] = {plane(6)[i], plane(7)[i], plane(8)[i]};
  return load;
}

}  // namespace ymir
