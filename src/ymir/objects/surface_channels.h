// What frames show of an object that is a surface to the eye.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "ymir/pipeline/channel.h"

namespace ymir {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

// Of the rank that holds the surface; others give none.
struct ShownSurface {
  std::function<std::vector<Vec3d>()> positions;
  std::function<const Triangles*()> triangles;
  std::function<std::vector<Vec3d>()> velocities = {};  // empty: none are shown
  std::function<std::vector<Vec3d>()> rest = {};        // vertices without stress; empty: no stretch is shown
};
std::vector<Channel> surface_channels(const ShownSurface& surface);

// Largest |length / rest length - 1| of all edges.
double largest_stretch(const Triangles& triangles, const std::vector<Vec3d>& rest, const std::vector<Vec3d>& now);

}  // namespace ymir
