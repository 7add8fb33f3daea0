// Gravity compensation of cloth: tensions and moments that bear the constant forces where the cloth begins.
//
//   K z = f,  y_0 = W J z: stress of stretch, shear and bending beside W C;   force J(x)' y_0, f's opposite at first
//
// As for soft bodies (load_stress.h) equilibrium is exact whatever z is. K is that of the cloth without stress and may
// be singular: a curtain held by one edge turns about it. Only what a load would do along such a motion cannot be
// borne.
#pragma once

#include <string>

#include "ymir/objects/mesh_object.h"

namespace ymir {

// share: of the constant forces that are borne, 0 to 1. Throws Error where stresses cannot bear them, or where the
// cloth begins under stress. When all else has been added, before ingest. Returns how much stiffer the cloth would have
// to be to stand so, in steps of 1.25; 1: it stands; infinity: it does not however stiff.
double add_shell_load(MeshObject& object, const std::string& owner, double share);

}  // namespace ymir
