// The linear system of a mesh that ranks share: conjugate gradients with smoothed aggregation on rows over ranks.
//
// One rank leads, and calls the functions below; the others assist() meanwhile, and do their share of each.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/objects/mesh_share.h"
#include "ymir/solids/large_matrix.h"
#include "ymir/solvers/elastic_amg/hierarchy.h"

namespace ymir {

class SharedMeshSolver {
 public:
  // For every matrix with the pattern of `a`, complete in the rows of this rank. Collective.
  SharedMeshSolver(const MeshShare& share, const BlockMatrix& a);

  // A right side of which each rank knows its own rows.
  void complete(std::span<double> b);
  // False: not positive definite, or almost not. positions: of all nodes [m].
  bool refresh(const BlockMatrix& a, std::span<const Vec3d> positions);
  // b and x: of all nodes. nodes, addition: as in large_matrix.h; the lead alone calls it.
  CgReport solve(std::span<const double> b, std::span<double> x, std::span<const std::int32_t> nodes,
                 const LargeMatrix::Addition& addition, const CgOptions& options);
  void multiply(std::span<const double> x, std::span<double> y);
  void dismiss();

  // Until dismissed. a, positions: as in refresh(); b: as in complete().
  void assist(const BlockMatrix& a, std::span<const Vec3d> positions, std::span<const double> b);

 private:
  using Index = elastic_amg::Index;
  struct Slot {
    Index block;
    bool turned;  // the matrix has the block of (column, row)
  };
  enum class Order : std::uint8_t { complete, refresh, solve, multiply, dismiss };
  // An order, and what belongs to it: all ranks have it afterwards.
  Bytes tell(Order order, std::span<const double> values, std::span<const std::int32_t> nodes,
             const CgOptions& options);
  struct Task;
  Task read(const Bytes& bytes) const;

  bool refresh_share(const BlockMatrix& a, std::span<const Vec3d> positions);
  CgReport solve_share(const Task& task, const LargeMatrix::Addition& addition);
  void multiply_share(const Task& task);
  void add_others(std::span<const double> p, std::span<double> q, const std::vector<std::int32_t>& nodes,
                  const LargeMatrix::Addition& addition);
  void take_own(std::span<const double> all, std::vector<double>& own) const;
  bool leads() const { return share_->ranks->rank() == share_->lead; }
  // Of all nodes, from what each rank has in x_.
  void collect(std::span<double> all) const;

  const MeshShare* share_;
  std::vector<Index> row_of_;  // of each node
  std::unique_ptr<elastic_amg::SharedRows> rows_;
  std::vector<Slot> slots_;  // of the entries of rows_
  elastic_amg::Hierarchy hierarchy_;
  CgWorkspace workspace_;
  std::vector<Vec3d> positions_;
  std::vector<double> b_, x_;
  std::vector<double> at_, added_;  // of nodes that others add to
};

}  // namespace ymir
