// Anderson's acceleration of sweeps: the next iterate is the combination of the last few whose steps cancel best. It
// needs no matrix beyond what sweeps need.
#pragma once

#include "ymir/solvers/coulomb/progress.h"
#include "ymir/solvers/coulomb/sweeps.h"

namespace ymir::coulomb {

void anderson(const System& system, Sweeper& sweeper, Vector r, int most_sweeps, Progress& progress);

}  // namespace ymir::coulomb
