// How a solve went, as a value: the substep controller decides what follows.
#pragma once

#include <string>

namespace ymir {

struct SolveReport {
  enum class Status { converged, iterating, failed };
  Status status = Status::converged;
  int iterations = 0;
  double residual = 0;       // relative, unit-free
  std::string worst_object;  // path and where in it, when not converged
};

}  // namespace ymir
