// The one-step problem of exact Coulomb contact [Daviet2011, (4)]:
//
//   u = W r + q,  (r_i, u_i) obey Coulomb's law with mu_i for every contact i   (physics/contact/coulomb_law.h)
//
//   W = H M^-1 H' [1/kg] in 3x3 blocks, rows of blocks; it need not be symmetric, nor regular
//   q relative velocity without contact impulses [m/s], r contact impulses [N s], basis (normal, tangent, tangent)
//
// Adhesion c_i >= 0 [N s] moves the apex of the cone: r_N >= |r_T| / mu - c. With r + c e_N in the place of r it is the
// same problem, q less W c e_N.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ymir/math/mat3.h"

namespace ymir {

struct CoulombProblem {
  std::vector<std::int64_t> starts{0};  // blocks starts[i] .. starts[i + 1] are row i
  std::vector<std::int32_t> columns;    // ascending within a row
  std::vector<Mat3d> blocks;            // [1/kg]
  std::vector<Vec3d> q;                 // [m/s]
  std::vector<double> mu;               // [1]
  std::vector<double> adhesion;         // [N s], or empty: none

  std::int32_t contacts() const { return static_cast<std::int32_t>(q.size()); }
  // u = W r + q
  std::vector<Vec3d> velocities(const std::vector<Vec3d>& r) const;
  // What makes the problem meaningless, naming the contact; empty: nothing.
  std::string defect() const;
};

// A block of W at (row, column); blocks at one place are added.
struct CoulombBlock {
  std::int32_t row, column;
  Mat3d value;
};
CoulombProblem coulomb_problem(std::vector<CoulombBlock> blocks, std::vector<Vec3d> q, std::vector<double> mu);

// How far (r, W r + q) is from Coulomb's law.
struct CoulombErrors {
  double scaled = 0;   // E_s = |e| / |q|, e_i = w_i r_i - P_K(w_i r_i - u~_i), w_i = tr W_ii / 3
  double natural = 0;  // Siconos' relative natural map, |r - P_K(r - u~)| / max(|q|, |r|, |u|): mixes units
  double impulse = 0;  // max w_i |r_i| / max |q_i|
  std::vector<std::int32_t> worst;  // contacts by |e_i|, the worst first; of those with an error at all
};
CoulombErrors coulomb_errors(const CoulombProblem& problem, const std::vector<Vec3d>& r, int worst = 5);

}  // namespace ymir
