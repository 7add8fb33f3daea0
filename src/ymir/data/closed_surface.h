// Whether a surface has an inside, and what is in the way of one.
#pragma once

#include <string>

#include "ymir/data/meshes.h"

namespace ymir {

// What is wrong and what to do about it, naming a triangle or an edge; empty: closed(surface).
std::string why_not_closed(const Surface& surface);
// Vertices of no triangle.
std::size_t loose_vertices(const Surface& surface);
// Negative where triangles are clockwise seen from outside [m^3].
double enclosed_volume(const Surface& surface);
// Turns all triangles around.
void turn_inside_out(Surface& surface);

}  // namespace ymir
