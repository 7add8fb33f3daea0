// Reads the `setup:` section: the tree of groups and behaviors.
#pragma once

#include "ymir/behaviors/registry.h"
#include "ymir/setup/solver_setup.h"
#include "ymir/setup/value_reader.h"

namespace ymir {

// The root group. `known.groups` is filled in; `known.inputs` must be complete.
SetupNode read_tree(const YamlNode& section, const Registry& registry, KnownNames& known, Reporter& report);

}  // namespace ymir
