// One level of the hierarchy of an elastic matrix: symmetric, of N x N blocks in single precision, and its smoother.
//
// The smoother is a Chebyshev polynomial in D^-1 A, D the diagonal blocks: it damps the upper part of the spectrum
// [largest / spread, largest], is symmetric, and is made of products alone, so that neither chunks nor threads show in
// its result. [Adams2003]
//
// Rows may be shared by ranks: columns from rows() on are ghosts, rows of other ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ymir/math/simd.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/amg/halo.h"

namespace ymir::elastic_amg {

using Index = std::int32_t;

constexpr int modes = 6;  // rigid motions: unknowns of a coarse node
constexpr std::ptrdiff_t chunk_rows = 512;
// Vectors are loaded whole where a block ends earlier: room behind the last one.
constexpr std::size_t overhang = 8;

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Blocks of R x C values by rows of the matrix; every block by rows.
template <int R, int C>
struct BlockRows {
  std::vector<Index> starts, columns;
  std::vector<float> values;

  float* block(Index k) { return values.data() + static_cast<std::size_t>(R * C) * at(k); }
  const float* block(Index k) const { return values.data() + static_cast<std::size_t>(R * C) * at(k); }
  Index rows() const { return static_cast<Index>(starts.size()) - 1; }
  void make_room() { values.assign(static_cast<std::size_t>(R * C) * columns.size() + overhang, 0); }
  std::size_t bytes() const { return 4 * (starts.size() + columns.size() + values.size()); }
};

template <class F>
void each_row(Index rows, F&& body) {
  parallel_blocks(rows, chunk_rows, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) body(i);
  });
}

// Brings values of nodes of other ranks, one or `width` to a node.
class GhostNodes {
 public:
  GhostNodes(Communicator& communicator, const amg::GhostNumbers& numbers, Index width);
  Communicator& communicator() const { return nodes_.communicator(); }
  amg::Halo& nodes() { return nodes_; }
  amg::Halo& scalars() { return scalars_; }
  Index count() const { return nodes_.count(); }
  Index first() const { return nodes_.first_rows()[static_cast<std::size_t>(communicator().rank())]; }
  Index all() const { return nodes_.all_rows(); }

 private:
  amg::Halo nodes_, scalars_;
};

template <int N>
struct BlockLevel {
  using Row = Lanes<float, N == 3 ? 4 : 8>;  // a column of a block, and what follows it
  static constexpr int degree = 2;           // of the smoother
  static constexpr float spread = 12;
  static constexpr auto width = static_cast<std::size_t>(N);

  BlockRows<N, N> matrix;              // its blocks by columns; columns ascending
  std::unique_ptr<GhostNodes> ghosts;  // none where this rank has all rows
  std::vector<Index> diagonal;         // entry of every row
  std::vector<float> inverse;          // of the diagonal blocks, by columns
  std::vector<float> x, b, r, d, y;    // y: x, one step on
  float largest = 0;                   // eigenvalue of D^-1 A, estimated from above

  Index rows() const { return matrix.rows(); }
  Index columns_here() const { return rows() + (ghosts ? ghosts->count() : 0); }
  Index all_rows() const { return ghosts ? ghosts->all() : rows(); }
  bool all(bool good) const { return ghosts ? ghosts->communicator().all(good) : good; }
  double sum(double share) const { return ghosts ? ghosts->communicator().ordered_sum(share) : share; }

  // After the pattern is there.
  void make_room() {
    matrix.make_room();
    inverse.assign(width * width * at(rows()) + overhang, 0);
    for (auto* v : {&x, &b, &r, &d, &y}) v->assign(width * at(columns_here()) + overhang, 0);
    diagonal.resize(at(rows()));
    for (Index i = 0; i < rows(); ++i)
      for (Index k = matrix.starts[at(i)]; k < matrix.starts[at(i) + 1]; ++k)
        if (matrix.columns[at(k)] == i) diagonal[at(i)] = k;
  }
  std::size_t bytes() const { return matrix.bytes() + 4 * (diagonal.size() + inverse.size() + 5 * x.size()); }

  // Smooths x for A x = b, from 0 or from what x is.
  void smooth(bool from_zero) {
    const float high = largest, low = largest / spread, mid = (high + low) / 2, half = (high - low) / 2;
    const float sigma = mid / half;
    float rho = 1 / sigma;
    if (from_zero)
      each_row(rows(), [&](Index i) {
        const Row step = times(inverse.data() + width * width * at(i), b.data() + width * at(i)) * (1 / mid);
        put(step, d, i);
        put(step, x, i);
      });
    else
      step_on(0, 1 / mid);
    for (int k = 1; k < degree; ++k) {
      const float next = 1 / (2 * sigma - rho);
      step_on(next * rho, 2 * next / half);
      rho = next;
    }
  }
  // r = b - A x
  void residual() {
    fetch();
    each_row(rows(), [&](Index i) { put(residual_of(i), r, i); });
  }
  // y = A x
  void product() {
    fetch();
    each_row(rows(), [&](Index i) { put(product_of(i), y, i); });
  }
  // d = D^-1 r
  void scale_residual() {
    each_row(rows(),
             [&](Index i) { put(times(inverse.data() + width * width * at(i), r.data() + width * at(i)), d, i); });
  }

 private:
  // x of ghosts
  void fetch() {
    if (ghosts) ghosts->scalars().fetch(x.data(), x.data() + width * at(rows()));
  }
  // Block (by columns) times vector.
  static Row times(const float* block, const float* v) { return add_times(Row::all(0), block, v); }
  static Row add_times(Row sum, const float* block, const float* v) {
    for (int c = 0; c < N; ++c) sum += Row::load(block + N * c) * v[c];
    return sum;
  }
  Row product_of(Index i) const {
    Row sum = Row::all(0);
    for (Index k = matrix.starts[at(i)]; k < matrix.starts[at(i) + 1]; ++k)
      sum = add_times(sum, matrix.block(k), x.data() + width * at(matrix.columns[at(k)]));
    return sum;
  }
  Row residual_of(Index i) const { return Row::load(b.data() + width * at(i)) - product_of(i); }
  // Only the lanes that are the row's: the next row may be another thread's.
  static void put(const Row& row, std::vector<float>& to, Index i) {
    float* p = to.data() + width * at(i);
    for (int c = 0; c < N; ++c) p[c] = row[c];
  }
  // d = keep d + take D^-1 (b - A x), x += d
  void step_on(float keep, float take) {
    fetch();
    each_row(rows(), [&](Index i) {
      float left[overhang];
      residual_of(i).store(left);
      Row step = times(inverse.data() + width * width * at(i), left) * take;
      if (keep != 0) step += Row::load(d.data() + width * at(i)) * keep;
      put(step, d, i);
      put(Row::load(x.data() + width * at(i)) + step, y, i);
    });
    x.swap(y);
  }
};

}  // namespace ymir::elastic_amg
