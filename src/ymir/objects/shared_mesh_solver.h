// The linear system of a mesh that ranks share: conjugate gradients with smoothed aggregation on rows over ranks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/objects/mesh_share.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/elastic_amg/hierarchy.h"

namespace ymir {

class SharedMeshSolver {
 public:
  // For every matrix with the pattern of `a`, complete in the rows of this rank. Collective, as all that follows.
  SharedMeshSolver(const MeshShare& share, const BlockMatrix& a);

  // False: not positive definite, or almost not. positions: of all nodes [m].
  bool refresh(const BlockMatrix& a, std::span<const Vec3d> positions);
  // b and x: of all nodes; of b the rows of this rank are looked at, x is known to all ranks.
  CgReport solve(std::span<const double> b, std::span<double> x, const CgOptions& options);

 private:
  using Index = elastic_amg::Index;
  struct Slot {
    Index block;
    bool turned;  // the matrix has the block of (column, row)
  };

  const MeshShare* share_;
  std::unique_ptr<elastic_amg::SharedRows> rows_;
  std::vector<Slot> slots_;  // of the entries of rows_
  elastic_amg::Hierarchy hierarchy_;
  CgWorkspace workspace_;
  std::vector<Vec3d> positions_;
  std::vector<double> b_, x_;
};

}  // namespace ymir
