// Length of an edge: C = |x1 - x0| - L. [Lesser2022, 6.3, Distance Constraint]
#pragma once

#include "ymir/math/lane_math.h"
#include "ymir/math/vec3.h"
#include "ymir/physics/constraints/kernel.h"

namespace ymir {

struct Stretch {
  static constexpr int rows = 1, coordinates = 3;
  // Degrees of freedom as a rod orders them: x0 (3), twist angle of the edge, x1 (3).
  static constexpr int dofs = 7;
  static constexpr std::array<Difference, 3> chain{{{4, 0}, {5, 1}, {6, 2}}};

  template <class T>
  struct Geometry {
    Vec3<T> t;
    T inverse_length;
  };
  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    c[0] = 1.0 / g.inverse_length;
  }
  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T (*j)[3]) {
    j[0][0] = g.t.x;
    j[0][1] = g.t.y;
    j[0][2] = g.t.z;
  }
  // y (I - t t')/l
  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    const T s = y[0] * g.inverse_length;
    const Vec3<T> st = g.t * s;
    h[0] += s - st.x * g.t.x;
    h[1] -= st.y * g.t.x;
    h[2] += s - st.y * g.t.y;
    h[3] -= st.z * g.t.x;
    h[4] -= st.z * g.t.y;
    h[5] += s - st.z * g.t.z;
  }
  // What the geometry of edge i of a rod is made of.
  template <class Rod>
  YMIR_HD static auto gather(const Rod& rod, int i) {
    const auto e = rod.edge(i);
    return Geometry<decltype(e.inverse_length)>{e.t, e.inverse_length};
  }
};

}  // namespace ymir
