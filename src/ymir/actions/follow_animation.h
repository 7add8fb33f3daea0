// A soft body is pulled towards where an animation puts it: springs per volume, implicit.
//
//   E = sum_i k V_i/2 |x_i - X_i(t)|^2,   k [N/m^4], V_i the volume that a node or a vertex of the skin stands for
#pragma once

#include <memory>
#include <string>

#include "ymir/data/animated_surface.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

// Vertices of the target are the nodes of the mesh. Before ingest; a channel `stiffness` overrides `stiffness`.
void follow_nodes(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness);
// Vertices of the target are those of the skin, which share the volume by their area.
void follow_skin(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness);

}  // namespace ymir
