// Air that moves past a cloth: pressure on its triangles by the wind across them, friction by the wind along them.
//
//   f = rho A/2 (C_n |w_n| w_n + C_t |w_t| w_t),  w = wind - velocity, w_n along the normal, w_t the rest
//
// Implicit in the velocity; normal and area are those when the substep begins. [Hoerner1965]
#pragma once

#include <string>

#include "ymir/actions/prescribed_field.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

struct ClothDragParams {
  double fluid_density = 1.225;  // rho [kg/m^3]
  double pressure = 1.2;         // C_n, of a plate across the flow
  double friction = 0.01;        // C_t, of both sides of a plate along it
};

// Before ingest.
void add_cloth_drag(MeshObject& object, const std::string& owner, const ClothDragParams& params, PrescribedField wind);

}  // namespace ymir
