// Predictor-corrector solver of the pressure equation where some cells must not pull: [Lesser2022, Algorithm 2;
// method notes C, 5]
//
//   A x = b in free cells,   0 <= x  _|_  A x - b >= 0 in bounded cells
//
// A is that of tile_poisson.h. The predictor ignores the bounds. The corrector holds at 0 the bounded cells that would
// be below it, solves for the others with the same solver (held cells are open sides), and repeats until that set stays
// (primal-dual active set); projected Gauss-Seidel takes over should it cycle.
#pragma once

#include "ymir/solvers/poisson/pressure_solver.h"

namespace ymir {

struct LcpReport {
  PoissonReport solve;         // of the last linear solve; converged only if the complementarity is too
  int solves = 0;              // linear solves, with the predictor
  int sweeps = 0;              // of projected Gauss-Seidel
  std::int64_t held = 0;       // bounded cells at 0
  double complementarity = 0;  // largest |min(x, (A x - b) / a_ii)| of bounded cells over the largest |x|
};

class PcLcp {
 public:
  // Adds channels to the volume. The solver is called with other matrices: its matrix must be set again afterwards.
  PcLcp(DiscreteVolume& volume, PressureSolver& solver);

  // bounded: 1 where x >= 0. c, the unknowns, b and x as in TilePoisson. Collective.
  LcpReport solve(ChannelId<float> coefficient, ChannelId<std::uint8_t> cell, ChannelId<std::uint8_t> bounded,
                  ChannelId<double> b, ChannelId<double> x, const PoissonOptions& options = {});

 private:
  struct Problem {
    ChannelId<float> coefficient;
    ChannelId<std::uint8_t> cell, bounded;
    ChannelId<double> b, x;
  };
  struct Errors {
    double bounded = 0;        // largest |min(x, w / a_ii)|
    double largest = 0;        // |x|
    double free2 = 0, b2 = 0;  // squares of the residual on cells not held, and of b there
    std::int64_t changed = 0, held = 0;
  };
  Errors examine(const Problem& problem, bool change);
  void sweep(const Problem& problem, int colour);

  DiscreteVolume* volume_;
  PressureSolver* solver_;
  ChannelId<std::uint8_t> free_;  // unknowns that are not held
  ChannelId<double> next_;        // of a sweep
};

}  // namespace ymir
