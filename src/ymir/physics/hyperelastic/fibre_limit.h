// Largest tension of fibres that a material bears, as a share of Young's modulus. A bar with fibres along it and free
// sides shortens to a stretch l, where it pushes back with
//
//   T(l) = -P_1(diag(l, t, t)) / E,   t such that P_2 = 0,  followed from l = t = 1.
//
// Beyond the largest T(l) nothing holds, and cells collapse. Looked for down to the stretch below which fibres lose
// their tension (fibre.h). Of StableNeoHookean, with k = 1 - 2 nu and u = 1/l, it is
// ((1 - k (u - 1)) u^2 - l) / (2 (1 + nu)); of StVenantKirchhoff l (1 - l^2)/2, at most 1/(3 sqrt 3).
#pragma once

#include <algorithm>

#include "ymir/math/mat3.h"
#include "ymir/physics/hyperelastic/fibre.h"
#include "ymir/physics/hyperelastic/lame.h"

namespace ymir {

template <class Material>
double fibre_limit(double poisson) {
  constexpr double part = 1e-3;  // of the stretch, from one point of the way to the next
  const auto parameters = Material::from_lame(lame(1.0, poisson));
  const auto stress = [&](double l, double t, int axis) {
    Mat3d f;
    f(0, 0) = l;
    f(1, 1) = f(2, 2) = t;
    return Material::stress(f, parameters)(axis, axis);
  };
  double most = 0, t = 1;
  for (double l = 1; l >= Fibre::crushed; l -= part) {
    double low = 0.9 * t, high = 1.1 * t;
    if (stress(l, low, 1) > 0 || stress(l, high, 1) < 0) break;  // the sides no longer hold, however far they give way
    for (int i = 0; i < 50; ++i) (stress(l, 0.5 * (low + high), 1) < 0 ? low : high) = 0.5 * (low + high);
    t = 0.5 * (low + high);
    most = std::max(most, -stress(l, t, 0));
  }
  return most;
}

}  // namespace ymir
