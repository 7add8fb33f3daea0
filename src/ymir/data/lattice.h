// A closed surface embedded in a lattice of cubes that it fills, whole or in part. [Lesser2022, 7.3]
#pragma once

#include <string>

#include "ymir/data/solid_mesh.h"

namespace ymir {

// Cubes with edge `cell` [m] that hold any of the surface or its inside. A cube that is filled to less than a twentieth
// counts as that: less would spoil the conditioning of the system. Throws Error, naming the surface, when it is not
// closed, encloses nothing, or needs more than `most` cells; `knob` is what users change then.
SolidMesh lattice_of(const Surface& surface, double cell, const std::string& name, std::size_t most,
                     const char* knob = "cell");

}  // namespace ymir
