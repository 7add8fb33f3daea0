// What a hyperelastic material is: a stateless struct that models an energy density psi(F) [Pa] per rest volume.
//
//   M::Parameters<T>               constants of the model
//   M::energy(F, p)                psi, zero at rest
//   M::stress(F, p)                P = dpsi/dF, first Piola-Kirchhoff [Pa]
//   M::tangent(F, p)               d2psi/dF2
//   M::projected_tangent(F, p)     the same with its negative eigenvalues replaced by 0
//   M::add_hessian, M::project_hessian(F, p, weight, h): both as packed matrices, from Hyperelastic below
//
// A tangent is never needed as a 9x9 matrix. With F = sum x_a g_a' an element wants K_ab = d2psi/dx_a dx_b, a 3x3
// contraction with two rest gradients, and the structure of each material makes that cheap:
//
//   t.at(g)                        what t needs to know of one gradient g [1/m]: once per node
//   t.block(at(g_a), at(g_b))      K_ab: once per pair of nodes
#pragma once

#include "ymir/math/mat3.h"
#include "ymir/physics/constraints/kernel.h"

namespace ymir {

// h[45] += weight d2psi/dvecF2: lower triangle, vec F stacks columns (entry (r, c) at 3 c + r).
template <class Tangent, class T>
YMIR_HD void add_tangent(const Tangent& tangent, const T& weight, T* h) {
  const T zero = T{} + 0.0, one = T{} + 1.0;
  const decltype(tangent.at(Vec3<T>{})) axis[3] = {
      tangent.at(Vec3<T>{one, zero, zero}), tangent.at(Vec3<T>{zero, one, zero}), tangent.at(Vec3<T>{zero, zero, one})};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b) {
      const Mat3<T> block = tangent.block(axis[a], axis[b]) * weight;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < (a == b ? r + 1 : 3); ++c) h[packed(3 * a + r, 3 * b + c)] += block(r, c);
    }
}

template <class Material>
struct Hyperelastic {
  template <class T, class Parameters>
  YMIR_HD static void add_hessian(const Mat3<T>& f, const Parameters& p, const T& weight, T* h) {
    add_tangent(Material::tangent(f, p), weight, h);
  }
  template <class T, class Parameters>
  YMIR_HD static void project_hessian(const Mat3<T>& f, const Parameters& p, const T& weight, T* h) {
    add_tangent(Material::projected_tangent(f, p), weight, h);
  }
};

}  // namespace ymir
