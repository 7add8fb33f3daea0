// What the Constraints of an object keep from substep to substep, as one list: saved, rolled back, checkpointed and
// hashed with the object.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ymir/pipeline/channel.h"

namespace ymir {

class ConstraintState {
 public:
  // `owned`: the object lives on this rank.
  template <class Constraint>
  ConstraintState(const std::vector<std::unique_ptr<Constraint>>& constraints, bool owned) {
    if (!owned) return;
    for (const auto& constraint : constraints)
      if (const auto state = constraint->state(); !state.empty()) parts_.push_back(state);
  }

  std::vector<double> values() const;
  std::size_t size() const;
  void set(std::span<const double> values);  // as many as there are
  std::uint64_t hash(std::uint64_t seed) const;

 private:
  std::vector<std::span<double>> parts_;  // one per constraint that keeps anything
};

// As a kept channel, `constraints`.
Channel constraint_channel(std::function<ConstraintState()> state);

}  // namespace ymir
