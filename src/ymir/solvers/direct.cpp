#include "ymir/solvers/direct.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
using Indices = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Rows of `a` in an order that keeps the factor sparse (approximate minimum degree).
Indices fill_reducing_order(const SymmetricMatrix& a) {
  const std::vector<double> ones(a.values().size(), 1.0);
  const Eigen::Map<const EigenMatrix> lower(a.size(), a.size(), static_cast<Eigen::Index>(a.values().size()),
                                            a.starts().data(), a.rows().data(), ones.data());
  const EigenMatrix pattern = lower;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, std::int32_t> order;
  Eigen::AMDOrdering<std::int32_t>()(pattern.selfadjointView<Eigen::Lower>(), order);
  return {order.indices().data(), order.indices().data() + order.size()};
}

// The same order, but each row without a positive diagonal comes right after the last of the others it couples.
Indices multipliers_after_their_unknowns(const SymmetricMatrix& a, const Indices& order) {
  const std::size_t n = order.size();
  Indices rank(n);
  for (std::size_t k = 0; k < n; ++k) rank[at(order[k])] = static_cast<std::int32_t>(k);
  const auto is_multiplier = [&](std::size_t i) { return !(a.diagonal(static_cast<std::int32_t>(i)) > 0); };
  Indices last(rank);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = at(a.starts()[j]) + 1; k < at(a.starts()[j + 1]); ++k) {
      const std::size_t i = at(a.rows()[k]);
      if (is_multiplier(i) && !is_multiplier(j)) last[i] = std::max(last[i], rank[j]);
      if (is_multiplier(j) && !is_multiplier(i)) last[j] = std::max(last[j], rank[i]);
    }
  Indices sorted(order);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::int32_t i, std::int32_t j) {
    return std::pair(last[at(i)], is_multiplier(at(i))) < std::pair(last[at(j)], is_multiplier(at(j)));
  });
  return sorted;
}

// Entries of L below its diagonal for an upper triangle in columns; counts like Eigen's own analysis, in 64 bits.
std::int64_t count_factor_entries(const EigenMatrix& upper) {
  const auto n = static_cast<std::size_t>(upper.cols());
  Indices parent(n, -1), visited(n, -1);
  std::int64_t count = 0;
  for (std::int32_t k = 0; k < upper.cols(); ++k) {
    visited[at(k)] = k;
    for (EigenMatrix::InnerIterator it(upper, k); it; ++it)
      for (std::int32_t i = it.index(); visited[at(i)] != k; i = parent[at(i)]) {
        if (parent[at(i)] < 0) parent[at(i)] = k;
        visited[at(i)] = k;
        ++count;
      }
  }
  return count;
}

class EigenFactorization final : public Factorization {
 public:
  explicit EigenFactorization(Definiteness definiteness) : definiteness_(definiteness) {}

  std::string_view name() const override { return "Eigen SimplicialLDLT"; }
  std::int64_t factor_entries() const override { return factor_entries_; }

  // The permuted matrix is laid out once; factor() then only moves values, and Eigen need not permute or copy.
  void analyze(const SymmetricMatrix& a) override {
    order_ = fill_reducing_order(a);
    if (definiteness_ == Definiteness::indefinite) order_ = multipliers_after_their_unknowns(a, order_);
    const std::size_t n = order_.size();
    Indices rank(n);
    for (std::size_t k = 0; k < n; ++k) rank[at(order_[k])] = static_cast<std::int32_t>(k);

    std::vector<Triplet> permuted;
    permuted.reserve(a.values().size());
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = at(a.starts()[j]); k < at(a.starts()[j + 1]); ++k)
        permuted.push_back({rank[at(a.rows()[k])], rank[j], 0.0});
    // Entries are numbered by Eigen's storage: sort by column, then row, of the upper triangle.
    Indices source(permuted.size());
    for (std::size_t k = 0; k < source.size(); ++k) source[k] = static_cast<std::int32_t>(k);
    const auto place = [&](std::int32_t k) {
      const Triplet& t = permuted[at(k)];
      return std::pair(std::max(t.row, t.column), std::min(t.row, t.column));
    };
    std::sort(source.begin(), source.end(), [&](std::int32_t k, std::int32_t l) { return place(k) < place(l); });

    upper_.resize(a.size(), a.size());
    upper_.resizeNonZeros(static_cast<Eigen::Index>(source.size()));
    std::fill_n(upper_.outerIndexPtr(), n + 1, 0);
    for (std::size_t k = 0; k < source.size(); ++k) {
      const auto [column, row] = place(source[k]);
      upper_.innerIndexPtr()[k] = row;
      upper_.valuePtr()[k] = 1;
      ++upper_.outerIndexPtr()[column + 1];
    }
    for (std::size_t k = 0; k < n; ++k) upper_.outerIndexPtr()[k + 1] += upper_.outerIndexPtr()[k];
    source_ = std::move(source);

