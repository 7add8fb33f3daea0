#include "ymir/solids/around_large.h"

#include <algorithm>

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void AroundLarge::analyze(const BlockMatrix& k, std::int32_t small_nodes, bool multipliers) {
  small_nodes_ = small_nodes;
  std::vector<std::int32_t> pairs;
  for (std::int32_t j = 0; j < small_nodes; ++j)
    for (std::int32_t e = k.starts()[at(j)]; e < k.starts()[at(j) + 1]; ++e)
      if (const std::int32_t i = k.rows()[at(e)]; i < small_nodes) pairs.insert(pairs.end(), {i, j});
  const BlockMatrix::Elements elements{pairs, 2};
  small_ = BlockMatrix(small_nodes, {&elements, 1});
  from_.clear();
  for (std::int32_t j = 0; j < small_nodes; ++j)
    for (std::int32_t e = small_.starts()[at(j)]; e < small_.starts()[at(j) + 1]; ++e)
      from_.push_back(k.slot(small_.rows()[at(e)], j));
  saddle_.reset();
  if (multipliers)
    saddle_.emplace(DirectBackend::automatic, Definiteness::indefinite);
  else if (small_nodes > 0)
    cholesky_.analyze(small_);
}

bool AroundLarge::factor(const BlockMatrix& k) {
  for (std::size_t e = 0; e < from_.size(); ++e) std::copy_n(k.block(from_[e]), 9, small_.block(static_cast<int>(e)));
  if (small_nodes_ == 0) return true;
  if (!saddle_) return cholesky_.factor(small_);
  // Which rows are multipliers shows in the values.
  const SymmetricMatrix scalars(3 * small_nodes_, scalar_entries(small_));
  saddle_->analyze(scalars);
  return saddle_->factor(scalars);
}

void AroundLarge::solve_small(const double* b, double* x) {
  if (small_nodes_ == 0) return;
  const std::size_t n = 3 * at(small_nodes_);
  saddle_ ? saddle_->solve({b, n}, {x, n}) : cholesky_.solve(b, x);
}

CgReport AroundLarge::solve(LargeMatrix& large, std::span<const std::int32_t> touched, const BlockMatrix& k,
                            std::span<const double> b, std::span<double> x) {
  const std::size_t small = 3 * at(small_nodes_), all = small + 3 * touched.size();
  v_.assign(all, 0);
  w_.assign(all, 0);
  side_.assign(b.begin() + static_cast<std::ptrdiff_t>(small), b.end());
  solve_small(b.data(), v_.data());
  k.multiply(v_.data(), w_.data());
  for (std::size_t t = 0; t < touched.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) side_[3 * at(touched[t]) + c] -= w_[small + 3 * t + c];

  const auto schur = [&](std::span<const double> from, std::span<double> to) {
    std::fill_n(v_.begin(), small, 0.0);
    std::copy(from.begin(), from.end(), v_.begin() + static_cast<std::ptrdiff_t>(small));
    k.multiply(v_.data(), w_.data());
    solve_small(w_.data(), v_.data());
    for (std::size_t i = 0; i < small; ++i) v_[i] = -v_[i];
    k.multiply(v_.data(), w_.data());
    std::copy(w_.begin() + static_cast<std::ptrdiff_t>(small), w_.end(), to.begin());
  };
  const std::span<double> x_large = x.subspan(small);
  const CgReport report = large.solve(side_, x_large, touched, schur);

  std::fill_n(v_.begin(), small, 0.0);
  for (std::size_t t = 0; t < touched.size(); ++t)
    std::copy_n(x_large.data() + 3 * at(touched[t]), 3, v_.data() + small + 3 * t);
  k.multiply(v_.data(), w_.data());
  for (std::size_t i = 0; i < small; ++i) v_[i] = b[i] - w_[i];
  solve_small(v_.data(), x.data());
  return report;
}

}  // namespace ymir
