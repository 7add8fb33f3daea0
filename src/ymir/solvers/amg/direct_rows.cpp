#include "ymir/solvers/amg/direct_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ymir/solvers/amg/root_rows.h"

namespace ymir {
namespace {

constexpr std::int64_t largest = 300000;  // rows: fill of a cube of cells grows with the power 4/3

}  // namespace

void DirectRows::build(Communicator& communicator, const DistributedMatrix& matrix,
                       std::span<const std::int32_t> closed) {
  communicator_ = &communicator;
  matrix_ = &matrix;
  solver_.reset();
  whole_ = {};
  if (matrix.all_rows() > largest) return;
  if (matrix.halo() == nullptr) {
    factor(matrix.local(), closed);
    return;
  }
  whole_ = amg::gathered(matrix.local(), *matrix.halo());
  const std::vector<std::int32_t> all_closed = amg::gathered(communicator, closed);
  if (communicator.root()) factor(whole_, all_closed);
}

void DirectRows::factor(const CsrMatrix& m, std::span<const std::int32_t> closed) {
  held_.assign(static_cast<std::size_t>(m.rows()), 0);
  std::vector<char> seen;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    if (closed[i] < 0) continue;
    const auto component = static_cast<std::size_t>(closed[i]);
    if (component >= seen.size()) seen.resize(component + 1, 0);
    held_[i] = std::exchange(seen[component], 1) == 0;
  }
  std::vector<Triplet> triplets;
  for (std::int32_t i = 0; i < m.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double diagonal = m.diagonal(i);
    triplets.push_back({i, i, held_[row] || !(diagonal > 0) ? 1 : diagonal});
    for (auto k = static_cast<std::size_t>(m.starts[row]); k < static_cast<std::size_t>(m.starts[row + 1]); ++k)
      if (m.columns[k] < i && !held_[row] && !held_[static_cast<std::size_t>(m.columns[k])])
        triplets.push_back({i, m.columns[k], m.exact.empty() ? static_cast<double>(m.values[k]) : m.exact[k]});
  }
  factored_ = SymmetricMatrix(m.rows(), triplets);
  solver_ = std::make_unique<DirectSolver>();
  solver_->analyze(factored_);
  if (!solver_->factor(factored_)) solver_.reset();
}

CgReport DirectRows::solve_here(const CsrMatrix& m, std::span<const double> b, std::span<double> x,
                                const CgOptions& options) {
  CgReport report;
  report.status = CgStatus::stagnated;
  if (!solver_) return report;
  std::vector<double> rhs(b.begin(), b.end()), correction(b.size()), product(b.size());
  std::fill(x.begin(), x.end(), 0.0);
  const double target = std::max(options.relative * std::sqrt(InnerProduct{}(b, b)), options.absolute);
  for (int refinement = 0; refinement < 3; ++refinement) {
    for (std::size_t i = 0; i < rhs.size(); ++i)
      if (held_[i]) rhs[i] = 0;
    solver_->solve(rhs, correction);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction[i];
    m.multiply(x, product);
    for (std::size_t i = 0; i < x.size(); ++i) rhs[i] = b[i] - product[i];
    ++report.iterations;
    report.residual = std::sqrt(InnerProduct{}(rhs, rhs));
    report.converged = report.residual <= target;
    if (report.converged) break;
  }
  report.status = report.converged ? CgStatus::converged : CgStatus::stagnated;
  return report;
}

CgReport DirectRows::solve(std::span<const double> b, std::span<double> x, const CgOptions& options) {
  YMIR_CHECK(matrix_ != nullptr);
  if (matrix_->halo() == nullptr) return solve_here(matrix_->local(), b, x, options);
  amg::RootRows<double> rows(*communicator_, matrix_->halo()->first_rows());
  rows.gather(b);
  CgReport report;
  if (communicator_->root()) {
    const std::vector<double> all_b(rows.all().begin(), rows.all().end());
    report = solve_here(whole_, all_b, rows.all(), options);
  }
  Bytes bytes = to_bytes(std::vector<CgReport>{report});
  communicator_->broadcast(bytes);
  report = from_bytes<CgReport>(bytes).front();
  if (report.iterations > 0) rows.scatter(x);
  return report;
}

}  // namespace ymir
