// Where the 3x3 blocks of elements with N nodes stand in the matrix of a mesh, and sums into them from vector lanes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ymir/physics/constraints/kernel.h"
#include "ymir/solvers/block_matrix.h"

namespace ymir {

template <int N>
class ElementScatter {
 public:
  static constexpr std::size_t pairs = packed_size(N);

  // `nodes` holds `stride` nodes per element, the first N of which are meant; it outlives this.
  void connect(const BlockMatrix& matrix, std::span<const std::int32_t> nodes, int stride) {
    nodes_ = nodes;
    stride_ = static_cast<std::size_t>(stride);
    const std::size_t count = nodes.size() / stride_;
    slots_.resize(count * pairs);
    for (std::size_t e = 0; e < count; ++e)
      for (int a = 0; a < N; ++a)
        for (int b = 0; b <= a; ++b)
          slots_[e * pairs + packed(a, b)] =
              matrix.slot(std::max(node(e, a), node(e, b)), std::min(node(e, a), node(e, b)));
  }

  // h: lower triangle over 3 N degrees of freedom, packed by rows. Two nodes of an element may be the same.
  template <class Real>
  void add(BlockMatrix& matrix, std::size_t e, const Real* h, int lane) const {
    for (int a = 0; a < N; ++a)
      for (int b = 0; b <= a; ++b) {
        double* block = matrix.block(slots_[e * pairs + packed(a, b)]);
        const bool turned = node(e, a) < node(e, b), both = a != b && node(e, a) == node(e, b);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) {
            const int i = 3 * a + r, j = 3 * b + c;
            const double value = h[i >= j ? packed(i, j) : packed(j, i)][lane];
            if (!turned || both) block[3 * r + c] += value;
            if (turned || both) block[3 * c + r] += value;
          }
      }
  }

 private:
  std::int32_t node(std::size_t e, int a) const { return nodes_[e * stride_ + static_cast<std::size_t>(a)]; }

  std::span<const std::int32_t> nodes_;
  std::size_t stride_ = N;
  std::vector<std::int32_t> slots_;
};

}  // namespace ymir
