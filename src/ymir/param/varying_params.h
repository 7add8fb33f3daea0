// The parameters of a behavior that data may override, under the names of the channels that do.
#pragma once

#include "ymir/param/schema_info.h"

namespace ymir {

// Those of a nested struct carry its name: internal_friction_saturation.
std::vector<ParamInfo> varying_params(const SchemaInfo& schema);

}  // namespace ymir
