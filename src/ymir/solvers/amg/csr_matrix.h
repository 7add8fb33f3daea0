// Symmetric sparse matrix by rows, for algebraic multigrid: off-diagonal entries and the sum of every row.
//
//   (A x)_i = s_i x_i + sum over the entries j of row i of a_ij (x_j - x_i),   a_ii = s_i - sum of a_ij
//
// In this form constants give exactly s. Single precision holds the entries of a pressure matrix exactly (they are
// face coefficients); matrices with others give them in `exact` too, which products then use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"

namespace ymir {

struct CsrMatrix {
  std::vector<std::int32_t> starts{0};  // entries of row i: starts[i] .. starts[i + 1]
  std::vector<std::int32_t> columns;    // never the row itself
  std::vector<float> values;
  std::vector<double> exact;  // empty: values are exact
  std::vector<double> row_sums;

  std::int32_t rows() const { return static_cast<std::int32_t>(starts.size()) - 1; }
  std::size_t bytes() const {
    return 4 * (starts.size() + columns.size() + values.size()) + 8 * (exact.size() + row_sums.size());
  }

  // y = A x; x and y must not overlap.
  void multiply(std::span<const double> x, std::span<double> y) const {
    multiply(x, y, [from = x.data()](std::int32_t j) { return from[j]; });
  }
  // With at(j) for x_j, where columns reach beyond the rows.
  template <class At>
  void multiply(std::span<const double> x, std::span<double> y, const At& at) const {
    YMIR_CHECK(x.size() == row_sums.size() && y.size() == x.size());
    exact.empty() ? multiply(values.data(), x.data(), y.data(), at) : multiply(exact.data(), x.data(), y.data(), at);
  }
  double diagonal(std::int32_t i) const {
    double sum = row_sums[static_cast<std::size_t>(i)];
    for (auto k = static_cast<std::size_t>(starts[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(starts[static_cast<std::size_t>(i) + 1]); ++k)
      sum -= exact.empty() ? static_cast<double>(values[k]) : exact[k];
    return sum;
  }

 private:
  template <class V, class At>
  void multiply(const V* a, const double* x, double* y, const At& at) const {
    parallel_blocks(rows(), 8192, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const At value = at;  // a copy, so that nothing of it is loaded again after a store
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const double mine = x[i];
        double sum = row_sums[static_cast<std::size_t>(i)] * mine;
        const std::int32_t last = starts[static_cast<std::size_t>(i) + 1];
        for (std::int32_t k = starts[static_cast<std::size_t>(i)]; k < last; ++k)
          sum += static_cast<double>(a[k]) * (value(columns[static_cast<std::size_t>(k)]) - mine);
        y[i] = sum;
      }
    });
  }
};

}  // namespace ymir
