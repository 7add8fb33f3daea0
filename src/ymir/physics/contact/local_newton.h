// Newton's method for one contact (coulomb_law.h): on the modified Fischer-Burmeister function [Daviet2011, A.2], and
// on Alart and Curnier's, with full and with damped steps. And the four-sided pyramid that many programs solve instead.
// None of them always ends at a solution: they return their best iterate and whether that is one.
#pragma once

#include "ymir/physics/contact/alart_curnier.h"

namespace ymir {

struct LocalResult {
  Vec3d r;              // [N s]
  bool solved = false;  // obeys_coulomb()
};

namespace detail {

// J^-1 f by cofactors; false where |det J| is that of rounding.
YMIR_HD inline bool solve3(const Mat3d& j, Vec3d f, Vec3d& x) {
  const Mat3d c = cofactor(j);
  const double det = dot(j.column[0], c.column[0]), size = std::sqrt(dot(j, j));
  if (!(std::fabs(det) > 1e-14 * size * size * size)) return false;
  x = Vec3d{dot(c.column[0], f), dot(c.column[1], f), dot(c.column[2], f)} / det;
  return true;
}

}  // namespace detail

// From r; no line search, the gradient where Newton's direction does not descend. The paper compares |F|^2/2 itself
// with its tolerance; here |F| over |b| is, F a velocity.
YMIR_HD inline LocalResult mfb_newton(const LocalContact& c, Vec3d r, double tolerance, int most = 30) {
  constexpr double sigma = 1e-3;
  const double w = mean_inverse_mass(c.w), enough = tolerance * norm(c.b);
  Vec3d best = r;
  double least = -1;
  for (int k = 0; k <= most; ++k) {
    ConeDerivatives d;
    const Vec3d f = coulomb_mfb(r, c.w * r + c.b, c.mu, w, &d);
    const double e = norm(f);
    if (!std::isfinite(e)) break;
    if (least < 0 || e < least) {
      least = e;
      best = r;
    }
    if (e <= enough || k == most) break;
    const Mat3d j = d.x + d.y * c.w;
    const Vec3d gradient = transposed(j) * f;
    Vec3d step;
    if (detail::solve3(j, -f, step)) {
      if (dot(step, gradient) > -sigma * norm(step) * norm(gradient)) step = -gradient / (w * w);
    } else {
      step = -gradient / (w * w);  // in units of r
    }
    r += step;
  }
  return {best, least >= 0 && obeys_coulomb(c, best, tolerance)};
}

// damped: a step is halved until |F| falls.
YMIR_HD inline LocalResult alart_curnier_newton(const LocalContact& c, Vec3d r, double tolerance, bool damped,
                                                int most = 30) {
  const AlartCurnierScale rho = alart_curnier_scale(c.w);
  Vec3d best = r;
  double least = local_residual(c, r);
  ConeDerivatives d;
  Vec3d f = alart_curnier(r, c.w * r + c.b, c.mu, rho, &d);
  for (int k = 0; k < most && !obeys_coulomb(c, best, tolerance); ++k) {
    Vec3d step;
    if (!detail::solve3(d.x + d.y * c.w, -f, step)) break;
    double size = norm(f), t = 1;
    for (int halving = 0;; ++halving, t /= 2) {
      const Vec3d next = r + step * t;
      f = alart_curnier(next, c.w * next + c.b, c.mu, rho, &d);
      if (!damped || norm(f) <= (1 - 1e-4 * t) * size || halving == 12) {
        r = next;
        break;
      }
    }
    const double e = local_residual(c, r);
    if (!std::isfinite(e)) break;
    if (e < least) {
      least = e;
      best = r;
    }
  }
  return {best, obeys_coulomb(c, best, tolerance)};
}

// Friction bounded per tangent, |r_T1|, |r_T2| <= mu r_N: another law than Coulomb's, up to sqrt(2) mu along the
// diagonals. Projected Gauss-Seidel on the three components; `solved`: they rest, not that Coulomb's law holds.
YMIR_HD inline LocalResult pyramid_sweeps(const LocalContact& c, Vec3d r, double tolerance, int most = 500) {
  const double w = mean_inverse_mass(c.w), enough = tolerance * norm(c.b);
  for (int k = 0; k < most; ++k) {
    double moved = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double u = (c.w * r + c.b)[axis], diagonal = c.w(axis, axis);
      if (!(diagonal > 1e-14 * w)) continue;
      const double bound = c.mu * r.x, free = r[axis] - u / diagonal;
      const double next = axis == 0 ? std::max(0.0, free) : std::min(std::max(free, -bound), bound);
      moved = std::max(moved, w * std::fabs(next - r[axis]));
      r[axis] = next;
    }
    if (moved <= enough) return {r, true};
  }
  return {r, false};
}

}  // namespace ymir
