// Modified Fischer-Burmeister function of the second-order cone and of Coulomb's law [Daviet2011, (12), (15), A.1].
//
//   x o y = (x.y, x_N y_T + y_N x_T),   f(x, y) = x + y - (x o x + y o y)^(1/2),   f = 0  <=>  K 3 x _|_ y in K
//
// Coulomb's law is f(x, y) = 0 for x = w (m r_N, r_T / m), y = (u~_N / m, m u_T), m = sqrt(mu), u~ as in coulomb_law.h:
// the paper's variables over m, which keeps large and small mu apart from neither side. w [1/kg] makes x a velocity.
//
// Two formulas differ from the paper's appendix A.1: L of the derivative is that of (x o x + y o y)^(1/2), not of its
// square, and on the boundary of the cone x_N is divided by the root of x_N^2 + y_N^2 (f is homogeneous of degree one).
#pragma once

#include "ymir/physics/contact/coulomb_law.h"

namespace ymir {

struct ConeDerivatives {
  Mat3d x, y;
};

namespace detail {

// L_x y = x o y
YMIR_HD inline Mat3d jordan_matrix(Vec3d x) { return {{x.x, x.y, x.z}, {x.y, x.x, 0}, {x.z, 0, x.x}}; }

YMIR_HD inline Mat3d scaled_columns(const Mat3d& a, double n, double t) {
  return {a.column[0] * n, a.column[1] * t, a.column[2] * t};
}

}  // namespace detail

// f(x, y); its derivatives where asked for. At x = y = 0 an element of the generalised Jacobian is taken.
YMIR_HD inline Vec3d fischer_burmeister(Vec3d x, Vec3d y, ConeDerivatives* d) {
  constexpr double on_boundary = 1e-7;  // of s1 / s2: s1^2 is known to 1e-16 s2^2 only
  const double n = dot(x, x) + dot(y, y);
  const double a1 = x.x * x.y + y.x * y.y, a2 = x.x * x.z + y.x * y.z;
  const double a = std::sqrt(a1 * a1 + a2 * a2);
  const double s1 = std::sqrt(std::max(0.0, n - 2 * a)), s2 = std::sqrt(n + 2 * a);
  const double e1 = a > 0 ? a1 / a : 1, e2 = a > 0 ? a2 / a : 0;
  const Vec3d s{(s1 + s2) / 2, (s2 - s1) / 2 * e1, (s2 - s1) / 2 * e2};
  if (d != nullptr) {
    if (!(s2 > 0)) {
      const double k = 1 - std::sqrt(0.5);
      d->x = d->y = identity3() * k;
    } else if (s1 <= on_boundary * s2) {
      const double h = std::sqrt(x.x * x.x + y.x * y.x);
      d->x = identity3() * (1 - x.x / h);
      d->y = identity3() * (1 - y.x / h);
    } else {
      const double det = s1 * s2, k = 1 / s.x;
      const Mat3d inverse = Mat3d{{s.x, -s.y, -s.z},
                                  {-s.y, (det + s.y * s.y) * k, s.y * s.z * k},
                                  {-s.z, s.y * s.z * k, (det + s.z * s.z) * k}} *
                            (1 / det);
      d->x = identity3() - inverse * detail::jordan_matrix(x);
      d->y = identity3() - inverse * detail::jordan_matrix(y);
    }
  }
  return x + y - s;
}

// F(r, u) and, where asked for, dF/dr and dF/du (each with the other held). mu = 0: the scalar function on (w r_N, u_N)
// and F_T = w r_T (8a).
YMIR_HD inline Vec3d coulomb_mfb(Vec3d r, Vec3d u, double mu, double w, ConeDerivatives* d) {
  if (!(mu > 0)) {
    const double x = w * r.x, h = std::sqrt(x * x + u.x * u.x);
    if (d != nullptr) {
      const double k = 1 - std::sqrt(0.5);
      d->x = {{w * (h > 0 ? 1 - x / h : k), 0, 0}, {0, w, 0}, {0, 0, w}};
      d->y = {{h > 0 ? 1 - u.x / h : k, 0, 0}, {}, {}};
    }
    return {x + u.x - h, w * r.y, w * r.z};
  }
  const double m = std::sqrt(mu), t = tangential_norm(u);
  const Vec3d x{w * m * r.x, w * r.y / m, w * r.z / m}, y{(u.x + mu * t) / m, m * u.y, m * u.z};
  ConeDerivatives cone;
  const Vec3d f = fischer_burmeister(x, y, d != nullptr ? &cone : nullptr);
  if (d != nullptr) {
    d->x = detail::scaled_columns(cone.x, w * m, w / m);
    d->y = detail::scaled_columns(cone.y, 1 / m, m);
    if (t > 0) {  // d y_N = m u_T . du_T / |u_T|; zero is taken where u_T = 0
      d->y.column[1] += cone.y.column[0] * (m * u.y / t);
      d->y.column[2] += cone.y.column[0] * (m * u.z / t);
    }
  }
  return f;
}

}  // namespace ymir
