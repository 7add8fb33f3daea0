// Inverses of the diagonal blocks of a level, and the largest eigenvalue of D^-1 A.
#pragma once

#include "ymir/solvers/elastic_amg/block_level.h"

namespace ymir::elastic_amg {

// False when a diagonal block is not positive definite.
template <int N>
bool invert_diagonal(BlockLevel<N>& level);

// By Lanczos' method from a fixed vector; after invert_diagonal(). False when it meets a direction without stiffness or
// with a negative one.
template <int N>
bool estimate_largest(BlockLevel<N>& level);

}  // namespace ymir::elastic_amg
