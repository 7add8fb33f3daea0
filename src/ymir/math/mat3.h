// 3x3 matrix by columns, of numbers or Lanes: deformation gradients, stresses, frames.
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

template <class T>
struct Mat3 {
  using Scalar = T;
  Vec3<T> column[3];

  constexpr Mat3() = default;
  YMIR_HD constexpr Mat3(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) : column{a, b, c} {}

  YMIR_HD constexpr T operator()(int row, int c) const { return column[c][row]; }
  YMIR_HD constexpr T& operator()(int row, int c) { return column[c][row]; }

  YMIR_HD constexpr Mat3& operator+=(const Mat3& b) { return *this = *this + b; }
  YMIR_HD constexpr Mat3& operator-=(const Mat3& b) { return *this = *this - b; }

  YMIR_HD friend constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]};
  }
  YMIR_HD friend constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {a.column[0] - b.column[0], a.column[1] - b.column[1], a.column[2] - b.column[2]};
  }
  YMIR_HD friend constexpr Mat3 operator*(const Mat3& a, const T& s) {
    return {a.column[0] * s, a.column[1] * s, a.column[2] * s};
  }
  YMIR_HD friend constexpr Vec3<T> operator*(const Mat3& a, const Vec3<T>& v) {
    return a.column[0] * v.x + a.column[1] * v.y + a.column[2] * v.z;
  }
  YMIR_HD friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
    return {a * b.column[0], a * b.column[1], a * b.column[2]};
  }
};

using Mat3d = Mat3<double>;

YMIR_HD constexpr Mat3d identity3() { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }

template <class T>
YMIR_HD constexpr Mat3<T> transposed(const Mat3<T>& a) {
  return {{a.column[0].x, a.column[1].x, a.column[2].x},
          {a.column[0].y, a.column[1].y, a.column[2].y},
          {a.column[0].z, a.column[1].z, a.column[2].z}};
}
// a b'
template <class T>
YMIR_HD constexpr Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
// [v]x: cross_matrix(v) w = v x w
template <class T>
YMIR_HD constexpr Mat3<T> cross_matrix(const Vec3<T>& v) {
  return {{T{}, v.z, -v.y}, {-v.z, T{}, v.x}, {v.y, -v.x, T{}}};
}
template <class T>
YMIR_HD constexpr T trace(const Mat3<T>& a) {
  return a.column[0].x + a.column[1].y + a.column[2].z;
}
template <class T>
YMIR_HD constexpr T determinant(const Mat3<T>& a) {
  return dot(a.column[0], cross(a.column[1], a.column[2]));
}
// a + s I
template <class T>
YMIR_HD constexpr Mat3<T> plus_diagonal(Mat3<T> a, const T& s) {
  a.column[0].x += s;
  a.column[1].y += s;
  a.column[2].z += s;
  return a;
}
// d det / d a: inverse = transposed(cofactor) / det.
template <class T>
YMIR_HD constexpr Mat3<T> cofactor(const Mat3<T>& a) {
  return {cross(a.column[1], a.column[2]), cross(a.column[2], a.column[0]), cross(a.column[0], a.column[1])};
}
// sum of a_ij b_ij
template <class T>
YMIR_HD constexpr T dot(const Mat3<T>& a, const Mat3<T>& b) {
  return dot(a.column[0], b.column[0]) + dot(a.column[1], b.column[1]) + dot(a.column[2], b.column[2]);
}
// (a32 - a23, a13 - a31, a21 - a12)
template <class T>
YMIR_HD constexpr Vec3<T> axial(const Mat3<T>& a) {
  return {a.column[1].z - a.column[2].y, a.column[2].x - a.column[0].z, a.column[0].y - a.column[1].x};
}

}  // namespace ymir
