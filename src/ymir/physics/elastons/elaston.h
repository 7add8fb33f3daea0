// Strain and strain gradient at an elaston, a point of integration that feels stretching and bending alike in rods,
// sheets and solids. [Martin2010, 5]
//
//   F = sum_j q_j N_j,a e_a',  F,k = sum_j q_j N_j,ak e_a'       q_j: x_i and the columns of F_i of the nodes in reach
//   E = (F'F - 1)/2,  E_k = dE/dX_k = sym(F'F,k)
//   C = (E, E_1, E_2, E_3), each as (11, 22, 33, 2 23, 2 13, 2 12): [1] and [1/m]
//   energy V [w(E) + sum_k a_k^2/12 w_r(E_k)], a_k the extents [m]; w_r without stress in thin directions
//
// A constraint kernel (constraints/kernel.h) with a number of degrees of freedom known at run time: 3 per slot, 4 slots
// per node, in the order of GmlsShape.
#pragma once

#include "ymir/math/mat3.h"
#include "ymir/physics/constraints/kernel.h"

namespace ymir {

// Of one slot at the elaston. T is double or Lanes.
template <class T>
struct SlotShape {
  Vec3<T> first;
  Mat3<T> second;
};

struct Elaston {
  static constexpr int rows = 24;
  YMIR_HD static constexpr int dofs(int slots) { return 3 * slots; }
  // Row a of the six strains is the pair (first, second) of directions.
  static constexpr int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

  template <class T>
  struct Geometry {
    const SlotShape<T>* shape;
    int slots;
    Vec3<T> f[3];      // columns of F
    Vec3<T> fk[3][3];  // [k]: columns of F,k

    YMIR_HD Geometry(const SlotShape<T>* shapes, int count, const Vec3<T>* q) : shape(shapes), slots(count) {
      for (int j = 0; j < slots; ++j)
        for (int a = 0; a < 3; ++a) {
          f[a] += q[j] * shape[j].first[a];
          for (int k = 0; k < 3; ++k) fk[k][a] += q[j] * shape[j].second(a, k);
        }
    }
  };

  template <class T>
  YMIR_HD static void value(const Geometry<T>& g, T* c) {
    for (int r = 0; r < 6; ++r) {
      const int a = pair[r][0], b = pair[r][1];
      c[r] = a == b ? (dot(g.f[a], g.f[a]) - 1.0) * 0.5 : dot(g.f[a], g.f[b]);
      for (int k = 0; k < 3; ++k) {
        const T half = dot(g.f[a], g.fk[k][b]);
        c[6 + 6 * k + r] = a == b ? half : half + dot(g.fk[k][a], g.f[b]);
      }
    }
  }

  // j[row * dofs + degree of freedom]
  template <class T>
  YMIR_HD static void gradient(const Geometry<T>& g, T* j) {
    const int width = dofs(g.slots);
    for (int s = 0; s < g.slots; ++s) {
      const Vec3<T>& n = g.shape[s].first;
      const Mat3<T>& nn = g.shape[s].second;
      const auto put = [&](int row, const Vec3<T>& by) {
        for (int i = 0; i < 3; ++i) j[row * width + 3 * s + i] = by[i];
      };
      for (int r = 0; r < 6; ++r) {
        const int a = pair[r][0], b = pair[r][1];
        put(r, a == b ? g.f[a] * n[a] : g.f[a] * n[b] + g.f[b] * n[a]);
        for (int k = 0; k < 3; ++k) {
          const Vec3<T> half = g.f[a] * nn(b, k) + g.fk[k][b] * n[a];
          put(6 + 6 * k + r, a == b ? half : half + g.f[b] * nn(a, k) + g.fk[k][a] * n[b]);
        }
      }
    }
  }

  // C is quadratic: the blocks of two slots are multiples of the identity.
  template <class T>
  YMIR_HD static void add_curvature(const Geometry<T>& g, const T* y, T* h) {
    const auto stress = [&](const T* s) { return Mat3<T>{{s[0], s[5], s[4]}, {s[5], s[1], s[3]}, {s[4], s[3], s[2]}}; };
    const Mat3<T> sigma = stress(y), moment[3] = {stress(y + 6), stress(y + 12), stress(y + 18)};
    for (int i = 0; i < g.slots; ++i) {
      const SlotShape<T>& s = g.shape[i];
      Vec3<T> along = sigma * s.first;
      Mat3<T> across;
      for (int k = 0; k < 3; ++k) {
        along += moment[k] * s.second.column[k];
        across.column[k] = moment[k] * s.first;
      }
      for (int j = 0; j <= i; ++j) {
        const T value = dot(g.shape[j].first, along) + dot(g.shape[j].second, across);
        for (int k = 0; k < 3; ++k) h[packed(3 * i + k, 3 * j + k)] += value;
      }
    }
  }
};

}  // namespace ymir
