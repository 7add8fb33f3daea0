#include "ymir/objects/mesh_solver.h"

#include <algorithm>

#include "ymir/objects/shared_mesh_solver.h"
#include "ymir/solvers/elastic_amg/hierarchy.h"

namespace ymir {
namespace {

constexpr std::int32_t many_nodes = 3000;         // from which on conjugate gradients take half the time or less
constexpr std::int32_t many_with_others = 10000;  // the same where others are eliminated in every iteration
constexpr double tolerance = 1e-6;                // of |b - A x| / |b|

}  // namespace

MeshSolver::MeshSolver() = default;
MeshSolver::~MeshSolver() = default;

void MeshSolver::prepare(const BlockMatrix& a, LinearSolver choice, const MeshShare* share) {
  choice_ = choice;
  iterative_ =
      share != nullptr || choice == LinearSolver::cg || (choice == LinearSolver::automatic && a.nodes() >= many_nodes);
  worth_it_with_others_ = share != nullptr || choice == LinearSolver::cg || a.nodes() >= many_with_others;
  factored_ = analyzed_ = false;
  if (iterative_) {
    if (share != nullptr) {
      shared_ = std::make_unique<SharedMeshSolver>(*share, a);
    } else {
      hierarchy_ = std::make_unique<elastic_amg::Hierarchy>();
      hierarchy_->analyze(a);
    }
    b_.assign(3 * static_cast<std::size_t>(a.nodes()), 0);
    x_ = b_;
    if (!shared_) workspace_.resize(b_.size());
  } else {
    cholesky_.analyze(a);
    analyzed_ = true;
  }
}

// A factor takes as long as so many iterations, or fewer; measured. There is none where ranks share the mesh.
CgOptions MeshSolver::options(std::int32_t nodes, bool with_others) const {
  const bool asked = choice_ == LinearSolver::cg;
  return {tolerance, 0, shared_ ? 3000 : std::max(!asked ? 60 : with_others ? 200 : 1000, nodes / 100)};
}

CgReport MeshSolver::descend(const BlockMatrix& a, std::span<const double> b) {
  std::copy(b.begin(), b.end(), b_.begin());
  return solve_with(a, b_, x_, {}, {});
}

CgReport MeshSolver::solve_with(const BlockMatrix& a, std::span<const double> b, std::span<double> x,
                                std::span<const std::int32_t> nodes, const LargeMatrix::Addition& addition) {
  std::fill(x.begin(), x.end(), 0.0);
  at_.resize(3 * nodes.size());
  added_.resize(at_.size());
  const auto apply = [&](std::span<const double> p, std::span<double> q) {
    hierarchy_->rows().multiply(a, p, q);
    if (nodes.empty()) return;
    for (std::size_t k = 0; k < nodes.size(); ++k)
      std::copy_n(p.data() + 3 * static_cast<std::size_t>(nodes[k]), 3, at_.data() + 3 * k);
    addition(at_, added_);
    for (std::size_t k = 0; k < added_.size(); ++k) q[3 * static_cast<std::size_t>(nodes[k / 3]) + k % 3] += added_[k];
  };
  const CgReport report =
      shared_ ? shared_->solve(b, x, nodes, addition, options(a.nodes(), !nodes.empty()))
              : conjugate_gradient(
                    apply, [&](std::span<const double> r, std::span<double> z) { hierarchy_->apply(r, z); }, b, x,
                    workspace_, options(a.nodes(), !nodes.empty()));
  cg_iterations_ += report.iterations;
  return report;
}

bool MeshSolver::refresh(const BlockMatrix& a, std::span<const Vec3d> positions) {
  factored_ = false;
  return shared_ ? shared_->refresh(a, positions) : hierarchy_->refresh(a, positions);
}

void MeshSolver::multiply(const BlockMatrix& a, std::span<const double> x, std::span<double> y) {
  shared_ ? shared_->multiply(x, y) : hierarchy_->rows().multiply(a, x, y);
}

void MeshSolver::complete(std::span<double> b) {
  if (shared_) shared_->complete(b);
}

void MeshSolver::assist(const BlockMatrix& a, std::span<const Vec3d> positions, std::span<const double> b) {
  shared_->assist(a, positions, b);
}

void MeshSolver::dismiss() { shared_->dismiss(); }

MeshSolver::Outcome MeshSolver::iterate(const BlockMatrix& a, std::span<const Vec3d> positions,
                                        std::span<const double> b) {
  if (!refresh(a, positions)) return Outcome::indefinite;
  const CgReport report = descend(a, b);
  if (report.converged) return Outcome::solved;
  const bool breakdown =
      report.status == CgStatus::matrix_breakdown || report.status == CgStatus::preconditioner_breakdown;
  return breakdown ? Outcome::indefinite : Outcome::failed;
}

bool MeshSolver::factor(const BlockMatrix& a) {
  if (iterative_) ++direct_solves_;
  if (!analyzed_) cholesky_.analyze(a);
  analyzed_ = true;
  factored_ = cholesky_.factor(a);
  return factored_;
}

void MeshSolver::solve(const BlockMatrix& a, const double* b, double* x) {
  if (factored_) return cholesky_.solve(b, x);
  if (!std::equal(b_.begin(), b_.end(), b)) descend(a, {b, b_.size()});
  std::copy(x_.begin(), x_.end(), x);
}

}  // namespace ymir
