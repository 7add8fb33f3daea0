// The sliding contact: |r_T| = mu r_N, u_N = 0, u_T = -a r_T with a > 0 [Daviet2011, appendix B].
//
// W = [[w_N, w'], [v, W_T]], b = (b_N, b_T), b_N < 0. Two forms, neither of which squares the equation:
//
// by the slip a: eliminating r_N = -(b_N + w.r_T) / w_N,
//   Wb = W_T - v w' / w_N,  c = b_T - v b_N / w_N,  (Wb + a I) r_T = -c,  Delta = det(Wb + a I)
//   H(a) = Delta (mu r_N - |r_T|) = mu / w_N (-b_N a^2 + (w.c - b_N tr Wb) a + w.adj(Wb) c - b_N det Wb)
//          - |adj(Wb) c + a c|
//   Its roots are those of the paper's quartic (16) without the spurious ones, which have r_N < 0. Where Wb is positive
//   definite and the contact cannot stick, H(0) < 0 < H(inf): a bracket always exists.
//
// by the direction t = (cos th, sin th) of the slip: r = r_N (1, -mu t), r_N = -b_N / (w_N - mu w.t),
//   d = w_N b_T - b_N v + mu (b_N W_T - b_T w') t,   G(th) = t x d = 0,  t.d >= 0,  w_N - mu w.t > 0
//   G is a trigonometric polynomial of degree two: a bounded search finds every root, for singular W too.
#pragma once

#include <array>

#include "ymir/physics/contact/coulomb_law.h"

namespace ymir {

// What does not depend on b: made once per contact and step.
struct SlidingBlock {
  double normal = 0;          // w_N
  double row1 = 0, row2 = 0;  // w / w_N
  double col1 = 0, col2 = 0;  // v / w_N
  double a11, a12, a21, a22;  // Wb
  double trace = 0, det = 0;  // of Wb
  bool definite = false;      // Wb positive definite, w_N > 0
};

YMIR_HD inline SlidingBlock sliding_block(const Mat3d& w) {
  SlidingBlock s{};
  s.normal = w(0, 0);
  if (!(s.normal > 1e-12 * trace(w))) return s;
  s.row1 = w(0, 1) / s.normal;
  s.row2 = w(0, 2) / s.normal;
  s.col1 = w(1, 0) / s.normal;
  s.col2 = w(2, 0) / s.normal;
  s.a11 = w(1, 1) - w(1, 0) * s.row1;
  s.a12 = w(1, 2) - w(1, 0) * s.row2;
  s.a21 = w(2, 1) - w(2, 0) * s.row1;
  s.a22 = w(2, 2) - w(2, 0) * s.row2;
  s.trace = s.a11 + s.a22;
  s.det = s.a11 * s.a22 - s.a12 * s.a21;
  s.definite = s.a11 > 0 && s.det > 1e-12 * s.trace * s.trace;
  return s;
}

// H and its parts for one b.
struct SlipEquation {
  double k2, k1, k0;      // the quadratic, times mu / w_N
  double c1, c2, g1, g2;  // c and adj(Wb) c
  double scale;           // mu

  YMIR_HD SlipEquation(const SlidingBlock& s, Vec3d b, double mu)
      : c1(b.y - s.col1 * b.x),
        c2(b.z - s.col2 * b.x),
        g1(s.a22 * c1 - s.a12 * c2),
        g2(s.a11 * c2 - s.a21 * c1),
        scale(mu) {
    const double k = mu / s.normal;
    k2 = -k * b.x;
    k1 = k2 * s.trace + mu * (s.row1 * c1 + s.row2 * c2);
    k0 = k2 * s.det + mu * (s.row1 * g1 + s.row2 * g2);
  }
  YMIR_HD double value(double a) const {
    const double y1 = g1 + a * c1, y2 = g2 + a * c2;
    return (k2 * a + k1) * a + k0 - std::sqrt(y1 * y1 + y2 * y2);
  }
  YMIR_HD double value(double a, double& slope) const {
    const double y1 = g1 + a * c1, y2 = g2 + a * c2, y = std::sqrt(y1 * y1 + y2 * y2);
    slope = 2 * k2 * a + k1 - (y > 0 ? (y1 * c1 + y2 * c2) / y : 0);
    return (k2 * a + k1) * a + k0 - y;
  }
};

// r of a sliding contact by Newton's method within a bracket, from the slip `guess` (0: none); false where H(0) >= 0.
YMIR_HD inline bool slide_by_slip(const SlidingBlock& s, Vec3d b, double mu, double guess, Vec3d& r) {
  const SlipEquation h(s, b, mu);
  if (!(h.value(0) < 0)) return false;
  double low = 0, high = guess > 0 ? guess : s.trace;
  double a = high, slope = 0, f = h.value(a, slope);
  for (int k = 0; f < 0; ++k) {
    if (k == 200 || !std::isfinite(f)) return false;
    low = high;
    high *= 4;
    a = high;
    f = h.value(a, slope);
  }
  for (int k = 0; k < 100 && high - low > 2e-16 * high; ++k) {
    const double step = f / slope;
    if (std::fabs(step) <= 1e-8 * a) {  // the error left is of the order of its square
      a -= step;
      break;
    }
    (f < 0 ? low : high) = a;
    a -= step;
    if (!(a > low && a < high)) a = low > 0 ? std::sqrt(low * high) : high / 16;
    f = h.value(a, slope);
  }
  const double delta = s.det + a * (s.trace + a);
  r = {0, -(h.g1 + a * h.c1) / delta, -(h.g2 + a * h.c2) / delta};
  r.x = tangential_norm(r) / mu;
  return is_finite(r);
}

// All directions of slip, at most four (and, where two roots nearly meet, the place between them); returns how many.
struct SlipDirections {
  std::array<Vec3d, 8> r;
  int count = 0;
};

namespace detail {

// G(th) = k0 + k1 cos th + k2 sin th + k3 cos 2th + k4 sin 2th
struct DirectionEquation {
  double k0, k1, k2, k3, k4;
  double bend;  // bound of |G''|

