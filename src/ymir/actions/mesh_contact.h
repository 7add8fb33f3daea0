// Contact of a mesh's skin with a solid, by the implicit penalty of strand_contact.h: the force on a vertex of the skin
// is handed to the nodes of the cell it is embedded in.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ymir/actions/collider_contact.h"
#include "ymir/data/deforming_surface.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

struct MeshContactParams {
  double stiffness = 200;   // k dt^2/m, m being what is behind a part of the skin, as deep as the body is large
  double friction = 0.3;    // mu
  double thickness = 5e-4;  // kept free [m]
};

// A solid during a substep, as a point near it asks.
struct TouchedSolid {
  double distance;         // signed [m]
  Vec3d normal;            // out of the solid
  Vec3d carried{0, 0, 0};  // how far its surface there has come since the substep began [m]
};
using SolidDuring = std::function<std::function<TouchedSolid(Vec3d x)>(double begin, double end)>;

SolidDuring solid_during(Collider collider);
SolidDuring solid_during(std::shared_ptr<const DeformingSurface> surface);

// Before ingest.
void add_mesh_contact(MeshObject& object, const std::string& owner, SolidDuring solid, const MeshContactParams& params);

}  // namespace ymir
