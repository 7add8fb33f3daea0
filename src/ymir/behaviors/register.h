#pragma once

#include "ymir/behaviors/registry.h"

namespace ymir {

// Every behavior of Ymir.
Registry all_behaviors();

}  // namespace ymir
