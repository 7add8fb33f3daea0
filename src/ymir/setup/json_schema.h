// The registry as JSON, for editors and other programs.
#pragma once

#include <string>

#include "ymir/behaviors/registry.h"

namespace ymir {

// JSON Schema (draft 2020-12) of the setup file.
std::string json_schema(const Registry& registry);
// Every behavior, and the sections of the file, with their parameters: type, unit, range, default. For programs that
// make setups.
std::string describe_json(const Registry& registry);

}  // namespace ymir
