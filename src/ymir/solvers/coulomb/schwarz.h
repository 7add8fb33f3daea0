// Overlapping blocks of contacts, each solved by Newton's method with the others held, one block after the other.
#pragma once

#include "ymir/solvers/coulomb/progress.h"

namespace ymir::coulomb {

void schwarz(const System& system, Vector r, int most_rounds, Progress& progress);

}  // namespace ymir::coulomb
