// Values of parameters without their C++ type, as readers, hosts and checkpoints pass them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

// First and last frame, both simulated.
struct FrameRange {
  std::int64_t first = 1;
  std::int64_t last = 48;
  friend bool operator==(const FrameRange&, const FrameRange&) = default;
};

struct NamedValue;

// Values by parameter name, in the order they were set; each name once.
struct ParamValues {
  std::vector<NamedValue> items;
};

// monostate: an optional parameter that is not set. Choices, inputs and groups are held by name.
using ParamValue = std::variant<std::monostate, bool, std::int64_t, double, Vec3d, std::string, std::vector<double>,
                                FrameRange, ParamValues, std::vector<ParamValues>>;

struct NamedValue {
  std::string name;
  ParamValue value;
};

bool operator==(const ParamValues& a, const ParamValues& b);

// nullptr: not among the values.
const ParamValue* find_value(const ParamValues& values, std::string_view name);
void set_value(ParamValues& values, std::string_view name, ParamValue value);

}  // namespace ymir
