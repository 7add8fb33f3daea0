// Closest points of two segments p + s d1 and q + t d2, 0 <= s, t <= 1, of numbers or lanes. Two edges are the same.
//
//   a = d1.d1, e = d2.d2, b = d1.d2, c = d1.r, f = d2.r, r = p - q
//   s = (b f - c e)/(a e - b^2) clamped; t = (b s + f)/e clamped; s = (b t - c)/a clamped
//
// The last projection changes s only where t was clamped, or where rounding had spoilt it. Parallel segments, sin^2
// below `parallel`, begin at s = 1/2: where they lie side by side the middle of the first is taken. Points are segments
// without length. (Ericson, "Real-Time Collision Detection", 2005, 5.1.9.)
#pragma once

#include "ymir/math/scalar.h"
#include "ymir/math/vec3.h"

namespace ymir {

template <class T>
struct SegmentPoints {
  T s, t;
};

template <class T, class Number>
YMIR_HD SegmentPoints<T> closest_segments(const Vec3<T>& p, const Vec3<T>& d1, const Vec3<T>& q, const Vec3<T>& d2,
                                          Number parallel, Number smallest) {
  const T zero{}, one = zero + Number(1), half = zero + Number(0.5), least = zero + smallest;
  const Vec3<T> r = p - q;
  const T a = dot(d1, d1), e = dot(d2, d2), b = dot(d1, d2), c = dot(d1, r), f = dot(d2, r);
  const T cross2 = a * e - b * b;
  const auto across = cross2 > a * e * parallel;
  const T free = min(max((b * f - c * e) / select(across, cross2, one), zero), one);
  const T first = select(across, free, half);
  const T t = min(max((b * first + f) / max(e, least), zero), one);
  return {min(max((b * t - c) / max(a, least), zero), one), t};
}

YMIR_HD inline SegmentPoints<double> closest_segments(Vec3d p, Vec3d d1, Vec3d q, Vec3d d2) {
  return closest_segments(p, d1, q, d2, 1e-12, 1e-300);
}

}  // namespace ymir
