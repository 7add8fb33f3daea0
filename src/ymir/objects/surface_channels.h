// What frames show of an object that is a surface to the eye.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "ymir/pipeline/channel.h"

namespace ymir {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

// `position` and `triangles`, of the rank that holds the surface; others give none.
std::vector<Channel> surface_channels(std::function<std::vector<Vec3d>()> positions,
                                      std::function<const Triangles*()> triangles);

}  // namespace ymir
