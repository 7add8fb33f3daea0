// A matrix of pieces that do not depend on each other, of which all rows but a few can be eliminated.
#pragma once

#include <cstddef>
#include <span>

namespace ymir {

class Condensable {
 public:
  virtual ~Condensable() = default;
  virtual bool factor() = 0;  // as a whole, made definite where that is needed; false: it cannot be
  // The matrix without some rows: solve() then leaves those rows at 0, product() still is the whole matrix.
  virtual bool factor_without(std::span<const std::size_t> rows) = 0;
  virtual void solve(const double* r, double* z) const = 0;
  virtual void product(const double* x, double* y) const = 0;
};

}  // namespace ymir
