// The one-step problem in all coordinates [Daviet2011, (3)], condensed to its contacts:
//
//   M v = H r + f,  u = H' v + w   ->   W = H' M^-1 H,  q = w + H' M^-1 f
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solvers/coulomb/coulomb_problem.h"

namespace ymir {

// Entries of a sparse matrix, each place once.
struct SparseEntries {
  std::int32_t rows = 0, columns = 0;
  std::span<const std::int32_t> row, column;
  std::span<const double> value;
};

// H has three columns per contact. Throws an Error where M is singular.
CoulombProblem condense(const SparseEntries& m, const SparseEntries& h, std::span<const double> f,
                        std::span<const double> w, std::vector<double> mu);
// W as 3x3 blocks of its entries.
CoulombProblem coulomb_problem(const SparseEntries& w, std::span<const double> q, std::vector<double> mu);

}  // namespace ymir
