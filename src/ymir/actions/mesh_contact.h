// Contact of a mesh's skin with a solid, by the implicit penalty of strand_contact.h: the force on a vertex of the skin
// is handed to the nodes of the cell it is embedded in.
#pragma once

#include <string>

#include "ymir/actions/touched_solid.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

struct MeshContactParams {
  double stiffness = 200;   // k dt^2/m, m being what is behind a part of the skin, as deep as the body is large
  double friction = 0.3;    // mu
  double thickness = 5e-4;  // kept free [m]
};

// Before ingest.
void add_mesh_contact(MeshObject& object, const std::string& owner, SolidDuring solid, const MeshContactParams& params);

}  // namespace ymir
