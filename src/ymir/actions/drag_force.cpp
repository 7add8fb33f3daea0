#include "ymir/actions/drag_force.h"

namespace ymir {

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
