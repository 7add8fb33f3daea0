// Elementary functions of Lanes<double, N>, lane by lane and without branches; errors below 4e-16 relative.
// Their scalar twins are in scalar.h.
#pragma once

#include <array>
#include <cmath>

#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"

namespace ymir {

// Nearest integer, for |a| < 2^51: adding 1.5 * 2^52 leaves no room for a fraction.
template <int N>
Lanes<double, N> nearest(const Lanes<double, N>& a) {
  constexpr double magic = 6755399441055744.0;
  return (a + magic) - magic;
}
YMIR_HD inline double nearest(double a) { return std::nearbyint(a); }

// c[0] + c[1] z + c[2] z^2 + ...
template <int N, std::size_t Terms>
Lanes<double, N> polynomial(const Lanes<double, N>& z, const std::array<double, Terms>& c) {
  using T = Lanes<double, N>;
  T p = T::all(c[Terms - 1]);
  for (std::size_t k = Terms - 1; k-- > 0;) p = mul_add(p, z, T::all(c[k]));
  return p;
}

template <class T>
struct SineCosine {
  T sine, cosine;
};

inline SineCosine<double> sine_cosine(double a) { return {std::sin(a), std::cos(a)}; }

// For |a| up to about 1e5: pi/2 is subtracted in two parts.
template <int N>
SineCosine<Lanes<double, N>> sine_cosine(const Lanes<double, N>& a) {
  using T = Lanes<double, N>;
  constexpr double high = 1.5707963267948966, low = 6.123233995736766e-17;  // pi/2
  const T n = nearest(a * (1 / high));
  const T r = mul_add(n, T::all(-low), mul_add(n, T::all(-high), a));
  const T z = r * r;
  // Taylor series to r^17 and r^16: the next terms are below 1e-17 for |r| <= pi/4.
  static constexpr std::array sine_terms{
      -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
      -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
  static constexpr std::array cosine_terms{-1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
                                           -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  const T s = mul_add(polynomial(z, sine_terms) * z, r, r);
  const T c = mul_add(polynomial(z, cosine_terms), z, T::all(1));
  // Quadrant q of {-2, ..., 2}: odd ones swap sine and cosine.
  const T q = n - 4.0 * nearest(n * 0.25);
  const auto odd = (abs(q) > 0.5) & (abs(q) < 1.5);
  const T sine = select(odd, c, s), cosine = select(odd, s, c);
  return {select((abs(q) > 1.5) | (q < -0.5), -sine, sine), select((abs(q) > 1.5) | (q > 0.5), -cosine, cosine)};
}

// Angle of the point (x, y) in [-pi, pi]; 0 at the origin.
template <int N>
Lanes<double, N> atan2(const Lanes<double, N>& y, const Lanes<double, N>& x) {
  using T = Lanes<double, N>;
  const T ax = abs(x), ay = abs(y);
  const T large = max(ax, ay);
  const T a = min(ax, ay) / select(large > 0.0, large, 1.0);  // in [0, 1]
  // atan a = atan c + atan t, c the nearest quarter, t = (a - c)/(1 + a c), |t| <= 1/8
  const T c = nearest(a * 4.0) * 0.25;
  const T t = (a - c) / mul_add(a, c, T::all(1));
  const T z = t * t;
  static constexpr std::array terms{-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
  T angle = mul_add(polynomial(z, terms) * z, t, t);
  angle +=
      select(c > 0.9, 0.7853981633974483,
             select(c > 0.6, T::all(0.6435011087932844),
                    select(c > 0.3, T::all(0.4636476090008061), select(c > 0.1, T::all(0.24497866312686414), 0.0))));
  angle = select(ay > ax, 1.5707963267948966 - angle, angle);
  angle = select(x < 0.0, 3.141592653589793 - angle, angle);
  return select(y < 0.0, -angle, angle);
}

template <int N>
Lanes<double, N> exp(Lanes<double, N> a) {
  for (int i = 0; i < N; ++i) a.set(i, std::exp(a[i]));
  return a;
}

template <int N>
Lanes<double, N> logarithm(Lanes<double, N> a) {
  for (int i = 0; i < N; ++i) a.set(i, std::log(a[i]));
  return a;
}

}  // namespace ymir
