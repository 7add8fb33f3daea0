// Makes the velocity of a gas free of divergence, with solids and open sides. [method notes C, 2]
//
//   sum_f +-[w u + (1 - w) us] h^2 = s h^3,    u = u* - (q_+ - q_-)/h on faces with w > 0,  u = us on the others
//   =>  sum_f w (q_c - q_nb) = -h sum_f +-[w u* + (1 - w) us] + h^2 s
//
//   q = dt p/rho [m^2/s], w open fraction, us velocity of solids [m/s], s source [1/s]
//
// Objects that fill a part of the gas make it porous: with pores of share e, a flow j of their own (share by velocity)
// and a mobility m (share by density relative to the gas), w u becomes w (e u + j), and w (e + m) stands before the
// differences of q: their inertia gives way to the pressure too (porous_pressure.h). [Stomakhin2020; method notes C, 7]
//
// At non-stick walls q >= 0 and the gas may leave: the divergence left there is the gap that opens. [notes C, 5]
#pragma once

#include <memory>

#include "ymir/fluid/porous_pressure.h"
#include "ymir/solvers/pc_lcp.h"

namespace ymir {

struct ProjectionReport {
  PoissonReport solve;
  int compliant = 0;      // iterations with objects that give way as they do, not face by face; 0: no need
  double divergence = 0;  // largest |div u| dt left: the share of its volume that a cell gains or loses in the step
};

class Projection {
 public:
  explicit Projection(GasGrid& grid);

  // Faces opened or closed, or tiles changed: the matrix is made anew by the next project().
  void boundary_changed() { stale_ = true; }
  // Channel with sources [1/s]; invalid: none.
  void set_source(ChannelId<float> source) { source_ = source; }
  // Objects in the gas; `flow` takes part in the correction. At non-stick walls they give way face by face.
  void set_porous(const Porous& porous);

  ProjectionReport project(ChannelId<float> velocity, double dt, const PoissonOptions& options);

  // How the equation is solved, instead of by what suits it.
  void set_method(PressureMethod method) { solver_.set_method(method); }

  ChannelId<double> potential() const { return potential_; }  // q, kept as the next initial guess
  ChannelId<double> divergence() const { return rhs_; }
  PorousPressure* porous() { return porous_.get(); }  // nullptr: no objects

 private:
  template <class F>
  void for_net_outflow(ChannelId<float> velocity, F&& body);
  void make_rhs(ChannelId<float> velocity);
  void correct(ChannelId<float> velocity);
  double largest_divergence(ChannelId<float> velocity);

  GasGrid* grid_;
  ChannelId<double> potential_, rhs_;
  ChannelId<float> source_;
  PressureSolver solver_;
  Porous objects_;
  std::unique_ptr<PorousPressure> porous_;  // while there are objects
  std::unique_ptr<PcLcp> lcp_;              // while there are non-stick walls
  bool stale_ = true;
};

}  // namespace ymir
