// The matrix of a member of a cluster for the whole system, in parts: the block itself, or what its pieces are
// condensed to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ymir/solids/matrix_part.h"

namespace ymir {

class MatrixSource {
 public:
  virtual ~MatrixSource() = default;

  struct Place {
    std::size_t part;
    std::int32_t slot;
  };
  virtual std::size_t parts() const = 0;
  virtual const MatrixPart& part(std::size_t part) const = 0;
  virtual std::int64_t piece_of(std::size_t part) const = 0;  // decides on the order of parts
  virtual Place place_of(std::size_t row) const = 0;          // of a row that couplings act on
  virtual void right_side(std::size_t part, double* b) = 0;   // over its slots
  virtual void take(std::size_t part, const double* x) = 0;   // solution over its slots
};

}  // namespace ymir
