#include "ymir/actions/field_force.h"

#include <cmath>

namespace ymir {

PointForce field_force(std::string owner, PrescribedField field, ForcePer per) {
  PointForce force;
  force.owner = std::move(owner);
  force.what = per == ForcePer::mass ? "field per unit mass" : "field per unit volume";
  force.sample = [field = std::move(field)](const PointBlock& block, Planes<Vec3d>::Type out) {
    field.sample(block.count, block.position, block.time, out);
  };
  force.accumulate = [per](const PointBlock& block, Planes<const Vec3d>::Type value, const ForceBlock& out) {
    const double* mass = block.mass;
    const double* radius = block.radius;
#pragma omp simd
    for (int i = 0; i < block.count; ++i) {
      const double volume = 4.0 / 3.0 * M_PI * radius[i] * radius[i] * radius[i];
      const double amount = per == ForcePer::mass ? mass[i] : volume;
      out.force.x[i] += amount * value.x[i];
      out.force.y[i] += amount * value.y[i];
      out.force.z[i] += amount * value.z[i];
    }
  };
  return force;
}

}  // namespace ymir
