// A matrix too large to be factored together with others: it is solved by iterations of its own, to which what is
// coupled to it adds in a few rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {

class LargeMatrix {
 public:
  virtual ~LargeMatrix() = default;

  // What others add to the product at some rows, from x there. Symmetric.
  using Addition = std::function<void(std::span<const double> x, std::span<double> y)>;

  // A right side, of which this rank may know only some rows.
  virtual void complete(std::span<double> /*b*/) {}
  // The preconditioner, for the values there are. False: they are not positive definite, or almost not.
  virtual bool refresh() = 0;
  // (A + K) x = b: K, the addition, acts on the three rows of each of `nodes`, ascending.
  virtual CgReport solve(std::span<const double> b, std::span<double> x, std::span<const std::int32_t> nodes,
                         const Addition& addition) = 0;
  virtual void multiply(std::span<const double> x, std::span<double> y) = 0;
  virtual double diagonal(std::size_t row) const = 0;
  // Whether it can be factored with others after all, where iterations do not manage.
  virtual bool factorable() const = 0;
};

}  // namespace ymir
