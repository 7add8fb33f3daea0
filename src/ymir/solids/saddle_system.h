// The saddle point of small blocks and hard rows, by a sparse LDL' (direct.h).
//
//   [A + J'RJ  J'] [d ]   [ b + J'R t ]      D: compliance of rows, 0 of hard ones; rows that are left out have none of
//   J [J        -D ] [dl] = [ t         ]
//
// A chain of n bodies welded to each other is n^4 times softer than one of its joints: penalties that hold the joints
// leave the chain loose, or take all digits. Multipliers of their own do neither. R, moderate beside each row's own
// compliance, changes nothing but what is eliminated on the way: a lever that a large force makes unstable by itself is
// held. As many negative pivots as rows say that A is definite in all that the rows leave open.
//
// Rounds of refinement against the rows as they are bring back what round-off took, and what rows that are held twice
// were given to tell them apart.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ymir/solids/bounded_rows.h"
#include "ymir/solids/coupled_rows.h"
#include "ymir/solvers/block_matrix.h"
#include "ymir/solvers/direct.h"

namespace ymir {

class SaddleSystem {
 public:
  // a: A; own: compliance of each hard row by itself; rows: what is held. multipliers: A has some of its own.
  Solved factor(const BlockMatrix& a, std::span<const CoupledRows> coupled, std::span<const double> own,
                const BoundedRows& rows, bool multipliers);
  // Sets rows.change where it is not given.
  Solved solve(const BlockMatrix& a, std::span<const CoupledRows> coupled, BoundedRows& rows, std::span<const double> b,
               std::span<double> x);

 private:
  void enter(const BlockMatrix& a, std::span<const CoupledRows> coupled, std::span<const double> own,
             const BoundedRows& rows, bool multipliers);

  std::vector<Triplet> entries_, before_;
  std::vector<double> values_, weight_, dense_;  // weight_: R
  std::vector<std::uint8_t> in_;                 // rows that are held
  SymmetricMatrix matrix_;
  std::unique_ptr<DirectSolver> solver_;
  std::vector<double> left_, step_, product_;
};

}  // namespace ymir