    factor_entries_ = count_factor_entries(upper_) + static_cast<std::int64_t>(n);
    if (factor_entries_ > std::numeric_limits<std::int32_t>::max())
      throw Error(ExitCode::numerical, "direct solver: the factor of a system of " + std::to_string(n) +
                                           " unknowns would have " + std::to_string(factor_entries_) +
                                           " entries, more than can be indexed; use the iterative solver");
    ldlt_.analyzePattern(upper_);
    work_.resize(static_cast<Eigen::Index>(n));
  }

  FactorReport factor(const SymmetricMatrix& a) override {
    for (std::size_t k = 0; k < source_.size(); ++k) upper_.valuePtr()[k] = a.values()[at(source_[k])];
    ldlt_.factorize(upper_);
    const bool finished = ldlt_.info() == Eigen::Success;
    pivots_ = ldlt_.vectorD();  // after a zero pivot the rest is not set, and not read
    FactorReport report;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const double d = pivots_[static_cast<Eigen::Index>(k)];
      if (d < 0) ++report.negative_pivots;
      if (d == 0 || !std::isfinite(d) || (d < 0 && definiteness_ == Definiteness::positive)) {
        report.bad_pivot = order_[k];
        return report;
      }
    }
    report.ok = finished;
    return report;
  }

  void solve(std::span<double> x) override {
    for (std::size_t k = 0; k < order_.size(); ++k) work_[static_cast<Eigen::Index>(k)] = x[at(order_[k])];
    ldlt_.matrixL().solveInPlace(work_);
    work_.array() /= pivots_.array();
    ldlt_.matrixU().solveInPlace(work_);
    for (std::size_t k = 0; k < order_.size(); ++k) x[at(order_[k])] = work_[static_cast<Eigen::Index>(k)];
  }

 private:
  Definiteness definiteness_;
  Indices order_;      // order_[k]: row eliminated k-th
  Indices source_;     // source_[k]: entry of the given matrix that is entry k of upper_
  EigenMatrix upper_;  // the permuted matrix
  Eigen::SimplicialLDLT<EigenMatrix, Eigen::Upper, Eigen::NaturalOrdering<std::int32_t>> ldlt_;
  Eigen::VectorXd pivots_, work_;
  std::int64_t factor_entries_ = 0;
};

std::unique_ptr<Factorization> make_backend(DirectBackend backend, Definiteness definiteness) {
  const bool positive = definiteness == Definiteness::positive;
  if (backend == DirectBackend::automatic)
    backend = positive && has_cholmod() ? DirectBackend::cholmod : DirectBackend::eigen;
  if (backend == DirectBackend::eigen) return std::make_unique<EigenFactorization>(definiteness);
  YMIR_CHECK(positive);
  if (!has_cholmod())
    throw Error(ExitCode::usage,
                "direct solver: this build has no CHOLMOD; choose eigen, or install SuiteSparse and build with "
                "-DYMIR_CHOLMOD=ON");
  return make_cholmod();
}

}  // namespace

DirectSolver::DirectSolver(DirectBackend backend, Definiteness definiteness)
    : backend_(make_backend(backend, definiteness)) {}

void DirectSolver::analyze(const SymmetricMatrix& a) {
  report_ = {};
  size_ = a.size();
  entries_ = a.values().size();
  if (size_ > 0) backend_->analyze(a);
}

bool DirectSolver::factor(const SymmetricMatrix& a) {
  YMIR_CHECK(a.size() == size_ && a.values().size() == entries_);
  report_ = {};
  for (std::size_t j = 0; j < at(size_); ++j)
    for (std::size_t k = at(a.starts()[j]); k < at(a.starts()[j + 1]); ++k)
      if (!std::isfinite(a.values()[k])) {
        report_.bad_pivot = static_cast<std::int32_t>(j);
        return false;
      }
  if (size_ == 0)
    report_.ok = true;
  else
    report_ = backend_->factor(a);
  return report_.ok;
}

void DirectSolver::solve(std::span<const double> b, std::span<double> x) {
  YMIR_CHECK(report_.ok && b.size() == at(size_) && x.size() == b.size());
  if (size_ == 0) return;
  if (b.data() != x.data()) std::copy(b.begin(), b.end(), x.begin());
  backend_->solve(x);
}

double DirectSolver::solve_refined(const SymmetricMatrix& a, std::span<const double> b, std::span<double> x) {
  solve(b, x);
  residual_.resize(x.size());
  refined_.resize(x.size());
  const double before = a.residual(b, x, residual_);
  solve(residual_, refined_);
  for (std::size_t i = 0; i < x.size(); ++i) refined_[i] += x[i];
  const double after = a.residual(b, refined_, residual_);
  if (!(after < before)) return before;
  std::copy(refined_.begin(), refined_.end(), x.begin());
  return after;
}

}  // namespace ymir
