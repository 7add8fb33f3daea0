// Gravity compensation of soft bodies: a stress that bears the constant forces where the body begins.
//
//   div S = -f,  S = 2 mu eps(z) + lambda tr eps(z) I of the z that Hooke's solid would yield under f
//   E = integral of S : F'F/2,  force F S grad N: turns with the body, and is f's opposite where F = I
//
// Whatever the material, the body is in equilibrium at rest; away from there it feels S as one that has grown under its
// weight. As inverse dynamics of strands [Lesser2022, 6.3] this takes one solve, forces being linear in S.
#pragma once

#include <string>

#include "ymir/actions/elastic_solid.h"

namespace ymir {

// share: of the constant forces that are borne, 0 to 1. Only what is held exactly carries the body: throws Error where
// that leaves it loose. When all else has been added, before ingest; the body begins at rest. Returns how much
// stiffer the material would have to be for the body to stand so, in steps of 1.25: equilibrium is not stability; 1: it
// stands; infinity: it does not however stiff.
double add_load_stress(MeshObject& object, const std::string& owner, const ElasticSolidMaterial& material,
                       double share);

}  // namespace ymir
