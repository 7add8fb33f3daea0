// The pressure matrix by rows, for solvers that need its entries: one row per unknown with a link, in the order of the
// tiles, x fastest within a tile.
#pragma once

#include <span>

#include "ymir/solvers/amg/algebraic_solver.h"
#include "ymir/solvers/poisson/components.h"

namespace ymir::poisson {

// This rank's rows, columns counted over all ranks. The arrays of `fine` must be bound. Collective.
AlgebraicSystem assemble(const PoissonLevel& fine, const Components& components);

// Values of the unknowns of tiles in the caller's volume, by rows, and back.
void take_rows(const PoissonLevel& fine, const double* tiles, std::span<double> rows);
void put_rows(const PoissonLevel& fine, std::span<const double> rows, double* tiles);

}  // namespace ymir::poisson
