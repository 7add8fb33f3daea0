// Interior point method on all contacts, de Saxce's term inside Newton's matrix ("one shot").
//
//   x = S r,  y = S^-1 u~,  S = diag(sqrt mu, 1/sqrt mu, 1/sqrt mu):   y = A x + b + |y_T| e,  x, y in K,  x o y = 0
//
// with A = S^-1 W S^-1, b = S^-1 q. Nesterov and Todd's scaling per contact, H x = y with H = V^2; Mehrotra's predictor
// and corrector. It starts from its own point: it cannot use an iterate of others.
#pragma once

#include "ymir/solvers/coulomb/progress.h"

namespace ymir::coulomb {

void interior_point(const System& system, int most_steps, Progress& progress);

}  // namespace ymir::coulomb
