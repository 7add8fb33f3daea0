// Parts of a surface that hang together: leaves, trunks, fruit.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

// The number of the part of each vertex, -1 for those of no triangle; parts in the order of their first vertex.
std::vector<std::int32_t> parts_of(const Surface& surface, std::int32_t& count);
// Each as a surface of its own.
std::vector<Surface> separated(const Surface& surface);

}  // namespace ymir
