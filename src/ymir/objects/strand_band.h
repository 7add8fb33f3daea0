// The band matrices of a group of strands, one per lane, as others see them: products, single rows, blocks of three.
#pragma once

#include <span>

#include "ymir/objects/strand_step.h"
#include "ymir/solids/matrix_part.h"

namespace ymir {

class StrandBand {
 public:
  // Columns as in band_ldl.h.
  StrandBand(const StrandReal* matrix, int rows, bool multipliers)
      : matrix_(matrix),
        rows_(rows),
        half_(multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) {}

  static constexpr int lanes = StrandSystem::lanes;
  std::size_t size() const { return static_cast<std::size_t>(rows_) * lanes; }
  std::size_t entries() const { return static_cast<std::size_t>((rows_ + half_) * (half_ + 1)); }  // with spare columns
  int half_bandwidth() const { return half_; }

  // Strand after strand, three rows of its band a node.
  std::int32_t nodes() const { return lanes * lane_nodes(); }
  std::int32_t slot(std::size_t row) const;
  void visit_blocks(const MatrixPart::BlockVisitor& visit) const;
  void product(const double* x, double* y) const;

  // In a copy of it, rows and columns become those of the identity. A multiplier that has nothing left to act on then
  // gives way, a little.
  void hold(std::span<const std::size_t> held, StrandReal* copy) const;

 private:
  int lane_nodes() const { return (rows_ + 2) / 3; }
  std::size_t place(int r, int c, int lane) const;
  void yield_between(std::span<const std::size_t> held, double* copy) const;

  const StrandReal* matrix_;
  int rows_, half_;
};

}  // namespace ymir