  YMIR_HD double value(double th, double& slope) const {
    const double c = std::cos(th), s = std::sin(th), c2 = c * c - s * s, s2 = 2 * s * c;
    slope = -k1 * s + k2 * c - 2 * k3 * s2 + 2 * k4 * c2;
    return k0 + k1 * c + k2 * s + k3 * c2 + k4 * s2;
  }
};

// The root in [low, high], where G is monotone and changes its sign.
YMIR_HD inline double direction_root(const DirectionEquation& g, double low, double high) {
  double slope = 0;
  const bool rising = g.value(high, slope) > 0;
  double th = (low + high) / 2;
  for (int k = 0; k < 80 && high - low > 1e-16; ++k) {
    const double f = g.value(th, slope);
    if (f == 0) break;
    ((f > 0) == rising ? high : low) = th;
    double next = th - f / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::fabs(next - th) <= 1e-16) break;
    th = next;
  }
  return th;
}

}  // namespace detail

YMIR_HD inline SlipDirections slip_directions(const LocalContact& contact) {
  const Mat3d& w = contact.w;
  const Vec3d b = contact.b;
  const double mu = contact.mu;
  const double c1 = w(0, 0) * b.y - b.x * w(1, 0), c2 = w(0, 0) * b.z - b.x * w(2, 0);
  const double m11 = b.x * w(1, 1) - b.y * w(0, 1), m12 = b.x * w(1, 2) - b.y * w(0, 2);
  const double m21 = b.x * w(2, 1) - b.z * w(0, 1), m22 = b.x * w(2, 2) - b.z * w(0, 2);
  detail::DirectionEquation g{mu * (m21 - m12) / 2, c2, -c1, mu * (m21 + m12) / 2, mu * (m22 - m11) / 2, 0};
  g.bend = std::sqrt(g.k1 * g.k1 + g.k2 * g.k2) + 4 * std::sqrt(g.k3 * g.k3 + g.k4 * g.k4);
  SlipDirections found;
  const auto add = [&](double th) {
    const double t1 = std::cos(th), t2 = std::sin(th), arm = w(0, 0) - mu * (w(0, 1) * t1 + w(0, 2) * t2);
    const double slip = t1 * (c1 + mu * (m11 * t1 + m12 * t2)) + t2 * (c2 + mu * (m21 * t1 + m22 * t2));
    // Slip and arm may be those of rounding below zero: whoever asked measures the error.
    if (!(arm > 0) || !(slip >= -1e-9 * g.bend) || found.count == static_cast<int>(found.r.size())) return;
    const double n = -b.x / arm;
    if (std::isfinite(n)) found.r[static_cast<std::size_t>(found.count++)] = {n, -mu * n * t1, -mu * n * t2};
  };
  // Halving intervals until the bounds of G' and G'' say that there is no root, or one.
  struct Interval {
    double middle, half;
  };
  constexpr double pi = 3.14159265358979323846, narrow = 1e-8;
  std::array<Interval, 64> open;
  int left = 0;
  for (int i = 0; i < 8; ++i) open[static_cast<std::size_t>(left++)] = {(2 * i - 7) * pi / 8, pi / 8};
  while (left > 0) {
    const Interval at = open[static_cast<std::size_t>(--left)];
    double slope = 0;
    const double value = g.value(at.middle, slope);
    if (std::fabs(value) > (std::fabs(slope) + g.bend * at.half / 2) * at.half) continue;
    if (std::fabs(slope) > g.bend * at.half) {
      double ignored = 0;
      const double low = at.middle - at.half, high = at.middle + at.half;
      const double f = g.value(low, ignored), e = g.value(high, ignored);
      if ((f <= 0) != (e <= 0)) add(detail::direction_root(g, low, high));
      continue;
    }
    if (at.half < narrow || left + 2 > static_cast<int>(open.size())) {
      add(at.middle);
      continue;
    }
    open[static_cast<std::size_t>(left++)] = {at.middle - at.half / 2, at.half / 2};
    open[static_cast<std::size_t>(left++)] = {at.middle + at.half / 2, at.half / 2};
  }
  return found;
}

}  // namespace ymir
