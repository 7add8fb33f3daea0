// Coulomb's law of one contact, exactly: no facets, no regularisation.
//
//   r contact impulse [N s], u relative velocity after the step [m/s], both in the basis (normal, tangent, tangent)
//   mu friction coefficient [1],  K_mu = {x : |x_T| <= mu x_N}
//
//   open   r = 0, u_N >= 0
//   stick  r in K_mu, u = 0
//   slide  |r_T| = mu r_N, u_N = 0, u_T = -a r_T, a > 0
//
// is the same as  K_mu 3 r  _|_  u~ in K_mu* = K_{1/mu}  with  u~ = u + mu |u_T| e_N  [DeSaxce1998], and that is
//
//   w r = P_K(w r - u~)   for any w > 0 [1/kg]: the natural map, P_K the projection onto K_mu.
#pragma once

#include <algorithm>
#include <cmath>

#include "ymir/math/mat3.h"

namespace ymir {

YMIR_HD inline double tangential_norm(Vec3d x) { return std::sqrt(x.y * x.y + x.z * x.z); }

YMIR_HD inline Vec3d project_on_cone(Vec3d x, double mu) {
  const double t = tangential_norm(x);
  if (t <= mu * x.x) return x;
  if (mu * t <= -x.x) return {};
  const double n = (x.x + mu * t) / (1 + mu * mu);
  const double k = t > 0 ? mu * n / t : 0;
  return {n, k * x.y, k * x.z};
}

// u + mu |u_T| e_N
YMIR_HD inline Vec3d de_saxce(Vec3d u, double mu) { return {u.x + mu * tangential_norm(u), u.y, u.z}; }

// w r - P_K(w r - u~): zero where (r, u) obeys the law; a velocity when w is 1/mass.
YMIR_HD inline Vec3d natural_map(Vec3d r, Vec3d u, double mu, double w) {
  const Vec3d x = r * w;
  return x - project_on_cone(x - de_saxce(u, mu), mu);
}

// One contact by itself: find r with u = w r + b obeying the law; w need be neither symmetric nor regular.
struct LocalContact {
  Mat3d w;  // [1/kg]
  Vec3d b;  // [m/s]
  double mu = 0;
};

// The contact's own scale of 1/mass.
YMIR_HD inline double mean_inverse_mass(const Mat3d& w) { return trace(w) / 3; }

// |natural map| [m/s] in the contact's own scale; tolerances are relative to |b|.
YMIR_HD inline double local_residual(const LocalContact& c, Vec3d r) {
  return norm(natural_map(r, c.w * r + c.b, c.mu, mean_inverse_mass(c.w)));
}
// What |natural map| may be: no less than the rounding of w r, which may exceed |b| by far where w is nearly singular;
// but impulses that are large without bound solve nothing.
YMIR_HD inline double allowed_residual(const LocalContact& c, Vec3d r, double tolerance) {
  constexpr double rounding = 4e-15, most = 1e-6;
  const double size = norm(c.b);
  return tolerance * size + std::min(rounding * mean_inverse_mass(c.w) * norm(r), most * size);
}
YMIR_HD inline bool obeys_coulomb(const LocalContact& c, Vec3d r, double tolerance) {
  return local_residual(c, r) <= allowed_residual(c, r, tolerance);
}

}  // namespace ymir
