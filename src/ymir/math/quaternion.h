// Unit quaternions as rotations of space: (a * b) rotates by b first, then by a.
#pragma once

#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir {

struct Quaternion {
  double w = 1;
  Vec3d v{0, 0, 0};

  YMIR_HD friend constexpr Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - dot(a.v, b.v), b.v * a.w + a.v * b.w + cross(a.v, b.v)};
  }
  friend constexpr bool operator==(const Quaternion&, const Quaternion&) = default;
};

YMIR_HD constexpr Quaternion conjugate(const Quaternion& q) { return {q.w, -q.v}; }
YMIR_HD constexpr double dot(const Quaternion& a, const Quaternion& b) { return a.w * b.w + dot(a.v, b.v); }
YMIR_HD inline Quaternion normalized(const Quaternion& q) {
  const double length = std::sqrt(dot(q, q));
  return {q.w / length, q.v / length};
}

YMIR_HD constexpr Vec3d rotate(const Quaternion& q, Vec3d x) {
  const Vec3d t = cross(q.v, x) * 2.0;
  return x + t * q.w + cross(q.v, t);
}

// Rotation by |r| radians about r, and its inverse with 0 <= |r| <= pi.
YMIR_HD inline Quaternion quaternion_exp(Vec3d r) {
  const double angle = norm(r);
  // sin(angle / 2) / angle, from its series where the quotient loses digits.
  const double factor = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(0.5 * angle) / angle;
  return {std::cos(0.5 * angle), r * factor};
}
YMIR_HD inline Vec3d quaternion_log(const Quaternion& q) {
  const double sine = norm(q.v);
  if (sine < 1e-12) return q.v * (q.w < 0 ? -2.0 : 2.0);
  const double half = std::atan2(sine, std::fabs(q.w));
  return q.v * ((q.w < 0 ? -2.0 : 2.0) * half / sine);
}

// Angles [rad] about the fixed axes x, then y, then z.
YMIR_HD inline Quaternion quaternion_from_angles(Vec3d angles) {
  return quaternion_exp({0, 0, angles.z}) * quaternion_exp({0, angles.y, 0}) * quaternion_exp({angles.x, 0, 0});
}

// The shorter way from a (s = 0) to b (s = 1) at constant angular velocity.
YMIR_HD inline Quaternion slerp(const Quaternion& a, const Quaternion& b, double s) {
  return quaternion_exp(quaternion_log(b * conjugate(a)) * s) * a;
}

}  // namespace ymir
