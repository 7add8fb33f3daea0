// Stiffness and inertia of an elliptical cross-section with semi-axes a (along m1) and b (along m2).
#pragma once

#include <cmath>

namespace ymir {

struct CrossSection {
  double a, b;  // [m]

  double area() const { return M_PI * a * b; }                                       // [m^2]
  double bending1() const { return M_PI / 4 * a * a * a * b; }                       // second moment along m1 [m^4]
  double bending2() const { return M_PI / 4 * a * b * b * b; }                       // along m2 [m^4]
  double torsion() const { return M_PI * a * a * a * b * b * b / (a * a + b * b); }  // Saint-Venant [m^4]
  double polar() const { return bending1() + bending2(); }                           // [m^4]
};

}  // namespace ymir
