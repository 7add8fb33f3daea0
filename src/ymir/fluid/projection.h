// Makes the velocity of a gas free of divergence, with solids and open sides. [method notes C, 2]
//
//   sum_f +-[w u + (1 - w) us] h^2 = s h^3,    u = u* - beta (q_+ - q_-)/h on faces with w > 0,  u = us on the others
//   =>  sum_f w beta (q_c - q_nb) = -h sum_f +-[w u* + (1 - w) us] + h^2 s
//
//   q = dt p/rho [m^2/s], w open fraction, us velocity of solids [m/s], s source [1/s], beta = rho/rho_f (1 here unless
//   a coupling says otherwise)
#pragma once

#include "ymir/fluid/gas_grid.h"
#include "ymir/solvers/poisson/tile_poisson.h"

namespace ymir {

struct ProjectionReport {
  PoissonReport solve;
  double divergence = 0;  // largest |div u| dt left: the share of its volume that a cell gains or loses in the step
};

class Projection {
 public:
  explicit Projection(GasGrid& grid);

  // Faces opened or closed, or tiles changed: the matrix is made anew by the next project().
  void boundary_changed() { stale_ = true; }
  // Channel with sources [1/s]; invalid: none.
  void set_source(ChannelId<float> source) { source_ = source; }
  // Share beta of the gradient that acts on a face, times its open fraction; invalid: the open fraction.
  void set_coefficient(ChannelId<float> coefficient) { coefficient_ = coefficient; }

  ProjectionReport project(ChannelId<float> velocity, double dt, const PoissonOptions& options);

  ChannelId<double> potential() const { return potential_; }  // q, kept as the next initial guess
  ChannelId<double> divergence() const { return rhs_; }

 private:
  void make_rhs(ChannelId<float> velocity);
  void correct(ChannelId<float> velocity);
  double largest_divergence(ChannelId<float> velocity);

  GasGrid* grid_;
  ChannelId<double> potential_, rhs_;
  ChannelId<float> source_, coefficient_;
  TilePoisson solver_;
  bool stale_ = true;
};

}  // namespace ymir
