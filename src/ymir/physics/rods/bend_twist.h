// Bending and twisting of a discrete elastic rod at the vertex between edges e and f. [Bergou2008; Bergou2010]
//
//   kb = 2 t_e x t_f / chi, chi = 1 + t_e . t_f            curvature binormal, integrated over the vertex
//   C  = (kb . (m2e + m2f)/2, -kb . (m1e + m1f)/2, twist)  [rad]
//
// The first component bends t towards m1, the second towards m2. The mean of the two frames is used rather than each
// frame apart (four components): that form adds a spurious twist stiffness at bent vertices. Frame motion does not
// enter the derivatives of kb . m because kb is orthogonal to both tangents. The Hessian is that of the energy with
// frames transported from the present configuration.
#pragma once

#include "ymir/physics/constraints/kernel.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {

struct BendTwist {
  static constexpr int rows = 3, coordinates = 8;
  // x0 (3), angle of e, x1 (3), angle of f, x2 (3); coordinates: e = x1 - x0, angle, f = x2 - x1, angle
  static constexpr int dofs = 11;
  static constexpr std::array<Difference, 8> chain{{{4, 0}, {5, 1}, {6, 2}, {3}, {8, 4}, {9, 5}, {10, 6}, {7}}};
  // A fold (chi = 0) has infinite curvature: chi is kept above this.
  static constexpr double smallest_chi = 1e-3;

  template <class T>
  struct Geometry {
    RodEdge<T> e, f;
    T twist;
    Vec3<T> m2e, m2f, kb, tt;
    T inverse_chi;

