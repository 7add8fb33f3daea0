// A system by rows factored on rank 0, for sizes whose factors fit there; what nothing else solves.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/solvers/amg/distributed_matrix.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/direct.h"

namespace ymir {

class DirectRows {
 public:
  // closed: the closed component of each row, or -1; empty: none. The first row of each is held at 0. Nothing is built
  // where memory would not do. The matrix must outlive this. Collective.
  void build(Communicator& communicator, const DistributedMatrix& matrix, std::span<const std::int32_t> closed);

  // b and x hold this rank's rows. Fails (stagnated) where nothing was built. Collective.
  CgReport solve(std::span<const double> b, std::span<double> x, const CgOptions& options);
  std::size_t bytes() const { return whole_.bytes() + held_.size(); }

 private:
  void factor(const CsrMatrix& m, std::span<const std::int32_t> closed);
  CgReport solve_here(const CsrMatrix& m, std::span<const double> b, std::span<double> x, const CgOptions& options);

  Communicator* communicator_ = nullptr;
  const DistributedMatrix* matrix_ = nullptr;
  CsrMatrix whole_;  // of several ranks, on rank 0
  std::unique_ptr<DirectSolver> solver_;
  SymmetricMatrix factored_;
  std::vector<char> held_;
};

}  // namespace ymir
