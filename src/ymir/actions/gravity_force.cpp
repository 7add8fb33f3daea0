#include "ymir/actions/gravity_force.h"

namespace ymir {

PointForce gravity_force(std::string owner, Vec3d acceleration, PointField<Vec3d> per_point) {
  PointForce force;
  force.owner = std::move(owner);
  force.what = "weight";
  force.steady = true;
  force.accumulate = [acceleration, per_point = std::move(per_point)](
                         const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
    if (per_point) {
      const auto g = per_point(block);
      for (int i = 0; i < block.count; ++i) out.force.set(i, Vec3d(out.force[i]) + g[i] * block.mass[i]);
      return;
    }
#pragma omp simd
    for (int i = 0; i < block.count; ++i) {
      out.force.x[i] += block.mass[i] * acceleration.x;
      out.force.y[i] += block.mass[i] * acceleration.y;
      out.force.z[i] += block.mass[i] * acceleration.z;
    }
  };
  return force;
}

}  // namespace ymir
