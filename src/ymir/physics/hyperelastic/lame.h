// Constants of linear isotropic elasticity: mu = E / 2(1 + nu), lambda = E nu / ((1 + nu)(1 - 2 nu)) [Pa].
// Infinite at nu = 1/2: the caller caps Poisson's ratio.
#pragma once

#include "ymir/math/portable.h"

namespace ymir {

template <class T>
struct Lame {
  T mu, lambda;
};

// Young's modulus [Pa], Poisson's ratio in (-1, 1/2).
template <class T>
YMIR_HD Lame<T> lame(const T& young, const T& poisson) {
  const T mu = young / ((poisson + 1.0) * 2.0);
  return {mu, mu * poisson * 2.0 / (1.0 - poisson * 2.0)};
}

}  // namespace ymir
