// Inverse dynamics of strands: rest values from equilibrium, and derivatives of equilibria. [Lesser2022, 6.3]
//
// Generic over constraints: forces f = f_ext - J'W(C - p) are linear in the rest values p, so Gauss-Newton on |f|^2
// needs one step,
//
//   (J'WJ) z = f,   p <- p - J z     (J is square: as many rows as unknowns)
//
// repeated to shed the rounding of an ill-conditioned J'WJ. At an equilibrium, by the implicit function theorem,
//
//   dx/dp = H^-1 J'W,   dL/dp = W J H^-1 dL/dx,   H the exact Hessian with the present tension.
#pragma once

#include <span>

#include "ymir/objects/strand_newton.h"

namespace ymir {

struct Compensation {
  int stiffened = 0, unstable = 0;  // strands
  double largest_factor = 1;
  double residual = 0;  // largest force left, relative to the mean weight of a vertex
};

class InverseDynamics {
 public:
  InverseDynamics(StrandNewton& newton, StrandNewton::Forces forces, StrandNewton::Constraints constraints)
      : newton_(&newton), forces_(forces), constraints_(constraints) {}

  // Rest values such that the strands of a group are in equilibrium where they are, under `share` of the constant
  // forces, per vertex, 0 to 1 (beyond a strand's end that of its tip); a strand without any is left alone. Equilibrium
  // is not stability: strands with a negative pivot in H are made stiffer, at unchanged forces, until they stand. The
  // group must have been saved.
  Compensation compensate(int group, std::span<const StrandReal> share);

  // At an equilibrium: factors H. False when a strand's is not positive definite.
  bool linearize(int group);
  // dx for a change of rest values: `dp` and `gradient` have parameters() planes per vertex, constraint after
  // constraint; displacements one value per row of the system.
  void displacement(const std::vector<StrandReal>& dp, std::vector<StrandReal>& dx);
  // dL/dp for a loss with derivative dL/dx (adjoint: one solve for all parameters).
  void adjoint(const std::vector<StrandReal>& loss, std::vector<StrandReal>& gradient);
  std::size_t parameter_count() const;  // planes times vertices

 private:
  void begin(int group, StrandStep::Curvature curvature);
  StrandNewton* newton_;
  StrandNewton::Forces forces_;
  StrandNewton::Constraints constraints_;
};

}  // namespace ymir
