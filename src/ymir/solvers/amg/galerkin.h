// The coarser matrix P' A P, times a factor.
#pragma once

#include "ymir/solvers/amg/level.h"

namespace ymir::amg {

// `constants`: the rows of P sum up to 1, so that the coarse row sums are P' times the fine ones, exact where those
// vanish. Otherwise they are summed.
void set_galerkin(const Level& fine, double factor, bool constants, Level& coarse);

}  // namespace ymir::amg