    YMIR_HD Geometry(const RodEdge<T>& edge_e, const RodEdge<T>& edge_f, const T& twist_ef)
        : e(edge_e), f(edge_f), twist(twist_ef), m2e(cross(e.t, e.m1)), m2f(cross(f.t, f.m1)) {
      inverse_chi = 1.0 / max(dot(e.t, f.t) + 1.0, T{} + smallest_chi);
      kb = cross(e.t, f.t) * (2.0 * inverse_chi);
      tt = (e.t + f.t) * inverse_chi;
    }
  };

  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    c[0] = dot(g.kb, g.m2e + g.m2f) * 0.5;
    c[1] = dot(g.kb, g.e.m1 + g.f.m1) * -0.5;
    c[2] = g.twist;
  }

  // Derivative of kb . v with respect to the edge vectors e and f, v fixed.
  template <class T>
  YMIR_HD static void binormal_gradient(const Geometry<T>& g, const Vec3<T>& v, Vec3<T>& by_e, Vec3<T>& by_f) {
    const Vec3<T> stt = g.tt * dot(g.kb, v);
    const Vec3<T> w = v * (2.0 * g.inverse_chi);
    by_e = (cross(g.f.t, w) - stt) * g.e.inverse_length;
    by_f = (cross(w, g.e.t) - stt) * g.f.inverse_length;
  }

  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T (*j)[8]) {
    Vec3<T> by_e, by_f;
    const auto row = [&](T* out, const T& by_angle_e, const T& by_angle_f) {
      out[0] = by_e.x, out[1] = by_e.y, out[2] = by_e.z, out[3] = by_angle_e;
      out[4] = by_f.x, out[5] = by_f.y, out[6] = by_f.z, out[7] = by_angle_f;
    };
    binormal_gradient(g, (g.m2e + g.m2f) * (T{} + 0.5), by_e, by_f);
    row(j[0], dot(g.kb, g.e.m1) * -0.5, dot(g.kb, g.f.m1) * -0.5);
    binormal_gradient(g, (g.e.m1 + g.f.m1) * (T{} - 0.5), by_e, by_f);
    row(j[1], dot(g.kb, g.m2e) * -0.5, dot(g.kb, g.m2f) * -0.5);
    by_e = g.kb * (0.5 * g.e.inverse_length);
    by_f = g.kb * (0.5 * g.f.inverse_length);
    row(j[2], T{} - 1.0, T{} + 1.0);
  }

  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    // kb . v is linear in v: the sum over rows is one evaluation with a combined vector V = V_e + V_f.
    const T y1 = y[0] * 0.5, y2 = y[1] * 0.5;
    const Vec3<T> ve = g.m2e * y1 - g.e.m1 * y2, vf = g.m2f * y1 - g.f.m1 * y2, v = ve + vf;
    const Vec3<T>&te = g.e.t, &tf = g.f.t, &tt = g.tt, &kb = g.kb;
    const T s = dot(kb, v), ic = g.inverse_chi, le = g.e.inverse_length, lf = g.f.inverse_length;
    const Vec3<T> pe = cross(tf, v) * (2.0 * ic), pf = cross(v, te) * (2.0 * ic);
    const T sc = s * ic;
    // Diagonal blocks: [2 s tt tt' - sym(p, tt) - (s/chi)(I - t t') + sym(kb, V)/2 - y3 sym(kb, t + tt)/4] / l^2,
    // gathered as sym(tt, a) + sym(kb, b) + (s/chi)(t t' - I) with a = s tt - p, b = V/2 - y3 (t + tt)/4.
    const auto diagonal = [&](int at, const Vec3<T>& t, const Vec3<T>& p, const Vec3<T>& vv, const T& il) {
      const T l2 = il * il, c = sc * l2;
      const Vec3<T> a = (tt * s - p) * l2, b = (vv * (T{} + 0.5) - (t + tt) * (y[2] * 0.25)) * l2, ct = t * c;
      for (int r = 0; r < 3; ++r)
        for (int q = 0; q <= r; ++q) {
          T value = tt[r] * a[q] + tt[q] * a[r] + kb[r] * b[q] + kb[q] * b[r] + ct[r] * t[q];
          if (r == q) value -= c;
          h[packed(at + r, at + q)] += value;
        }
    };
    diagonal(0, te, pe, ve, le);
    diagonal(4, tf, pf, vf, lf);
    // H_ef = [2 s tt tt' - pe tt' - tt pf' - (s/chi)(I + te tf') - (2/chi)[V]x + y3 ((1/chi)[te]x - kb tt'/2)] / (le
    // lf); its transpose lies below the diagonal.
    const T ll = le * lf, c = sc * ll;
    const Vec3<T> a = (tt * s - pe - kb * (y[2] * 0.5)) * ll, b = (tt * s - pf) * ll, ct = te * c;
    const Vec3<T> w = (te * y[2] - v * (T{} + 2.0)) * (ic * ll);  // [w]x
    const T zero = T{} + 0.0;
    const T skew[3][3] = {{zero, -w.z, w.y}, {w.z, zero, -w.x}, {-w.y, w.x, zero}};
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q < 3; ++q) {
        T value = a[r] * tt[q] + tt[r] * b[q] - ct[r] * tf[q] + skew[r][q];
        if (r == q) value -= c;
        h[packed(4 + q, r)] += value;
      }
    // Angles.
    Vec3<T> by_e, by_f;
    binormal_gradient(g, (g.e.m1 * y1 + g.m2e * y2) * (T{} - 1.0), by_e, by_f);
    for (int r = 0; r < 3; ++r) {
      h[packed(3, r)] += by_e[r];
      h[packed(4 + r, 3)] += by_f[r];
    }
    binormal_gradient(g, (g.f.m1 * y1 + g.m2f * y2) * (T{} - 1.0), by_e, by_f);
    for (int r = 0; r < 3; ++r) {
      h[packed(7, r)] += by_e[r];
      h[packed(7, 4 + r)] += by_f[r];
    }
    h[packed(3, 3)] -= dot(kb, ve);
    h[packed(7, 7)] -= dot(kb, vf);
  }

  // What the geometry of vertex i of a rod is made of: edges i - 1 and i.
  template <class Rod>
  YMIR_HD static auto gather(const Rod& rod, int i) {
    return Geometry(rod.edge(i - 1), rod.edge(i), rod.twist(i));
  }
};

}  // namespace ymir
