// One level of an algebraic hierarchy, in single precision, and its smoother: Gauss-Seidel within fixed blocks of rows,
// Jacobi between them and between ranks. With 1 / (a_ii + half the sum of |a_ij| that leave the block) for the diagonal
// its forward and backward sweeps make a symmetric, convergent pair for any symmetric positive definite matrix.
// [Baker2011]
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "ymir/parallel/threads.h"
#include "ymir/solvers/amg/halo.h"
#include "ymir/solvers/amg/prolongation.h"

namespace ymir::amg {

struct Level {
  Index rows = 0, block = 0;
  const Index *starts = nullptr, *columns = nullptr;  // of the finest level, the caller's
  const float* values = nullptr;
  Entries own;
  const double* exact_sums = nullptr;  // of rows of the finest level, the caller's
  std::vector<float> row_sums;         // of the others; a_ii = row sum - sum of the entries
  std::vector<float> inverse;          // of the smoother's diagonal; 0 where it is
  std::vector<float> x, b, r;          // of the rows, and of ghosts behind them
  Prolongation prolong;                // from the coarser level
  std::vector<Index> nodes;            // first rows of nodes, where those hold several
  Halo* halo = nullptr;                // of columns on other ranks; none where this rank has all rows
  std::unique_ptr<Halo> own_halo;

  Index columns_here() const { return rows + (halo != nullptr ? halo->count() : 0); }
  Index all_rows() const { return halo != nullptr ? halo->all_rows() : rows; }
  void fetch_x() {
    if (halo != nullptr) halo->fetch(x.data(), x.data() + rows);
  }
  void bind() {
    starts = own.starts.data();
    columns = own.columns.data();
    values = own.values.data();
  }
  float row_sum(Index i) const {
    return exact_sums != nullptr ? static_cast<float>(exact_sums[i]) : row_sums[static_cast<std::size_t>(i)];
  }
  float diagonal(Index i) const {
    double sum = static_cast<double>(row_sum(i));
    for (Index k = starts[i]; k < starts[i + 1]; ++k) sum -= static_cast<double>(values[k]);
    return static_cast<float>(sum);
  }
  // After the matrix is there: the diagonal, and on request the vectors.
  void prepare(bool vectors) {
    inverse.resize(static_cast<std::size_t>(rows));
    parallel_blocks(rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
        double leaving = 0;
        for (Index k = starts[i]; k < starts[i + 1]; ++k)
          if (columns[k] < begin || columns[k] >= end) leaving += static_cast<double>(std::abs(values[k]));
        const double d = static_cast<double>(diagonal(i)) + 0.5 * leaving;
        inverse[static_cast<std::size_t>(i)] = d > 0 ? static_cast<float>(1 / d) : 0;
      }
    });
    if (!vectors) return;
    for (std::vector<float>* v : {&x, &b, &r}) v->resize(static_cast<std::size_t>(columns_here()));
  }
  std::size_t bytes() const {
    return own.bytes() + prolong.bytes() + (own_halo ? own_halo->bytes() : 0) +
           4 * (row_sums.size() + inverse.size() + x.size() + b.size() + r.size() + nodes.size());
  }

  // x = what one forward sweep makes of 0.
  void sweep_from_zero() {
    for_each_block([&](Index begin, Index end) {
      float* to = x.data();
      std::fill(to + begin, to + end, 0.0f);
      for (Index i = begin; i < end; ++i) {
        float sum = b[static_cast<std::size_t>(i)];
        for (Index k = starts[i]; k < starts[i + 1]; ++k)
          if (const Index j = columns[k]; j >= begin && j < end) sum = std::fma(-values[k], to[j], sum);
        to[i] = sum * inverse[static_cast<std::size_t>(i)];
      }
    });
  }
  void sweep(bool forward) {
    fetch_x();
    std::copy(x.begin(), x.end(), r.begin());  // what other blocks see
    for_each_block([&](Index begin, Index end) {
      for (Index n = 0; n < end - begin; ++n) relax(forward ? begin + n : end - 1 - n, begin, end);
    });
  }
  // r = b - A x
  void residual() {
    fetch_x();
    for_each_block([&](Index begin, Index end) {
      const float* from = x.data();
      for (Index i = begin; i < end; ++i) {
        const float mine = from[i];
        float sum = std::fma(-row_sum(i), mine, b[static_cast<std::size_t>(i)]);
        for (Index k = starts[i]; k < starts[i + 1]; ++k) sum = std::fma(values[k], mine - from[columns[k]], sum);
        r[static_cast<std::size_t>(i)] = sum;
      }
    });
  }

  template <class F>
  void for_each_block(F&& body) const {
    if (rows <= block) {
      body(0, rows);
      return;
    }
    parallel_blocks(rows, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      body(static_cast<Index>(begin), static_cast<Index>(end));
    });
  }

 private:
  void relax(Index i, Index begin, Index end) {
    float* now = x.data();
    const float* before = r.data();
    float sum = b[static_cast<std::size_t>(i)], leaving = 0;
    for (Index k = starts[i]; k < starts[i + 1]; ++k) {
      const Index j = columns[k];
      const bool inside = j >= begin && j < end;
      sum = std::fma(-values[k], inside ? now[j] : before[j], sum);
      if (!inside) leaving += std::abs(values[k]);
    }
    now[i] = std::fma(0.5f * leaving, now[i], sum) * inverse[static_cast<std::size_t>(i)];
  }
};

}  // namespace ymir::amg
