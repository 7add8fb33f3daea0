// Nodes of a mesh that follow an animated surface exactly: a jelly on a plate, the base of a tongue. [Lesser2022, 6.3]
#pragma once

#include <memory>
#include <string>

#include "ymir/data/animated_surface.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

// Holds the nodes that are within `range` [m] of the surface at time 0; before ingest. Returns how many.
std::size_t attach_nodes(MeshObject& object, const std::string& owner, std::shared_ptr<const AnimatedSurface> surface,
                         double range);

}  // namespace ymir
