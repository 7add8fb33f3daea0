// JSON Schema (draft 2020-12) of the setup file, for editors and other programs.
#pragma once

#include <string>

#include "ymir/behaviors/registry.h"

namespace ymir {

std::string json_schema(const Registry& registry);

}  // namespace ymir
