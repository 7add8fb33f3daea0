#include "ymir/solvers/coulomb/condensed_problem.h"

#include <Eigen/SparseLU>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

Sparse sparse(const SparseEntries& a) {
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(a.value.size());
  for (std::size_t k = 0; k < a.value.size(); ++k) entries.emplace_back(a.row[k], a.column[k], a.value[k]);
  Sparse s(a.rows, a.columns);
  s.setFromTriplets(entries.begin(), entries.end());
  return s;
}

std::vector<Vec3d> triples(std::span<const double> x) {
  std::vector<Vec3d> v;
  for (std::size_t i = 0; i + 2 < x.size(); i += 3) v.push_back({x[i], x[i + 1], x[i + 2]});
  return v;
}

}  // namespace

CoulombProblem coulomb_problem(const SparseEntries& w, std::span<const double> q, std::vector<double> mu) {
  std::vector<CoulombBlock> blocks;
  // Entries come by rows, so those of a block are near each other: the last block of every column is remembered.
  std::vector<std::ptrdiff_t> last(static_cast<std::size_t>(w.columns / 3), -1);
  for (std::size_t k = 0; k < w.value.size(); ++k) {
    const std::int32_t row = w.row[k] / 3, column = w.column[k] / 3;
    std::ptrdiff_t& at = last[column];
    if (at < 0 || blocks[at].row != row) {
      at = static_cast<std::ptrdiff_t>(blocks.size());
      blocks.push_back({row, column, {}});
    }
    blocks[at].value(w.row[k] % 3, w.column[k] % 3) += w.value[k];
  }
  return coulomb_problem(std::move(blocks), triples(q), std::move(mu));
}

CoulombProblem condense(const SparseEntries& m, const SparseEntries& h, std::span<const double> f,
                        std::span<const double> w, std::vector<double> mu) {
  YMIR_CHECK(m.rows == m.columns && h.rows == m.rows && f.size() == static_cast<std::size_t>(m.rows) &&
             w.size() == static_cast<std::size_t>(h.columns) && 3 * mu.size() == w.size());
  const Sparse mass = sparse(m), map = sparse(h);
  Eigen::SparseLU<Sparse> factor(mass);
  const auto singular = [] {
    return Error(ExitCode::bad_input, "the mass matrix M is singular: the problem cannot be condensed to its contacts");
  };
  if (factor.info() != Eigen::Success) throw singular();
  const Eigen::Map<const Eigen::VectorXd> force(f.data(), static_cast<Eigen::Index>(f.size()));
  const Eigen::VectorXd free = map.transpose() * factor.solve(force).eval();
  std::vector<Vec3d> q = triples(w);
  for (std::size_t i = 0; i < q.size(); ++i)
    for (int a = 0; a < 3; ++a) q[i][a] += free[static_cast<Eigen::Index>(3 * i) + a];
  std::vector<CoulombBlock> blocks;
  Eigen::MatrixXd columns(m.rows, 3);
  for (std::int32_t j = 0; j < h.columns / 3; ++j) {
    columns = factor.solve(Eigen::MatrixXd(map.middleCols(3 * j, 3)));
    const Eigen::MatrixXd all = map.transpose() * columns;
    if (!all.allFinite()) throw singular();
    for (std::int32_t i = 0; i < h.columns / 3; ++i) {
      const auto block = all.block<3, 3>(3 * i, 0);
      if ((block.array() == 0).all()) continue;
      Mat3d value;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) value(r, c) = block(r, c);
      blocks.push_back({i, j, value});
    }
  }
  return coulomb_problem(std::move(blocks), std::move(q), std::move(mu));
}

}  // namespace ymir
