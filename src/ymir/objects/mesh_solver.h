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
#include "ymir/solids/large_matrix.h"
#include "ymir/solvers/block_cholesky.h"

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
  // is no factor then, and complete() to multiply() are for the rank that leads, while others assist().
  void prepare(const BlockMatrix& a, LinearSolver choice, const MeshShare* share);
  bool iterative() const { return iterative_; }
  // The same where others are coupled to the mesh: what they add has to be worth it.
  bool iterative_with_others() const { return iterative_ && worth_it_with_others_; }
  bool shared() const { return shared_ != nullptr; }

  enum class Outcome : std::uint8_t { solved, indefinite, failed };
  // A x = b by conjugate gradients; solve() of the same b hands x out. positions: of the nodes that are places [m].
  Outcome iterate(const BlockMatrix& a, std::span<const Vec3d> positions, std::span<const double> b);
  // A right side of which each rank knows its own rows.
  void complete(std::span<double> b);
  // The same in two parts, with what others add at some nodes (large_matrix.h). False: not positive definite.
  bool refresh(const BlockMatrix& a, std::span<const Vec3d> positions);
  CgReport solve_with(const BlockMatrix& a, std::span<const double> b, std::span<double> x,
                      std::span<const std::int32_t> nodes, const LargeMatrix::Addition& addition);
  void multiply(const BlockMatrix& a, std::span<const double> x, std::span<double> y);
  void assist(const BlockMatrix& a, std::span<const Vec3d> positions, std::span<const double> b);
  void dismiss();
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
  CgOptions options(std::int32_t nodes, bool with_others) const;

  LinearSolver choice_ = LinearSolver::direct;
  bool iterative_ = false, worth_it_with_others_ = false, factored_ = false, analyzed_ = false;
  BlockCholesky cholesky_;
  std::unique_ptr<elastic_amg::Hierarchy> hierarchy_;
  std::unique_ptr<SharedMeshSolver> shared_;
  CgWorkspace workspace_;
  std::vector<double> b_, x_;
  std::vector<double> at_, added_;  // of what others add to
  std::int64_t cg_iterations_ = 0, direct_solves_ = 0;
};

}  // namespace ymir
