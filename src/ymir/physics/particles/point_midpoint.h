// The step of independent points in prescribed fields: implicit midpoint, with an end velocity that drag cannot make
// ring.
//
//   m (w - vn) / (dt/2) = f(x, w, t + dt/2),   x = xn + dt/2 w      w: velocity in the middle of the step
//   x_n+1 = xn + dt w
//   v_n+1 = w + e (w - vn),   e = (1 + h + h^2/3) / D,   D = 1 + h + h^2/2 + h^3/6,
//   h = -dt (d' J d) / (m d'd),   d = w - vn,   J = df/dv
//
// The middle is a backward Euler step of half the length, so the solver of the whole step serves (point_newton.h).
// Where drag is stiff w is the velocity of the air at x, and points go on closed orbits in a vortex: x_n+1 is the
// implicit midpoint of x' = u(x). Plain midpoint (e = 1) keeps a velocity that differs from the air's for ever, with
// changing sign; with e as above the difference decays by 1/D per step: nearly exp(-h), positive, and zero in the limit
// of stiff drag. A velocity at rest (w = vn), such as a terminal one, stays: exact at any step.
#pragma once

#include "ymir/physics/planes.h"

namespace ymir {

// x <- xn + dt/2 w.
inline void middle_positions(int n, double dt, ConstVec3Planes xn, ConstVec3Planes w, Vec3Planes x) {
  const double half = 0.5 * dt;
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    x.x[i] = xn.x[i] + half * w.x[i];
    x.y[i] = xn.y[i] + half * w.y[i];
    x.z[i] = xn.z[i] + half * w.z[i];
  }
}

// v_n+1 of one point.
[[gnu::always_inline]] YMIR_HD inline Vec3d end_velocity(double dt, double mass, Vec3d vn, Vec3d w,
                                                         Symmetric3<double> j) {
  const Vec3d d = w - vn;
  const double square = dot(d, d);
  const double damping = -dot(d, j * d) * dt;
  const double h = square > 0 && damping > 0 ? damping / (mass * square) : 0;
  // Beyond it the difference is gone, and h^3 does not overflow.
  const double b = h < 1e100 ? h : 1e100;
  return w + d * ((1 + b + b * b / 3) / (1 + b + b * b / 2 + b * b * b / 6));
}

inline void end_velocities(int n, double dt, const double* mass, ConstVec3Planes vn, ConstVec3Planes w,
                           ConstSymmetricPlanes j, Vec3Planes v) {
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    const Vec3d end = end_velocity(dt, mass[i], Vec3d(vn.x[i], vn.y[i], vn.z[i]), Vec3d(w.x[i], w.y[i], w.z[i]),
                                   Symmetric3<double>{j.xx[i], j.yy[i], j.zz[i], j.xy[i], j.xz[i], j.yz[i]});
    v.x[i] = end.x, v.y[i] = end.y, v.z[i] = end.z;
  }
}

}  // namespace ymir
