// A piece of a rod whose curvatures u = (u1, u2, u3) [1/m] about its own directions (m1, m2, t) are constant: a helix.
// [Bertails2006, 3.1 and appendix]
//
// The frame R = (m1 m2 t) obeys R' = R K, K = [u]x. From the frame at its beginning, after an arc length s [m], w =
// |u|:
//
//   R(s) = I + A K + B K^2,        A = sin(ws)/w,  B = (1 - cos ws)/w^2,  D = (ws - sin ws)/w^3
//   Theta(s) = int R = s I + B K + D K^2: its columns are int m1, int m2 and int t, the last one the centre line
//
// Theta(s) is also how the frame at s turns with u: dR = [Theta du]x R, and its derivatives by u are those of the
// shape. All are series in z = (ws)^2 of c_k(z) = sum (-z)^j / (2j + k)!, which know no small angle: A = s c1, B = s^2
// c2, D = s^3 c3, dc_k/dz = -(c_{k+1} - k c_{k+2})/2.
#pragma once

#include <cmath>

#include "ymir/math/mat3.h"

namespace ymir {

// c_0 to c_7 at z >= 0. Upwards by c_{k+2} = (1/k! - c_k)/z where that loses no digits, downwards from series
// otherwise.
struct HelixSeries {
  double c[8];

  YMIR_HD explicit HelixSeries(double z) {
    constexpr double inverse_factorial[8] = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
    constexpr double switch_at = 4;
    if (z > switch_at) {
      const double x = std::sqrt(z);
      c[0] = std::cos(x);
      c[1] = std::sin(x) / x;
      for (int k = 0; k < 6; ++k) c[k + 2] = (inverse_factorial[k] - c[k]) / z;
      return;
    }
    for (int k = 6; k < 8; ++k) {
      constexpr int terms = 11;
      double sum = 1;  // Horner, of the series by its first term
      for (int j = terms; j > 0; --j) sum = 1 - sum * z / ((2 * j + k) * (2 * j + k - 1));
      c[k] = sum * inverse_factorial[k];
    }
    for (int k = 5; k >= 0; --k) c[k] = inverse_factorial[k] - z * c[k + 2];
  }
  YMIR_HD double first(int k) const { return -0.5 * (c[k + 1] - k * c[k + 2]); }           // dc_k/dz
  YMIR_HD double second(int k) const { return -0.5 * (first(k + 1) - k * first(k + 2)); }  // k <= 3
};

class HelixArc {
 public:
  YMIR_HD HelixArc(Vec3d u, double s) : u_(u), w2_(dot(u, u)), s_(s) {
    const HelixSeries f(w2_ * s * s);
    const double s2 = s * s, s3 = s2 * s;
    a_ = s * f.c[1];
    b_ = s2 * f.c[2];
    d_ = s3 * f.c[3];
    b1_ = s2 * s2 * f.first(2);  // dB/d(w^2)
    d1_ = s2 * s3 * f.first(3);
    b2_ = s3 * s3 * f.second(2);
    d2_ = s2 * s2 * s3 * f.second(3);
  }

  YMIR_HD Mat3d rotation() const { return combined(1, a_, b_); }
  YMIR_HD Mat3d integral() const { return combined(s_, b_, d_); }  // Theta
  YMIR_HD Vec3d end() const { return column(2); }                  // of the centre line, in the frame at the beginning

  // d Theta / du_j, its column i.
  YMIR_HD Vec3d gradient(int i, int j) const {
    const Vec3d ei = axis(i), ej = axis(j);
    return cross(u_, ei) * (2 * u_[j] * b1_) + cross(ej, ei) * b_ + bent(i) * (2 * u_[j] * d1_) + bent_by(i, j) * d_;
  }
  // d2 end / du_j du_k.
  YMIR_HD Vec3d curvature(int j, int k) const {
    constexpr int i = 2;
    const Vec3d ei = axis(i), ej = axis(j), ek = axis(k);
    const double same = j == k ? 2 : 0, both = 4 * u_[j] * u_[k];
    const Vec3d twice = ej * (k == i ? 1.0 : 0.0) + ek * (j == i ? 1.0 : 0.0) - ei * same;
    return cross(u_, ei) * (same * b1_ + both * b2_) + cross(ek * u_[j] + ej * u_[k], ei) * (2 * b1_) +
           bent(i) * (same * d1_ + both * d2_) + (bent_by(i, k) * u_[j] + bent_by(i, j) * u_[k]) * (2 * d1_) +
           twice * d_;
  }

 private:
  YMIR_HD static Vec3d axis(int i) { return {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0}; }
  YMIR_HD Vec3d bent(int i) const { return u_ * u_[i] - axis(i) * w2_; }  // K^2 e_i
  YMIR_HD Vec3d bent_by(int i, int j) const {
    return axis(j) * u_[i] + u_ * (i == j ? 1.0 : 0.0) - axis(i) * (2 * u_[j]);
  }
  YMIR_HD Vec3d column(int i) const { return axis(i) * s_ + cross(u_, axis(i)) * b_ + bent(i) * d_; }
  YMIR_HD Mat3d combined(double one, double k, double k2) const {
    Mat3d m;
    for (int i = 0; i < 3; ++i) m.column[i] = axis(i) * one + cross(u_, axis(i)) * k + bent(i) * k2;
    return m;
  }

  Vec3d u_;
  double w2_, s_;
  double a_, b_, d_, b1_, d1_, b2_, d2_;
};

}  // namespace ymir
