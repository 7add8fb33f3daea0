// A leaf of the Solver Setup: parameters, and what Objects and Actions they create. No numerics here.
// A behavior B has `struct Params`, `static Schema<Params> schema()` and a constructor from Params.
#pragma once

#include <string>
#include <vector>

#include "ymir/param/applicability.h"

namespace ymir {

class Scope;

struct Behavior {
  virtual ~Behavior() = default;
  // Adds Objects and Actions to the scope, nothing else.
  virtual void create(Scope& scope) = 0;

  // Channels of objects of a kind named by a Varying parameter which this behavior, set up as it is, would not look at,
  // and what to do about it. Such a channel is an error unless another behavior takes it.
  struct Unused {
    std::string channel, remedy;
  };
  virtual std::vector<Unused> unused(ActsOn /*kind*/) const { return {}; }
};

}  // namespace ymir
