// Measured tension of a fabric as a monotone piecewise cubic of its strain. [Fritsch1980; Volino2009]
//
//   stress(C) by cubic Hermite pieces between the points, straight beyond them; energy = integral of stress from the
//   first point;  y = A h stress, W = A h stiffness replace W C and W of a row of Membrane
//
// Monotone points (stress never falling) give a monotone curve: stiffness >= 0, so that the matrix stays definite.
#pragma once

#include <cmath>

#include "ymir/math/lane_math.h"

namespace ymir {

struct TensileCurve {
  static constexpr int capacity = 16;
  int points = 0;
  double strain[capacity], stress[capacity];  // [1], [Pa] (or [N/m])
  double slope[capacity], energy[capacity];   // d stress/d strain and the integral of stress, at the points
};

template <class T>
struct TensileResponse {
  T energy, stress, stiffness;
};

// Points of rising strain and never falling stress; 2 to capacity of them.
YMIR_HD inline TensileCurve tensile_curve(const double* strain, const double* stress, int points) {
  TensileCurve c;
  c.points = points;
  const auto secant = [&](int k) { return (stress[k + 1] - stress[k]) / (strain[k + 1] - strain[k]); };
  for (int k = 0; k < points; ++k) {
    c.strain[k] = strain[k];
    c.stress[k] = stress[k];
    const double before = secant(k > 0 ? k - 1 : 0), after = secant(k + 1 < points ? k : points - 2);
    c.slope[k] = before * after > 0 ? 0.5 * (before + after) : 0;
  }
  // Slopes within the circle of radius 3 secants keep the cubic monotone.
  for (int k = 0; k + 1 < points; ++k) {
    const double s = secant(k), size = std::hypot(c.slope[k], c.slope[k + 1]);
    if (size > 3 * s) {
      c.slope[k] *= 3 * s / size;
      c.slope[k + 1] *= 3 * s / size;
    }
  }
  c.energy[0] = 0;
  for (int k = 0; k + 1 < points; ++k) {
    const double h = strain[k + 1] - strain[k];
    c.energy[k + 1] = c.energy[k] + h * (stress[k] + stress[k + 1]) / 2 + h * h * (c.slope[k] - c.slope[k + 1]) / 12;
  }
  return c;
}

template <class T>
YMIR_HD TensileResponse<T> respond(const TensileCurve& curve, const T& strain) {
  // Before the first point; every piece that begins below the strain then overwrites the piece before.
  const T first = strain - curve.strain[0];
  TensileResponse<T> r{first * (curve.stress[0] + first * (0.5 * curve.slope[0])),
                       curve.stress[0] + first * curve.slope[0], T{} + curve.slope[0]};
  for (int k = 0; k < curve.points; ++k) {
    const bool last = k + 1 == curve.points;
    const double h = last ? 1 : curve.strain[k + 1] - curve.strain[k], m0 = curve.slope[k];
    const double secant = last ? m0 : (curve.stress[k + 1] - curve.stress[k]) / h, m1 = last ? m0 : curve.slope[k + 1];
    // stress = s0 + m0 z + a z^2 + b z^3
    const double s0 = curve.stress[k], a = (3 * secant - 2 * m0 - m1) / h, b = (m0 + m1 - 2 * secant) / (h * h);
    const T z = strain - curve.strain[k];
    const auto above = z >= T{};
    r.stress = select(above, s0 + z * (m0 + z * (a + z * b)), r.stress);
    r.stiffness = select(above, m0 + z * (2 * a + z * (3 * b)), r.stiffness);
    r.energy = select(above, curve.energy[k] + z * (s0 + z * (m0 / 2 + z * (a / 3 + z * (b / 4)))), r.energy);
  }
  r.stiffness = max(r.stiffness, T{});  // round-off where the curve is flat
  return r;
}

}  // namespace ymir
