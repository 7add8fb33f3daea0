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

// Parameters of a material that differ from point to point of an element.
template <class Parameters, int Points>
struct PointParameters {
  Parameters point[Points];
};
template <class Parameters>
YMIR_HD const Parameters& parameters_at(const Parameters& p, int) {
  return p;
}
template <class Parameters, int Points>
YMIR_HD const Parameters& parameters_at(const PointParameters<Parameters, Points>& p, int q) {
  return p.point[q];
}

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
    sum += rest.weight[q] *
           Material::energy(deformation_gradient<Element::nodes>(x, rest.gradient[q]), parameters_at(p, q));
  return sum;
}

// f[3 nodes] += dE/dx [N], the force that holds the element as it is; the element pulls with -f.
template <class Material, class Element, class T, class Parameters>
YMIR_HD void assemble_force(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p, T* f) {
  for (int q = 0; q < Element::points; ++q) {
    const Mat3<T> stress =
        Material::stress(deformation_gradient<Element::nodes>(x, rest.gradient[q]), parameters_at(p, q)) *
        rest.weight[q];
    Vec3<T> others{};
    for (int a = 1; a < Element::nodes; ++a) {
      const Vec3<T> force = stress * rest.gradient[q][a];
      f[3 * a] += force.x, f[3 * a + 1] += force.y, f[3 * a + 2] += force.z;
      others += force;
    }
    f[0] -= others.x, f[1] -= others.y, f[2] -= others.z;
  }
}

// Adds a 3x3 block to a packed lower triangle, components by name: indexed ones would pass through memory.
template <class T>
YMIR_HD void add_block(const Mat3<T>& block, int row, int column, T* h) {
  const Vec3<T>&x = block.column[0], &y = block.column[1], &z = block.column[2];
  T *const r0 = h + packed(row, column), *const r1 = h + packed(row + 1, column),
           *const r2 = h + packed(row + 2, column);
  r0[0] += x.x, r1[0] += x.y, r2[0] += x.z;
  r1[1] += y.y, r2[1] += y.z, r2[2] += z.z;
  if (row == column) return;
  r0[1] += y.x, r0[2] += z.x, r1[2] += z.y;
}

// h[packed_size(3 nodes)] += d2E/dx2 [N/m], lower triangle by rows: packed(i, j), i >= j.
template <class Material, class Element, TangentKind kind = TangentKind::exact, class T, class Parameters>
YMIR_HD void assemble_matrix(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p, T* h) {
  constexpr int edges = Element::nodes - 1;
  Mat3<T> k[packed_size(edges)];
  for (int q = 0; q < Element::points; ++q) {
    const Vec3<T>* gradient = rest.gradient[q];
    const Mat3<T> f = deformation_gradient<Element::nodes>(x, gradient);
    const auto tangent = [&] {
      if constexpr (kind == TangentKind::exact)
        return Material::tangent(f, parameters_at(p, q));
      else
        return Material::projected_tangent(f, parameters_at(p, q));
    }();
    decltype(tangent.at(gradient[0])) node[edges];
    for (int a = 0; a < edges; ++a) node[a] = tangent.at(gradient[a + 1]);
    for (int a = 0; a < edges; ++a)
      for (int b = 0; b <= a; ++b) k[packed(a, b)] += tangent.block(node[a], node[b]) * rest.weight[q];
  }
  // The blocks of node 0 make every sum of rows and of columns vanish.
  Mat3<T> first;
  for (int a = 0; a < edges; ++a) {
    Mat3<T> sum;
    for (int b = 0; b < edges; ++b) sum += b <= a ? k[packed(a, b)] : transposed(k[packed(b, a)]);
    for (int b = 0; b <= a; ++b) add_block(k[packed(a, b)], 3 * a + 3, 3 * b + 3, h);
    add_block(Mat3<T>{} - sum, 3 * a + 3, 0, h);
    first += sum;
  }
  add_block(first, 0, 0, h);
}

// Both, f and h as above.
template <class Material, class Element, TangentKind kind = TangentKind::exact, class T, class Parameters>
YMIR_HD void assemble_element(const Vec3<T>* x, const RestGradients<Element, T>& rest, const Parameters& p, T* f,
                              T* h) {
  assemble_force<Material, Element>(x, rest, p, f);
  assemble_matrix<Material, Element, kind>(x, rest, p, h);
}

}  // namespace ymir
