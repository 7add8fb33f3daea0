// Systems given by rows, solved by conjugate gradients with an algebraic multigrid cycle, or directly.
// [Lesser2022, 6.5]
//
// Every rank gives its rows; those of rank r follow those of rank r - 1, and columns count over all of them. Rank 0
// gathers the system and solves it on its threads: results are the same bits for any number of ranks and threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/solvers/amg/hierarchy.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/direct.h"

namespace ymir {

struct AlgebraicSystem {
  CsrMatrix matrix;
  // Number of the closed component a row belongs to, or -1: there the constants are a null space, means of b are
  // removed and x gets mean 0. Empty: none.
  std::vector<std::int32_t> closed;
  std::vector<Vec3i> cells;  // places of the rows, for split aggregates
};

enum class AlgebraicMethod { smoothed, split, direct };

class AlgebraicSolver {
 public:
  explicit AlgebraicSolver(Communicator& communicator) : communicator_(&communicator) {}

  // Collective. `same_structure`: only values changed since the last call, what was built is adapted.
  void set_system(AlgebraicSystem local, bool same_structure = false);
  void clear();
  bool empty() const { return empty_; }

  // What the next solve uses; built by build() or when first needed, and kept. Collective.
  void choose(AlgebraicMethod method, const AmgOptions& options);
  void build();

  // b and x hold this rank's rows. A direct solve fails (stagnated) where memory would not do. Collective.
  CgReport solve(std::span<const double> b, std::span<double> x, const CgOptions& options);

  const AmgHierarchy& hierarchy() const { return hierarchy_; }  // on rank 0
  const CsrMatrix& matrix() const { return system_.matrix; }    // the whole one, on rank 0
  std::size_t bytes() const;

 private:
  CgReport solve_here(std::span<const double> b, std::span<double> x, const CgOptions& options);
  CgReport solve_direct(std::span<const double> b, std::span<double> x, const CgOptions& options);
  void factor();
  void remove_means(std::span<double> v);

  Communicator* communicator_;
  AlgebraicSystem system_;                 // of all ranks, on rank 0
  std::vector<std::int64_t> first_rows_;   // of each rank, on rank 0
  std::vector<std::int64_t> closed_rows_;  // per closed component
  bool empty_ = true, built_ = false;
  AlgebraicMethod method_ = AlgebraicMethod::smoothed;
  AmgOptions options_;
  AmgHierarchy hierarchy_;
  CgWorkspace workspace_;
  std::vector<double> rhs_, part_sums_, means_;
  std::unique_ptr<DirectSolver> direct_;
  SymmetricMatrix direct_matrix_;
  std::vector<char> held_;  // rows at 0 in the direct solve
};

}  // namespace ymir
