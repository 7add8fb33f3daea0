// Energy, its gradient and its matrix of one element of a hyperelastic solid (or of four, in Lanes).
//
//   F = sum_a x_a g_a',   E = sum_q w psi(F),   dE/dx_a = sum_q w P g_a,   d2E/dx_a dx_b = sum_q w K_ab
//
// with K_ab from the tangent of the material (hyperelastic/tangent.h). Shape functions sum to 1, so node 0 follows from
// the others: all is computed in edges x_a - x_0, 6 of the 10 blocks of a tetrahedron, and momentum is conserved to the
// last digit.
#pragma once

#include "ymir/physics/elements/rest_gradients.h"
#include "ymir/physics/hyperelastic/tangent.h"

namespace ymir {

enum class TangentKind { exact, projected };

template <int Nodes, class T>
YMIR_HD Mat3<T> deformation_gradient(const Vec3<T>* x, const Vec3<T>* gradient) {
  Mat3<T> f = outer(x[1] - x[0], gradient[1]);
  for (int a = 2; a < Nodes; ++a) f += outer(x[a] - x[0], gradient[a]);
  return f;
}

template <class Material, class Element, class T, class Parameters>
YMIR_HD T element_energy(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p) {
  T sum = T{} + 0.0;
  for (int q = 0; q < Element::points; ++q)
    sum += rest.weight[q] * Material::energy(deformation_gradient<Element::nodes>(x, rest.gradient[q]), p);
  return sum;
}

// f[3 nodes] += dE/dx [N], the force that holds the element as it is; the element pulls with -f.
template <class Material, class Element, class T, class Parameters>
YMIR_HD void assemble_force(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p, T* f) {
  for (int q = 0; q < Element::points; ++q) {
    const Mat3<T> stress =
        Material::stress(deformation_gradient<Element::nodes>(x, rest.gradient[q]), p) * rest.weight[q];
    Vec3<T> others{};
    for (int a = 1; a < Element::nodes; ++a) {
      const Vec3<T> force = stress * rest.gradient[q][a];
      f[3 * a] += force.x, f[3 * a + 1] += force.y, f[3 * a + 2] += force.z;
      others += force;
    }
    f[0] -= others.x, f[1] -= others.y, f[2] -= others.z;
  }
}

// h[packed_size(3 nodes)] += d2E/dx2 [N/m], lower triangle by rows: packed(i, j), i >= j.
template <class Material, class Element, TangentKind kind = TangentKind::exact, class T, class Parameters>
YMIR_HD void assemble_matrix(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p, T* h) {
  constexpr int edges = Element::nodes - 1;
  T k[packed_size(3 * edges)] = {};
  for (int q = 0; q < Element::points; ++q) {
    const Vec3<T>* gradient = rest.gradient[q];
    const Mat3<T> f = deformation_gradient<Element::nodes>(x, gradient);
    const auto tangent = [&] {
      if constexpr (kind == TangentKind::exact)
        return Material::tangent(f, p);
      else
        return Material::projected_tangent(f, p);
    }();
    decltype(tangent.at(gradient[0])) node[edges];
    for (int a = 0; a < edges; ++a) node[a] = tangent.at(gradient[a + 1]);
    for (int a = 0; a < edges; ++a)
      for (int b = 0; b <= a; ++b) {
        const Mat3<T> block = tangent.block(node[a], node[b]) * rest.weight[q];
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < (a == b ? r + 1 : 3); ++c) k[packed(3 * a + r, 3 * b + c)] += block(r, c);
      }
  }
  // Rows and columns of node 0 make every row sum vanish.
  T first[3][3] = {};
  for (int a = 0; a < edges; ++a)
    for (int r = 0; r < 3; ++r) {
      const int row = 3 * a + r;
      T sum[3] = {};
      for (int j = 0; j < 3 * edges; ++j) {
        const T& entry = k[row >= j ? packed(row, j) : packed(j, row)];
        if (j <= row) h[packed(row + 3, j + 3)] += entry;
        sum[j % 3] += entry;
      }
      for (int c = 0; c < 3; ++c) {
        h[packed(row + 3, c)] -= sum[c];
        first[r][c] += sum[c];
      }
    }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c) h[packed(r, c)] += first[r][c];
}

// Both, f and h as above.
template <class Material, class Element, TangentKind kind = TangentKind::exact, class T, class Parameters>
YMIR_HD void assemble_element(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p, T* f,
                              T* h) {
  assemble_force<Material, Element>(x, rest, p, f);
  assemble_matrix<Material, Element, kind>(x, rest, p, h);
}

}  // namespace ymir
