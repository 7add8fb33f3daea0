// Positions as the 32-bit floats most exchange formats store.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/math/vec3.h"

namespace ymir {

inline std::vector<Vec3f> single_precision(const std::vector<Vec3d>& positions, const std::string& file) {
  std::vector<Vec3f> rounded;
  rounded.reserve(positions.size());
  for (const Vec3d& p : positions) {
    rounded.emplace_back(p);
    if (!is_finite(rounded.back()))
      throw Error(ExitCode::numerical,
                  fmt::format("{}: point {} at ({}, {}, {}) has no finite 32-bit position; nothing "
                              "was written: check the simulation",
                              file, rounded.size() - 1, p.x, p.y, p.z));
  }
  return rounded;
}

}  // namespace ymir
