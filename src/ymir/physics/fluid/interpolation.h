// Interpolation between samples one voxel apart, t in [0, 1] from the lower one. [method notes C, 6]
// T is a number or Lanes; equal samples give exactly their value, and t = 0 gives exactly the lower sample.
#pragma once

#include "ymir/math/scalar.h"

namespace ymir {

template <class T>
YMIR_HD T linear(const T& a, const T& b, const T& t) {
  return mul_add(t, b - a, a);
}

// c[z][y][x]
template <class T>
YMIR_HD T trilinear(const T (&c)[2][2][2], const T& tx, const T& ty, const T& tz) {
  const T low = linear(linear(c[0][0][0], c[0][0][1], tx), linear(c[0][1][0], c[0][1][1], tx), ty);
  const T high = linear(linear(c[1][0][0], c[1][0][1], tx), linear(c[1][1][0], c[1][1][1], tx), ty);
  return linear(low, high, tz);
}

// Catmull-Rom cubic between f[1] and f[2], made monotone: with D = f[2] - f[1] both end slopes are clipped to
// [0, 3 D]. Setting slopes of the wrong sign to 0 alone (Fedkiw 2001) still overshoots.
template <class T>
YMIR_HD T monotone_cubic(const T (&f)[4], const T& t) {
  const T difference = f[2] - f[1];
  const T steepest = difference * 3;
  const T zero = difference * 0;
  const T low = min(steepest, zero), high = max(steepest, zero);
  const T d0 = min(max((f[2] - f[0]) * 0.5f, low), high);
  const T d1 = min(max((f[3] - f[1]) * 0.5f, low), high);
  const T second = steepest - (d0 + d0) - d1;
  const T third = d0 + d1 - (difference + difference);
  return mul_add(t, mul_add(t, mul_add(t, third, second), d0), f[1]);
}

}  // namespace ymir
