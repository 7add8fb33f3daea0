// A leaf of the Solver Setup: parameters, and what Objects and Actions they create. No numerics here.
// A behavior B has `struct Params`, `static Schema<Params> schema()` and a constructor from Params.
#pragma once

namespace ymir {

class Scope;

struct Behavior {
  virtual ~Behavior() = default;
  // Adds Objects and Actions to the scope, nothing else.
  virtual void create(Scope& scope) = 0;
};

}  // namespace ymir
