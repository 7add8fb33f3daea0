// When a Newton iteration of solids ends.
#pragma once

namespace ymir {

// Converged: residual displacements are below the tolerance and the last step below the square root of it. Newton
// converges quadratically, so that what is left is of the order of the tolerance. The residual alone would not do:
// every vertex may be in place relative to its neighbours while the whole has yet to fall.
struct NewtonSettings {
  double tolerance = 1e-4;  // of residual displacements, relative to the mean edge
  int max_iterations = 30;
};

}  // namespace ymir
