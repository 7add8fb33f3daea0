// Frames of discrete elastic rods. [Bergou2008, 4.2; Bergou2010, 4]
//
// An edge carries its tangent t and the material directions m1, m2 = t x m1. Frames follow the motion by parallel
// transport, in time (an edge that turns) and in space (from one edge to the next).
#pragma once

#include "ymir/math/lane_math.h"
#include "ymir/math/vec3.h"

namespace ymir {

template <class T>
struct RodEdge {
  Vec3<T> t;         // unit tangent
  T inverse_length;  // [1/m]
  Vec3<T> m1;        // unit, orthogonal to t
};

// v turned by the smallest rotation that takes the unit vector a to b. a = -b has none: v is returned as it is.
template <class T>
YMIR_HD Vec3<T> transport(const Vec3<T>& v, const Vec3<T>& a, const Vec3<T>& b) {
  const T c = dot(a, b);
  const Vec3<T> k = cross(a, b);
  const auto folded = c + 1.0 < T{} + 1e-12;
  const T s = dot(k, v) / select(folded, T{} + 1.0, c + 1.0);
  const Vec3<T> r = v * c + cross(k, v) + k * s;
  return {select(folded, v.x, r.x), select(folded, v.y, r.y), select(folded, v.z, r.z)};
}

// m made orthogonal to the unit vector t again, and of unit length.
template <class T>
YMIR_HD Vec3<T> orthonormalized(const Vec3<T>& m, const Vec3<T>& t) {
  const Vec3<T> r = m - t * dot(m, t);
  return r * (1.0 / sqrt(dot(r, r)));
}

// m turned about the unit vector t, orthogonal to it, by the angle [rad].
template <class T>
YMIR_HD Vec3<T> turned(const Vec3<T>& m, const Vec3<T>& t, const T& angle) {
  const SineCosine<T> sc = sine_cosine(angle);
  return m * sc.cosine + cross(t, m) * sc.sine;
}

// The edge after its vector became `edge` and its frame turned by `turn` about it.
template <class T>
YMIR_HD RodEdge<T> moved(const RodEdge<T>& old, const Vec3<T>& edge, const T& turn) {
  RodEdge<T> e;
  e.inverse_length = 1.0 / sqrt(dot(edge, edge));
  e.t = edge * e.inverse_length;
  e.m1 = turned(orthonormalized(transport(old.m1, old.t, e.t), e.t), e.t, turn);
  return e;
}

// Twist from edge e to edge f [rad], of the many that differ by 2 pi the one next to `expected`.
template <class T>
YMIR_HD T twist_between(const RodEdge<T>& e, const RodEdge<T>& f, const T& expected) {
  constexpr double turn = 6.283185307179586;
  const Vec3<T> u = transport(e.m1, e.t, f.t);
  const T angle = atan2(dot(cross(u, f.m1), f.t), dot(u, f.m1));
  return angle - nearest((angle - expected) * (1 / turn)) * turn;
}

// Any unit vector orthogonal to t, the same for the same t.
inline Vec3d any_normal(const Vec3d& t) {
  const double x = std::fabs(t.x), y = std::fabs(t.y), z = std::fabs(t.z);
  const Vec3d axis = x <= y && x <= z ? Vec3d{1, 0, 0} : y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  return orthonormalized(axis, t);
}

}  // namespace ymir
