// Examples with few hairs, which are as good as many to see whether something works at all.
#pragma once

#include "ymir/setup/solver_setup.h"

namespace ymir {

inline void set_few_hairs(SolverSetup& setup, std::int64_t strands, std::int64_t guides) {
  for (InputSpec& input : setup.inputs)
    for (NamedValue& item : input.recipe.items)
      if (auto* recipe = std::get_if<ParamValues>(&item.value)) {
        if (item.name == "groom") set_value(*recipe, "strands", strands);
        if (item.name == "guides") set_value(*recipe, "count", guides);
      }
}

}  // namespace ymir
