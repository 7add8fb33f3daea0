// One Newton iteration of the backward Euler step of independent points.
//
//   solve  m (v - vn) / dt = f(v):      (m/dt I - J) dv = f - m (v - vn) / dt,   v <- v + dv
//
//   m mass [kg], dt [s], vn velocity at the start of the step, v iterate [m/s]
//   f force [N] and J = df/dv [N s/m], symmetric and negative semidefinite, both at the iterate
//
// The matrix is then symmetric positive definite and is factorised in closed form (L D L').
//
// Convergence. For drag the step minimises a strictly convex function of v (kinetic term + a |w|^2/2 + b |w|^3/3). In
// the quadratic regime plain Newton overshoots at most once, then halves the excess speed per iteration until it
// converges quadratically; no damping is needed. Iterations grow with the logarithm of the overshoot: up to 27 to a
// relative change of 1e-9 over dt = 1e-4..1e2 s, radius 1e-6..1 m, densities 1..1e4 kg/m^3 in air and water, and
// starts up to 1e4 m/s (tests/unit/physics/particle_drag_test.cpp).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ymir/physics/planes.h"

namespace ymir {

// x of A x = b for a symmetric positive definite A.
template <class T>
[[gnu::always_inline]] YMIR_HD inline Vec3<T> solve_spd(Symmetric3<T> a, Vec3<T> b) {
  const T i0 = T(1) / a.xx;
  const T l10 = a.xy * i0, l20 = a.xz * i0;
  const T i1 = T(1) / (a.yy - l10 * a.xy);
  const T s21 = a.yz - l10 * a.xz;
  const T l21 = s21 * i1;
  const T i2 = T(1) / (a.zz - l20 * a.xz - l21 * s21);
  const T y1 = b.y - l10 * b.x;
  const T z = (b.z - l20 * b.x - l21 * y1) * i2;
  const T y = y1 * i1 - l21 * z;
  return {b.x * i0 - l10 * y - l20 * z, y, z};
}

template <class T>
struct NewtonUpdate {
  Vec3<T> v;  // [m/s]
  T change;   // |dv| / (|v| + speed_scale)
};

// One point; `inertia` = m / dt [kg/s], `speed_scale` [m/s] > 0 the speed below which changes do not matter.
template <class T>
[[gnu::always_inline]] YMIR_HD inline NewtonUpdate<T> newton_update(T inertia, T speed_scale, Vec3<T> vn, Vec3<T> f,
                                                                    Symmetric3<T> j, Vec3<T> v) {
  const Symmetric3<T> a{inertia - j.xx, inertia - j.yy, inertia - j.zz, -j.xy, -j.xz, -j.yz};
  const Vec3<T> dv = solve_spd(a, f - (v - vn) * inertia);
  const Vec3<T> updated = v + dv;
  return {updated, norm(dv) / (norm(updated) + speed_scale)};
}

// Updates v of n points and returns the largest change; NaN if that of any point is not a number.
inline double newton_step(int n, double dt, double speed_scale, const double* mass, ConstVec3Planes vn,
                          ConstVec3Planes f, ConstSymmetricPlanes j, Vec3Planes v) {
  const double inverse_dt = 1 / dt;
  // Without their sign, bit patterns of doubles order like the numbers, with NaN above all: an integer maximum passes
  // NaN on, and vectorises where a floating-point one does not.
  std::int64_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < n; ++i) {
    const NewtonUpdate<double> point = newton_update(
        mass[i] * inverse_dt, speed_scale, Vec3d(vn.x[i], vn.y[i], vn.z[i]), Vec3d(f.x[i], f.y[i], f.z[i]),
        Symmetric3<double>{j.xx[i], j.yy[i], j.zz[i], j.xy[i], j.xz[i], j.yz[i]}, Vec3d(v.x[i], v.y[i], v.z[i]));
    v.x[i] = point.v.x, v.y[i] = point.v.y, v.z[i] = point.v.z;
    const std::int64_t bits = std::bit_cast<std::int64_t>(point.change) & std::numeric_limits<std::int64_t>::max();
    largest = bits > largest ? bits : largest;
  }
  return std::bit_cast<double>(largest);
}

}  // namespace ymir
