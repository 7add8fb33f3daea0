// Symmetric sparse matrix: the lower triangle in compressed columns.
//
// Column j holds the entries starts()[j] .. starts()[j + 1] of rows() and values(), rows ascending. The diagonal is
// always stored, zero or not, and comes first: values()[starts()[j]] is a_jj. A triplet (i, j, v) stands for a_ij and
// a_ji alike: give each coupling once, either way round. Triplets of the same place are summed in the order given, so
// the result depends on nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ymir {

struct Triplet {
  std::int32_t row;
  std::int32_t column;
  double value;
};

class SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  SymmetricMatrix(std::int32_t size, std::span<const Triplet> triplets);

  // New values for the triplets of the constructor, in their order; the pattern stays.
  void refill(std::span<const double> triplet_values);

  std::int32_t size() const { return static_cast<std::int32_t>(starts_.size()) - 1; }
  std::span<const std::int32_t> starts() const { return starts_; }
  std::span<const std::int32_t> rows() const { return rows_; }
  std::span<const double> values() const { return values_; }
  std::span<double> values() { return values_; }
  double diagonal(std::int32_t j) const {
    return values_[static_cast<std::size_t>(starts_[static_cast<std::size_t>(j)])];
  }

  // y = A x; x and y must not overlap.
  void multiply(std::span<const double> x, std::span<double> y) const;
  // |b - A x|, and r = b - A x.
  double residual(std::span<const double> b, std::span<const double> x, std::span<double> r) const;

 private:
  std::vector<std::int32_t> starts_{0};
  std::vector<std::int32_t> rows_;
  std::vector<double> values_;
  std::vector<std::int32_t> slots_;  // where each triplet is summed
};

}  // namespace ymir
