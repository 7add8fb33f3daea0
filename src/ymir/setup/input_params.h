// One entry of the `inputs:` section: a file, what it holds, and the length of its unit.
#pragma once

#include <optional>
#include <string>

#include "ymir/param/schema.h"

namespace ymir {

struct InputParams {
  std::optional<std::string> points, curves, surface, volume;  // exactly one
  double scale = 1;                                            // [m]

  static Schema<InputParams> schema();
};

}  // namespace ymir
