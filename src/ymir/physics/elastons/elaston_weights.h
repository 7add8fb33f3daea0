// Weights of elastons: moduli on (11, 22, 33, 2 23, 2 13, 2 12), symmetric 6x6 packed by rows of the lower triangle.
//
//   E: V M,  M = 2 mu 1 + lambda tr on normal strains, mu on shears [Pa]
//   E_k: V a_k^2/12 M_r, M_r = M minimised over the normal strains of thin directions: plane stress in sheets, uniaxial
//   stress in rods. With M itself a rod of nu = .3 reaches .65 to .69 of its deflection, at every resolution.
#pragma once

#include "ymir/physics/constraints/minimised_rows.h"

namespace ymir {

using ElasticModuli = std::array<double, packed_size(6)>;

YMIR_HD inline ElasticModuli isotropic_solid(double young, double poisson) {
  const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  ElasticModuli m{};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < a; ++b) m[packed(a, b)] = lambda;
    m[packed(a, a)] = 2 * mu + lambda;
    m[packed(3 + a, 3 + a)] = mu;
  }
  return m;
}

// thin[k]: the body is thin along axis k.
YMIR_HD inline ElasticModuli without_thin_stress(const ElasticModuli& m, const bool* thin) {
  const double gone[6] = {thin[0] ? 1.0 : 0.0, thin[1] ? 1.0 : 0.0, thin[2] ? 1.0 : 0.0, 0, 0, 0};
  return minimised_over<6>(m, gone);
}

}  // namespace ymir
