// Three-component vector, the only vector type of the physics code.
#pragma once

#include <cmath>

#include "ymir/math/portable.h"

namespace ymir {

template <class T>
struct Vec3 {
  using Scalar = T;
  T x{}, y{}, z{};

  constexpr Vec3() = default;
  YMIR_HD constexpr Vec3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  template <class U>
  YMIR_HD explicit constexpr Vec3(const Vec3<U>& v)
      : x(static_cast<T>(v.x)), y(static_cast<T>(v.y)), z(static_cast<T>(v.z)) {}

  YMIR_HD constexpr T& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
  YMIR_HD constexpr T operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

  YMIR_HD constexpr Vec3& operator+=(Vec3 b) { return *this = *this + b; }
  YMIR_HD constexpr Vec3& operator-=(Vec3 b) { return *this = *this - b; }
  YMIR_HD constexpr Vec3& operator*=(T s) { return *this = *this * s; }

  YMIR_HD friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  YMIR_HD friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  YMIR_HD friend constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  YMIR_HD friend constexpr Vec3 operator*(Vec3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  YMIR_HD friend constexpr Vec3 operator*(T s, Vec3 a) { return a * s; }
  YMIR_HD friend constexpr Vec3 operator/(Vec3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

using Vec3d = Vec3<double>;
using Vec3f = Vec3<float>;
using Vec3i = Vec3<int>;

template <class T>
YMIR_HD constexpr T dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
YMIR_HD constexpr Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
YMIR_HD T norm(Vec3<T> a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
// Unit vector along a, or `fallback` when a has no direction.
template <class T>
YMIR_HD Vec3<T> normalized(Vec3<T> a, Vec3<T> fallback = {T(1), T(0), T(0)}) {
  const T length = norm(a);
  return length > T(0) ? a / length : fallback;
}
template <class T>
YMIR_HD constexpr Vec3<T> cwise_min(Vec3<T> a, Vec3<T> b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
template <class T>
YMIR_HD constexpr Vec3<T> cwise_max(Vec3<T> a, Vec3<T> b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
template <class T>
bool is_finite(Vec3<T> a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace ymir
