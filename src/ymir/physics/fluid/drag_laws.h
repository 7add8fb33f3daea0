// Drag of small spheres and of thin fibres in a gas, with exact derivatives. [method notes C, 7]
//
//   w = u - v, gas minus solid [m/s]; F force on the solid [N]; J = dF/dw [N s/m], symmetric, positive semidefinite
//
//   sphere of diameter d:   F = 3 pi mu d (1 + 0.15 Re^0.687) w,  Re = rho |w| d/mu < 1000;  Cd = 0.44 beyond
//                           [Schiller1933]
//   fibre of diameter d, length l, direction t:   F = 1/2 rho Cd d l |wn| wn + kt (t.w) t,  wn = w - t (t.w)
//                           Cd = c + 10 Re^(-2/3), c = 1 [White2006]; below Re = 0.1 linear, and kt half of that
//                           limit. Without density the law is linear at any speed, without viscosity quadratic.
#pragma once

#include <cmath>

#include "ymir/physics/planes.h"

namespace ymir {

struct Gas {
  double density = 1.2;        // rho [kg/m^3]
  double viscosity = 1.81e-5;  // mu [Pa s]
};

struct GasDrag {
  Vec3d force;
  Symmetric3<double> derivative;
};

// Of a fibre, also by its direction: dF/dt, for changes normal to t, at [3 a + b] [N].
struct FibreDrag : GasDrag {
  double by_tangent[9];
};

namespace drag_law {

constexpr double pi = 3.141592653589793;
constexpr double fast_sphere = 1000;  // Reynolds number from which the coefficient is constant
constexpr double slow_fibre = 0.1;    // Reynolds number below which the fibre's law is linear

// F = k(s) w with s = |w|; `slope` = k'(s)/s.
YMIR_HD inline GasDrag directed(double k, double slope, Vec3d w) {
  return {w * k,
          {k + slope * w.x * w.x, k + slope * w.y * w.y, k + slope * w.z * w.z, slope * w.x * w.y, slope * w.x * w.z,
           slope * w.y * w.z}};
}

}  // namespace drag_law

YMIR_HD inline GasDrag sphere_drag(const Gas& gas, double diameter, Vec3d w) {
  using namespace drag_law;
  const double s = std::sqrt(dot(w, w) + 1e-24);
  const double reynolds = gas.density * s * diameter / gas.viscosity;
  if (reynolds >= fast_sphere) {
    const double b = 0.5 * gas.density * 0.44 * pi * diameter * diameter / 4;
    return directed(b * s, b / s, w);
  }
  const double stokes = 3 * pi * gas.viscosity * diameter, extra = 0.15 * std::pow(reynolds, 0.687);
  return directed(stokes * (1 + extra), stokes * 0.687 * extra / (s * s), w);
}

YMIR_HD inline FibreDrag fibre_drag(const Gas& gas, double diameter, double length, Vec3d tangent, Vec3d w,
                                    double coefficient = 1) {
  using namespace drag_law;
  const double along = dot(tangent, w);
  const Vec3d wn = w - tangent * along;
  const double s = std::sqrt(dot(wn, wn) + 1e-24);
  // k(s) = a (coefficient s + c s^(1/3)), c = 10 (mu/(rho d))^(2/3); its value at Re = 0.1 does not depend on rho.
  const double a = 0.5 * gas.density * diameter * length, linear_cube_root = 0.46415888336127786;  // 0.1^(1/3)
  const double linear = gas.viscosity * length * (0.5 * slow_fibre * coefficient + 5 * linear_cube_root);
  const bool fast = gas.density * diameter * s > slow_fibre * gas.viscosity;
  const double unit = fast ? gas.viscosity / (gas.density * diameter) : 0;
  const double c = 10 * std::cbrt(unit * unit), root = std::cbrt(s);
  const double k = fast ? a * (coefficient * s + c * root) : linear;
  const double slope = fast ? a * (coefficient + c * root / (3 * s)) / s : 0;
  FibreDrag drag{directed(k, slope, wn), {}};
  // Derivative with respect to w, not wn: k (I - tt') + slope wn wn' + kt tt'; wn is normal to t already.
  const double kt = 0.5 * linear, change = kt - k;
  drag.force += tangent * (kt * along);
  drag.derivative.xx += change * tangent.x * tangent.x;
  drag.derivative.yy += change * tangent.y * tangent.y;
  drag.derivative.zz += change * tangent.z * tangent.z;
  drag.derivative.xy += change * tangent.x * tangent.y;
  drag.derivative.xz += change * tangent.x * tangent.z;
  drag.derivative.yz += change * tangent.y * tangent.z;
  // A change d of t: wn changes by -(wn.d) t - along d, its length by -along (wn.d)/s.
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q)
      drag.by_tangent[3 * p + q] = change * (tangent[p] * wn[q] + (p == q ? along : 0)) - slope * along * wn[p] * wn[q];
  return drag;
}

}  // namespace ymir
