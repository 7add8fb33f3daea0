// Linear systems of one mesh: a sparse Cholesky factor, or conjugate gradients with smoothed aggregation.
//
// The factor grows with the 4/3 power of the nodes, its cost with the square; a step of conjugate gradients with the
// nodes, and ranks can share them. Which of the two solves a system depends on that system alone, so that results do
// not depend on those before.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/objects/mesh_share.h"
#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {
namespace elastic_amg {
class Hierarchy;
}

class SharedMeshSolver;

enum class LinearSolver : std::uint8_t { automatic, direct, cg };

class MeshSolver {
 public:
  MeshSolver();
  ~MeshSolver();

  // Kept for every matrix with the pattern of `a`. share: of this rank, where ranks divide the mesh among them; there
  // is no factor then, and iterate() and solve() are collective.
  void prepare(const BlockMatrix& a, LinearSolver choice, const MeshShare* share);
  bool iterative() const { return iterative_; }

  enum class Outcome : std::uint8_t { solved, indefinite, failed };
  // A x = b by conjugate gradients; solve() of the same b hands x out. positions: of the nodes that are places [m].
  Outcome iterate(const BlockMatrix& a, std::span<const Vec3d> positions, std::span<const double> b);
  // False when a pivot is not positive.
  bool factor(const BlockMatrix& a);
  // After factor() or iterate(), with the same matrix. By conjugate gradients, x is what they reach.
  void solve(const BlockMatrix& a, const double* b, double* x);

  // Since forget_counts().
  std::int64_t cg_iterations() const { return cg_iterations_; }
  std::int64_t direct_solves() const { return direct_solves_; }
  void forget_counts() { cg_iterations_ = direct_solves_ = 0; }

 private:
  CgReport descend(const BlockMatrix& a, std::span<const double> b);

  LinearSolver choice_ = LinearSolver::direct;
  bool iterative_ = false, factored_ = false, analyzed_ = false;
  BlockCholesky cholesky_;
  std::unique_ptr<elastic_amg::Hierarchy> hierarchy_;
  std::unique_ptr<SharedMeshSolver> shared_;
  CgWorkspace workspace_;
  std::vector<double> b_, x_;
  std::int64_t cg_iterations_ = 0, direct_solves_ = 0;
};

}  // namespace ymir
