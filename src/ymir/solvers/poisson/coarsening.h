// The matrix of the next coarser level: piecewise constant transfer on 2x2x2 blocks, times one half, which is the
// rediscretisation with averaged coefficients: faces of four times the area at twice the distance. Open sides get the
// factor that the distance to their x = 0 asks for: it does not double. A coarse cell is an unknown when one of its
// cells is. [method notes C, 3]
#pragma once

#include "ymir/solvers/poisson/survey.h"

namespace ymir::poisson {

// One bit per coarse cell of the tile, 16 k + 4 j + i.
std::uint64_t coarse_cells(const TileBits& cells);

// Fills c, d and cells of `coarse`. `survey` belongs to `fine` when that is the finest level and is nullptr elsewhere.
// `open_factor` takes the place of one half for open sides. Collective.
void coarsen_matrix(PoissonLevel& fine, const Survey* survey, float open_factor, PoissonLevel& coarse);

}  // namespace ymir::poisson
