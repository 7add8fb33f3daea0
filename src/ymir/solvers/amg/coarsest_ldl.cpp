#include "ymir/solvers/amg/coarsest_ldl.h"

#include <algorithm>
#include <cmath>

namespace ymir::amg {

void CoarsestLdl::factor(const Level& level) {
  const auto n = static_cast<std::size_t>(level.rows);
  matrix_.assign(n * n, 0);
  work_.assign(n, 0);
  // One triangle decides, so that rounding leaves row sums as they are.
  for (std::size_t i = 0; i < n; ++i) matrix_[i * n + i] = static_cast<double>(level.row_sum(static_cast<Index>(i)));
  for (std::size_t i = 0; i < n; ++i)
    for (Index k = level.starts[i]; k < level.starts[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(level.columns[k]);
      if (j >= i) continue;
      const auto value = static_cast<double>(level.values[k]);
      matrix_[i * n + j] += value;
      matrix_[i * n + i] -= value;
      matrix_[j * n + j] -= value;
    }
  // Rows of L D by dot products with earlier rows; then scaled to L.
  std::vector<double> pivots(n);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &matrix_[i * n];
    for (std::size_t j = 0; j < i; ++j) {
      const double* earlier = &matrix_[j * n];  // holds L
      double sum[4] = {row[j], 0, 0, 0};
      std::size_t k = 0;
      for (; k + 4 <= j; k += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sum[lane] -= row[k + lane] * earlier[k + lane];
      for (; k < j; ++k) sum[0] -= row[k] * earlier[k];
      row[j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);  // L D
    }
    const double diagonal = row[i];
    double pivot = diagonal;
    for (std::size_t k = 0; k < i; ++k) {
      const double scaled = row[k] * pivots[k];
      pivot -= row[k] * scaled;
      row[k] = scaled;
    }
    // Entries are rounded to single precision, but row sums keep closed parts singular to double precision, and an
    // unknown tied to the outside by a tiny entry its pivot.
    pivots[i] = pivot > 1e-11 * diagonal ? 1 / pivot : 0;
    row[i] = pivots[i];
  }
}

void CoarsestLdl::solve(Level& level) {
  const auto n = static_cast<std::size_t>(level.rows);
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = &matrix_[i * n];
    double sum = static_cast<double>(level.b[i]);
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * work_[k];
    work_[i] = sum;
  }
  for (std::size_t i = 0; i < n; ++i) work_[i] *= matrix_[i * n + i];
  for (std::size_t i = n; i-- > 0;) {
    const double* row = &matrix_[i * n];
    for (std::size_t k = 0; k < i; ++k) work_[k] -= row[k] * work_[i];
    level.x[i] = static_cast<float>(work_[i]);
  }
}

}  // namespace ymir::amg
