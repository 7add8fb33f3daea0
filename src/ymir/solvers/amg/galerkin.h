// The coarser matrix P' A P, times a factor.
#pragma once

#include "ymir/solvers/amg/level.h"

namespace ymir::amg {

// `constants`: the rows of P sum up to 1, so that the coarse row sums are P' times the fine ones, exact where those
// vanish. Otherwise they are summed. `numbers`: of the coarse columns, where rows are shared by ranks; ghosts may be
// added. Collective then.
void set_galerkin(const Level& fine, double factor, bool constants, GhostNumbers* numbers, Level& coarse);

}  // namespace ymir::amg
