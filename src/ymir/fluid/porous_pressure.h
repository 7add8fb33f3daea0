// The pressure equation of a gas in the pores between objects that give way to it. [Stomakhin2020; method notes C, 7]
//
//   A q = -h sum_f +-w (e g + C w g),   g = (q_+ - q_-)/h
//
//   q = dt p/rho [m^2/s], w open fraction of faces, e share of gas (pores)
//   C compliance: what the flow of the objects loses for a slope w g of q; symmetric, and never negative
//
// A point takes part in several faces and C links them. The lumped matrix, with the mobility m >= the row sums of C in
// its place, has seven points and is what multigrid solves. It is never below A, so that it preconditions A: conjugate
// gradients around loose solves, flexible for these are not exactly linear. What they need grows with m/e: for objects
// heavier than the gas one solve of the lumped matrix is enough, and a bound of what lumping leaves says so.
#pragma once

#include <functional>
#include <vector>

#include "ymir/fluid/gas_grid.h"
#include "ymir/solvers/poisson/pressure_solver.h"

namespace ymir {

// Objects in the gas, on faces.
struct Porous {
  ChannelId<float> pores, flow, mobility;
  // flow += C slope. Collective, and the same bits for any number of ranks. Empty: C is the mobility.
  std::function<void(ChannelId<double> slope, ChannelId<double> flow)> give_way;
};

class PorousPressure {
 public:
  // Adds channels to the volume of the grid. All that follows is collective.
  PorousPressure(GasGrid& grid, PressureSolver& solver, Porous porous);

  // The lumped matrix of the objects as they are now.
  ChannelId<float> make_coefficient();

  // The solver has the lumped matrix. b loses its means over closed components; q: the first guess on entry. The
  // report has the iterations of the lumped solves in all, and the residual of A.
  PoissonReport solve(ChannelId<double> b, ChannelId<double> q, const PoissonOptions& options);
  int iterations() const { return iterations_; }  // of the last solve with A; 0: the lumped matrix was enough

  // Instead of solve(): q is the solution of the lumped matrix.
  void take_lumped(ChannelId<double> q);

  // After either: w g on faces [m/s], and the loss of the objects taken from their flow.
  ChannelId<double> slope() const { return slope_; }
  void correct_flow();

  // y = A x; x is 0 where there is no gas.
  void apply(ChannelId<double> x, ChannelId<double> y);

 private:
  void take_slope(ChannelId<double> x);
  double most_left_by_lumping();
  double take_residual(ChannelId<double> b, ChannelId<double> q);
  bool iterate(ChannelId<double> q, double rr, double target, const PoissonOptions& options, PoissonReport& report);
  void clear_outside(ChannelId<double> q);

  GasGrid* grid_;
  PressureSolver* solver_;
  Porous porous_;
  ChannelId<float> coefficient_;
  ChannelId<double> slope_, loss_;                        // faces; C slope
  ChannelId<double> residual_, z_, direction_, product_;  // cells
  std::vector<double> mobility_in_, lightness_in_;        // largest w m and m/e, per tile
  double mobility_ = 0, lightness_ = 0;                   // of all tiles
  bool lumped_ = true;                                    // loss_ is not that of slope_
  int iterations_ = 0;
};

}  // namespace ymir
