// A symmetric matrix as part of a larger one: of a block, or of the ports that a block is condensed to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ymir {

class Condensable;
class LargeMatrix;

class MatrixPart {
 public:
  virtual ~MatrixPart() = default;
  virtual std::size_t size() const = 0;  // unknowns
  // 3x3 blocks (nine values by rows) of nodes i >= j, always the same ones in the same order. Unknown `row` is
  // component slot(row) % 3 of node slot(row) / 3; slots without an unknown have no values.
  using BlockVisitor = std::function<void(std::int32_t i, std::int32_t j, const double* values)>;
  virtual std::int32_t nodes() const = 0;
  virtual std::int32_t slot(std::size_t row) const { return static_cast<std::int32_t>(row); }
  virtual void visit_blocks(const BlockVisitor& visit) const = 0;
  virtual bool indefinite() const = 0;  // it has multipliers
  // Itself, where it is too large to be factored with others; without slots that are no unknowns.
  virtual LargeMatrix* large() const { return nullptr; }
  // Itself, where all but a few of its rows can be eliminated.
  virtual Condensable* condensable() { return nullptr; }
};

}  // namespace ymir
