// Strands that attachments connect, brought together before the simulation begins.
#pragma once

#include "ymir/solids/solid_system.h"

namespace ymir {

// Few strands that attachments connect go to one rank and into the same groups: their cluster is small and needs no
// messages. Many stay where they are.
void co_locate(const SolidSystem& solids);

}  // namespace ymir
