// Whether a cell is the right way round: det dx/dr > 0 at its quadrature points. [Hughes2000]
#pragma once

#include "ymir/data/solid_mesh.h"

namespace ymir {

// flat: |det| <= 1e-12 L^3 somewhere, L being the largest distance of two corners; folded: both signs occur.
enum class CellOrientation : std::uint8_t { upright, inverted, flat, folded };

CellOrientation orientation_of(const SolidMesh& mesh, std::size_t cell);
// Whether an upright cell is inside out at a corner, where no quadrature point sees it: det dx/dr < -1e-12 L^3 there.
bool folded_at_corner(const SolidMesh& mesh, std::size_t cell);
// Mirrors the order of its corners: what was inverted is upright.
void turn(SolidMesh& mesh, std::size_t cell);

}  // namespace ymir
