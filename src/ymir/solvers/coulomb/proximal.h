// Proximal point method around Newton's: r_{k+1} solves W + al I, q - al r_k; al shrinks with success, grows with
// failure, and the fixed point does not know it.
#pragma once

#include "ymir/solvers/coulomb/newton.h"

namespace ymir::coulomb {

void proximal(const System& system, Newton& newton, Sweeper& sweeper, Vector r, int most_rounds, Progress& progress);

}  // namespace ymir::coulomb
