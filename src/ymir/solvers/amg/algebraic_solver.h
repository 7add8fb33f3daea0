// Systems given by rows, solved by conjugate gradients with an algebraic multigrid cycle, or directly.
// [Lesser2022, 6.5]
//
// Every rank gives its rows and keeps them; those of rank r follow those of rank r - 1, and columns count over all of
// them. A rank may have none. Results are the same bits for any number of threads. Aggregates end at ranks, so that
// other numbers of ranks need other iterations and agree to the tolerance; only a direct solve is on rank 0 alone.
#pragma once

#include <span>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/solvers/amg/direct_rows.h"
#include "ymir/solvers/amg/distributed_matrix.h"
#include "ymir/solvers/amg/hierarchy.h"
#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {

struct AlgebraicSystem {
  CsrMatrix matrix;
  // Number of the closed component a row belongs to, or -1: there the constants are a null space, means of b are
  // removed and x gets mean 0. The components count over all ranks. Empty: none here.
  std::vector<std::int32_t> closed;
  std::vector<Vec3i> cells;  // places of the rows, for split aggregates
};

enum class AlgebraicMethod { smoothed, split, direct };

class AlgebraicSolver {
 public:
  explicit AlgebraicSolver(Communicator& communicator) : communicator_(&communicator) {}

  // Collective. `same_structure`: only values changed since the last call, on all ranks; what was built is adapted.
  void set_system(AlgebraicSystem local, bool same_structure = false);
  void clear();
  bool empty() const { return empty_; }

  // What the next solve uses; built by build() or when first needed, and kept. Collective.
  void choose(AlgebraicMethod method, const AmgOptions& options);
  void build();

  // b and x hold this rank's rows. A direct solve fails (stagnated) where memory would not do. Collective.
  CgReport solve(std::span<const double> b, std::span<double> x, const CgOptions& options);

  const AmgHierarchy& hierarchy() const { return hierarchy_; }
  const CsrMatrix& matrix() const { return matrix_.local(); }  // this rank's rows
  std::size_t bytes() const;                                   // on this rank

 private:
  void remove_means(std::span<double> v);

  Communicator* communicator_;
  DistributedMatrix matrix_;
  std::vector<std::int32_t> closed_;
  std::vector<Vec3i> cells_;
  std::vector<double> closed_rows_;  // of all ranks, per closed component
  bool empty_ = true, built_ = false;
  AlgebraicMethod method_ = AlgebraicMethod::smoothed;
  AmgOptions options_;
  AmgHierarchy hierarchy_;
  DirectRows direct_;
  CgWorkspace workspace_;
  std::vector<double> rhs_, part_sums_, means_;
};

}  // namespace ymir
