#include "ymir/actions/drag_force.h"

namespace ymir {

void add_fibre_drag(const FibreDrag& drag, int i, int count, const ForceBlock& out) {
  out.force.x[i] += drag.force.x, out.force.y[i] += drag.force.y, out.force.z[i] += drag.force.z;
  out.derivative.xx[i] -= drag.derivative.xx, out.derivative.yy[i] -= drag.derivative.yy;
  out.derivative.zz[i] -= drag.derivative.zz, out.derivative.xy[i] -= drag.derivative.xy;
  out.derivative.xz[i] -= drag.derivative.xz, out.derivative.yz[i] -= drag.derivative.yz;
  for (int k = 0; out.by_tangent != nullptr && k < 9; ++k) out.by_tangent[k * count + i] += drag.by_tangent[k];
}

PointForce fibre_drag_force(std::string owner, const Gas& air, double coefficient, PrescribedField wind) {
  PointForce force;
  force.owner = std::move(owner);
  force.what = "drag";
  force.on_velocity = Dependence::nonlinear;
  force.on_tangent = [] { return true; };
  force.sample = [wind = std::move(wind)](const PointBlock& block, Planes<Vec3d>::Type out) {
    wind.sample(block.count, block.position, block.time, out);
  };
  force.accumulate = [air, coefficient](const PointBlock& block, Planes<const Vec3d>::Type u, const ForceBlock& out) {
    for (int i = 0; i < block.count; ++i)
      if (block.mass[i] > 0 && block.length[i] > 0)
        add_fibre_drag(fibre_drag(air, 2 * block.radius[i], block.length[i], block.tangent[i], u[i] - block.velocity[i],
                                  coefficient),
                       i, block.count, out);
  };
  return force;
}

PointForce drag_force(std::string owner, const DragParams& params, PrescribedField wind) {
  const bool quadratic = params.fluid_density > 0 && params.drag_coefficient > 0;
  PointForce force;
  force.owner = std::move(owner);
  force.what = "drag";
  force.on_velocity = quadratic ? Dependence::nonlinear : Dependence::linear;
  force.sample = [wind = std::move(wind)](const PointBlock& block, Planes<Vec3d>::Type out) {
    wind.sample(block.count, block.position, block.time, out);
  };
  force.accumulate = [params](const PointBlock& block, Planes<const Vec3d>::Type air, const ForceBlock& out) {
    accumulate_drag(params, block.count, block.velocity, air, block.radius, out.force, out.derivative);
  };
  return force;
}

}  // namespace ymir
