#include "ymir/actions/drag_force.h"

namespace ymir {

void add_gas_drag(const GasDrag& drag, int i, const ForceBlock& out) {
  out.force.x[i] += drag.force.x, out.force.y[i] += drag.force.y, out.force.z[i] += drag.force.z;
  out.derivative.xx[i] -= drag.derivative.xx, out.derivative.yy[i] -= drag.derivative.yy;
  out.derivative.zz[i] -= drag.derivative.zz, out.derivative.xy[i] -= drag.derivative.xy;
  out.derivative.xz[i] -= drag.derivative.xz, out.derivative.yz[i] -= drag.derivative.yz;
}

void add_fibre_drag(const FibreDrag& drag, int i, int count, const ForceBlock& out) {
  add_gas_drag(drag, i, out);
  for (int k = 0; out.by_tangent != nullptr && k < 9; ++k) out.by_tangent[k * count + i] += drag.by_tangent[k];
}

void scale(FibreDrag& drag, double factor) {
  drag.force *= factor;
  for (double& turn : drag.by_tangent) turn *= factor;
  Symmetric3<double>& d = drag.derivative;
  for (double* k : {&d.xx, &d.yy, &d.zz, &d.xy, &d.xz, &d.yz}) *k *= factor;
}

PointForce fibre_drag_force(std::string owner, const Gas& air, double coefficient, PrescribedField wind,
                            DragStrength strength) {
  PointForce force;
  force.owner = std::move(owner);
  force.what = "drag";
  force.on_velocity = Dependence::nonlinear;
  force.on_tangent = [] { return true; };
  force.sample = [wind = std::move(wind)](const PointBlock& block, Planes<Vec3d>::Type out) {
    wind.sample(block.count, block.position, block.time, out);
  };
  force.accumulate = [air, coefficient, strength = std::move(strength)](
                         const PointBlock& block, Planes<const Vec3d>::Type u, const ForceBlock& out) {
    const double* coefficients = strength.coefficients ? strength.coefficients(block) : nullptr;
    const double* factors = strength.factors ? strength.factors(block) : nullptr;
    for (int i = 0; i < block.count; ++i) {
      if (!(block.mass[i] > 0 && block.length[i] > 0)) continue;
      FibreDrag drag = fibre_drag(air, 2 * block.radius[i], block.length[i], block.tangent[i], u[i] - block.velocity[i],
                                  coefficients != nullptr ? coefficients[i] : coefficient);
      if (const double factor = factors != nullptr ? factors[i] : strength.factor; factor != 1) scale(drag, factor);
      add_fibre_drag(drag, i, block.count, out);
    }
  };
  return force;
}

PointForce plate_drag_force(std::string owner, const PlateLaw& law, PrescribedField wind, DragStrength strength) {
  PointForce force;
  force.owner = std::move(owner);
  force.what = "drag";
  force.on_velocity = Dependence::nonlinear;
  force.sample = [wind = std::move(wind)](const PointBlock& block, Planes<Vec3d>::Type out) {
    wind.sample(block.count, block.position, block.time, out);
  };
  force.accumulate = [law, strength = std::move(strength)](const PointBlock& block, Planes<const Vec3d>::Type u,
                                                           const ForceBlock& out) {
    const double* coefficients = strength.coefficients ? strength.coefficients(block) : nullptr;
    const double* factors = strength.factors ? strength.factors(block) : nullptr;
    for (int i = 0; i < block.count; ++i) {
      PlateLaw here = law;
      here.density *= factors != nullptr ? factors[i] : strength.factor;
      if (coefficients != nullptr) here.pressure = coefficients[i];
      add_gas_drag(plate_drag(here, block.area[i], block.tangent[i], u[i] - block.velocity[i]), i, out);
    }
  };
  return force;
}

PointForce drag_force(std::string owner, const DragParams& params, PrescribedField wind, DragStrength strength) {
  const bool quadratic = params.fluid_density > 0 && (params.drag_coefficient > 0 || strength.coefficients);
  PointForce force;
  force.owner = std::move(owner);
  force.what = "drag";
  force.on_velocity = quadratic ? Dependence::nonlinear : Dependence::linear;
  force.sample = [wind = std::move(wind)](const PointBlock& block, Planes<Vec3d>::Type out) {
    wind.sample(block.count, block.position, block.time, out);
  };
  // Both parts of the force are linear in what the fluid brings.
  const auto times = [params](double coefficient, double factor) {
    return DragParams{params.viscosity * factor, params.fluid_density * factor, coefficient};
  };
  if (!strength.coefficients && !strength.factors) {
    force.accumulate = [law = times(params.drag_coefficient, strength.factor)](
                           const PointBlock& block, Planes<const Vec3d>::Type air, const ForceBlock& out) {
      accumulate_drag(law, block.count, block.velocity, air, block.radius, out.force, out.derivative);
    };
    return force;
  }
  force.accumulate = [params, times, strength = std::move(strength)](
                         const PointBlock& block, Planes<const Vec3d>::Type air, const ForceBlock& out) {
    const double* coefficients = strength.coefficients ? strength.coefficients(block) : nullptr;
    const double* factors = strength.factors ? strength.factors(block) : nullptr;
    for (int i = 0; i < block.count; ++i)
      add_drag(times(coefficients != nullptr ? coefficients[i] : params.drag_coefficient,
                     factors != nullptr ? factors[i] : strength.factor),
               i, block.velocity, air, block.radius, out.force, out.derivative);
  };
  return force;
}

}  // namespace ymir
