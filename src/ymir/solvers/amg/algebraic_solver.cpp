#include "ymir/solvers/amg/algebraic_solver.h"

#include <algorithm>
#include <utility>

namespace ymir {
namespace {

constexpr std::ptrdiff_t mean_block = 65536;

}  // namespace

void AlgebraicSolver::clear() {
  empty_ = true;
  built_ = false;
  hierarchy_ = {};
  direct_ = {};
  matrix_ = {};
  closed_ = {};
  cells_ = {};
}

void AlgebraicSolver::set_system(AlgebraicSystem local, bool same_structure) {
  YMIR_CHECK(!same_structure || !empty_);
  if (same_structure) {
    matrix_.set_values(std::move(local.matrix));
    if (method_ == AlgebraicMethod::direct)
      built_ = false;
    else if (built_)
      hierarchy_.update_values();
    return;
  }
  hierarchy_ = {};
  direct_ = {};
  YMIR_CHECK(local.closed.empty() || local.closed.size() == local.matrix.row_sums.size());
  matrix_.set(*communicator_, std::move(local.matrix));
  closed_ = std::move(local.closed);
  cells_ = std::move(local.cells);
  std::int64_t components = 0;
  for (const std::int32_t component : closed_) components = std::max(components, std::int64_t{component} + 1);
  closed_rows_.assign(static_cast<std::size_t>(communicator_->max(components)), 0);
  for (const std::int32_t component : closed_)
    if (component >= 0) ++closed_rows_[static_cast<std::size_t>(component)];
  communicator_->ordered_sum(closed_rows_);
  means_.resize(closed_rows_.size());
  empty_ = built_ = false;
}

void AlgebraicSolver::choose(AlgebraicMethod method, const AmgOptions& options) {
  if (method != method_) built_ = false;
  method_ = method;
  options_ = options;
  if (built_ && method_ != AlgebraicMethod::direct) hierarchy_.set_cycle(options.w_cycle, options.sweeps);
}

void AlgebraicSolver::build() {
  if (built_) return;
  built_ = true;
  switch (method_) {
    case AlgebraicMethod::smoothed: hierarchy_.build(matrix_.local(), options_, matrix_.halo()); break;
    case AlgebraicMethod::split: hierarchy_.build_split(matrix_.local(), cells_, options_, matrix_.halo()); break;
    case AlgebraicMethod::direct: direct_.build(*communicator_, matrix_, closed_); break;
  }
}

void AlgebraicSolver::remove_means(std::span<double> v) {
  if (closed_rows_.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(closed_.size()), parts = (count + mean_block - 1) / mean_block;
  const std::size_t components = closed_rows_.size();
  part_sums_.assign(static_cast<std::size_t>(parts) * components, 0);
  parallel_blocks(count, mean_block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    double* sums = part_sums_.data() + static_cast<std::size_t>(begin / mean_block) * components;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (closed_[i] >= 0) sums[closed_[i]] += v[i];
  });
  for (std::size_t c = 0; c < components; ++c) {
    means_[c] = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(parts); ++p) means_[c] += part_sums_[p * components + c];
  }
  communicator_->ordered_sum(means_);
  for (std::size_t c = 0; c < components; ++c) means_[c] /= std::max(closed_rows_[c], 1.0);
  parallel_blocks(count, mean_block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (closed_[i] >= 0) v[i] -= means_[static_cast<std::size_t>(closed_[i])];
  });
}

CgReport AlgebraicSolver::solve(std::span<const double> b, std::span<double> x, const CgOptions& options) {
  YMIR_CHECK(!empty_ && b.size() == x.size() && b.size() == matrix_.local().row_sums.size());
  build();
  rhs_.assign(b.begin(), b.end());
  remove_means(rhs_);
  CgReport report;
  if (method_ == AlgebraicMethod::direct) {
    report = direct_.solve(rhs_, x, options);
  } else {
    report =
        conjugate_gradient([&](std::span<const double> v, std::span<double> product) { matrix_.multiply(v, product); },
                           [&](std::span<const double> r, std::span<double> z) {
                             hierarchy_.apply(r, z);
                             remove_means(z);
                           },
                           rhs_, x, workspace_, options,
                           [&](std::span<const double> u, std::span<const double> v) {
                             return communicator_->ordered_sum(InnerProduct{}(u, v));
                           });
  }
  remove_means(x);
  return report;
}

std::size_t AlgebraicSolver::bytes() const {
  return matrix_.bytes() + hierarchy_.bytes() + direct_.bytes() +
         sizeof(double) * (workspace_.r.size() * 4 + rhs_.size()) + sizeof(std::int32_t) * closed_.size() +
         sizeof(Vec3i) * cells_.size();
}

}  // namespace ymir
