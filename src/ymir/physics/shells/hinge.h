// Angle between two triangles about their common edge. [Grinspun2003]
//
//   edge x0 x1; triangles (x0, x1, x2) and (x1, x0, x3)
//   e = x1 - x0, l = |e|, t = e/l, f1 = x2 - x0, f2 = x3 - x0, b_i = f_i . t
//   n1 = e x f1, n2 = f2 x e, u_i = n_i / |n_i|^2
//   theta = atan2((n1 x n2) . t, n1 . n2)        [rad], > 0: the wings bend away from the side the normals point to
//   dtheta/dx_a = c1_a u1 + c2_a u2,  c1 = (l - b1, b1, -l, 0),  c2 = (l - b2, b2, 0, -l)
//   d2theta/dx_a dx_b = sum_i u_i (dc_ia/dx_b)' - c_ia (u_i s_ib' + s_ib u_i'),  s_ib = u_i x w_ib,  dn_i = w_ib x dx_b
//
// The last line uses that the w_ib lie in the plane of their triangle. Of all angles that differ by 2 pi, the one next
// to `expected` is taken, so that an edge may fold further than half a turn. A triangle without area has no angle: its
// hinge has theta = 0 (or the turn next to expected) and zero derivatives, and is reported by `degenerate`.
#pragma once

#include "ymir/math/lane_math.h"
#include "ymir/math/vec3.h"
#include "ymir/physics/constraints/kernel.h"

namespace ymir {

struct Hinge {
  static constexpr int rows = 1, dofs = 12, coordinates = dofs;  // x0, x1, x2, x3
  // Twice the area of a triangle over the square of its edge, below which its normal is round-off.
  static constexpr double smallest_normal = 1e-8;

  template <class T>
  struct Geometry {
    Vec3<T> t, f1, f2, u1, u2;
    T length, b1, b2, theta, valid;  // valid: 1, or 0 where degenerate

    YMIR_HD Geometry(const Vec3<T>& x0, const Vec3<T>& x1, const Vec3<T>& x2, const Vec3<T>& x3, const T& expected)
        : f1(x2 - x0), f2(x3 - x0) {
      constexpr double turn = 6.283185307179586;
      const T zero{}, one = zero + 1.0;
      const Vec3<T> e = x1 - x0, n1 = cross(e, f1), n2 = cross(f2, e);
      const T squared = dot(e, e), q1 = dot(n1, n1), q2 = dot(n2, n2);
      const T least = squared * squared * (smallest_normal * smallest_normal);
      valid = select((q1 > least) & (q2 > least), one, zero);
      length = sqrt(squared);
      t = e * (1.0 / select(squared > zero, length, one));
      u1 = n1 * (valid / select(q1 > zero, q1, one));
      u2 = n2 * (valid / select(q2 > zero, q2, one));
      b1 = dot(f1, t);
      b2 = dot(f2, t);
      theta = atan2(dot(cross(n1, n2), t) * valid, dot(n1, n2));
      theta = theta * valid - nearest((theta * valid - expected) * (1 / turn)) * turn;
    }
  };

  template <class T>
  YMIR_HD static auto degenerate(const Geometry<T>& g) {
    return g.valid < 0.5;
  }

  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    c[0] = g.theta;
  }

  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T (*j)[dofs]) {
    const Vec3<T> by[4] = {g.u1 * (g.length - g.b1) + g.u2 * (g.length - g.b2), g.u1 * g.b1 + g.u2 * g.b2,
                           g.u1 * -g.length, g.u2 * -g.length};
    for (int a = 0; a < 4; ++a)
      for (int k = 0; k < 3; ++k) j[0][3 * a + k] = by[a][k];
  }

  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    const T inverse_length = g.valid / select(g.length > T{}, g.length, T{} + 1.0);
    const Vec3<T> none{}, e = g.t * g.length;
    const auto side = [&](const Vec3<T>& u, const Vec3<T>& f, const T& b, int wing, double sign) {
      const int vertex[3] = {0, 1, wing};
      const Vec3<T> p = (f - g.t * b) * inverse_length;
      const T c[3] = {g.length - b, b, -g.length};
      // dc_a/dx_b, a >= b
      const Vec3<T> dc[6] = {p, -(g.t + p), p, g.t, -g.t, none};
      const Vec3<T> w[3] = {(f - e) * (T{} + sign), f * (T{} - sign), e * (T{} + sign)};
      const Vec3<T> yu = u * y[0];
      for (int a = 0; a < 3; ++a) {
        const Vec3<T> cu = yu * c[a];
        for (int d = 0; d <= a; ++d) {
          const Vec3<T> s = cross(u, w[d]);
          for (int r = 0; r < 3; ++r)
            for (int k = 0; k < (a == d ? r + 1 : 3); ++k)
              h[packed(3 * vertex[a] + r, 3 * vertex[d] + k)] +=
                  yu[r] * dc[packed(a, d)][k] - cu[r] * s[k] - s[r] * cu[k];
        }
      }
    };
    side(g.u1, g.f1, g.b1, 2, 1.0);
    side(g.u2, g.f2, g.b2, 3, -1.0);
  }
};

}  // namespace ymir
