// What connects pieces: attachments, joints, penalties. A coupling has elements; each ties two embedded points.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ymir/solids/solid_block.h"

namespace ymir {

// An element linearised at the iterate: rows of J over the degrees of freedom of its two points.
struct CouplingRows {
  static constexpr int max_rows = 14;  // 12 of an attachment, 2 of its geometric stiffness
  int rows = 0;
  int hard = 0;                // the first of them are held by multipliers
  int bounded = 0;             // the last of those: multipliers within [low, high], which C = 0 does without at a bound
  double force[max_rows];      // y; of a hard row the multiplier
  double stiffness[max_rows];  // W
  double gap[max_rows];        // C of a hard row [m or 1]
  double low[max_rows], high[max_rows];  // of bounded rows, by number of the row
  double j[max_rows][2 * Embedding::max_dofs];
  int first[2];                            // where each point's columns begin
  Vec3d pull[2] = {{0, 0, 0}, {0, 0, 0}};  // dE/dx at each point, where it may act on a lever [N]
  // sum y d2C over (x, turn) of the source, then of the target; empty unless it is wanted for fast convergence.
  static constexpr int twists = 12;
  bool curved = false;
  double curvature[twists][twists];
};

class Coupling {
 public:
  virtual ~Coupling() = default;
  virtual std::string owner() const = 0;  // path of the behavior
  virtual std::size_t size() const = 0;
  virtual const MaterialPoint& point(std::size_t element, int end) const = 0;  // 0 source, 1 target
  // Where a target without an object is at a time within the substep [s].
  virtual Embedding prescribed(std::size_t element, double time) const = 0;
  virtual void begin(std::size_t element, const Embedding& a, const Embedding& b) = 0;
  virtual void evaluate(std::size_t element, const Embedding& a, const Embedding& b, double dt, CouplingRows& rows) = 0;
  // Of an element with hard rows: their multipliers changed.
  virtual void advance(std::size_t element, const double* change, int rows) = 0;
  virtual void prepare(double time, double dt) = 0;
  virtual bool changing() const = 0;  // elements are made anew in every substep
  // Why a substep of dt, from the state that is there, is more than it can follow; "": it is not. Of this rank.
  virtual std::string too_fast(double /*dt*/) const { return ""; }
  // Whether an element may have an end on the object, in this substep or another.
  virtual bool may_touch(const SolidObject& object) const {
    for (std::size_t e = 0; e < size(); ++e)
      if (point(e, 0).object == &object || point(e, 1).object == &object) return true;
    return false;
  }
  // The substep is solved: what the element remembers of it.
  virtual void end(std::size_t /*element*/, const Embedding& /*a*/, const Embedding& /*b*/) {}
  // What survives a substep: saved, rolled back, checkpointed and hashed with the system.
  virtual std::span<double> state() { return {}; }
};

}  // namespace ymir
