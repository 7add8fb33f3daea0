// A soft body is pulled towards where an animation puts it: springs per volume, implicit.
//
//   E = f(t) sum_i k V_i/2 |x_i - X_i(t)|^2,   k [N/m^4], V_i the volume that a node or a vertex of the skin stands for
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ymir/data/animated_surface.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

using FollowFactor = std::function<double(double time)>;  // f of a time [s]

// Vertices of the target are the nodes of the mesh. Before ingest; a channel `stiffness` overrides `stiffness`.
void follow_nodes(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
                  const FollowFactor& factor);
// Vertices of the target are those of the skin, which share the volume by their area.
void follow_skin(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
                 const FollowFactor& factor);

}  // namespace ymir
