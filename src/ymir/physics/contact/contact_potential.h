// Energies that keep two points apart, of their gap d [m]: what a contact does that gives a little. k stiffness [N/m].
//
//   penalty:  E = k (d - h)^2/2 for d < h                 rests at weight/k below its reach h
//   barrier:  E = -k (d - h)^2 ln(d/h) for 0 < d < h      infinite where the gap closes; C2 at h [Li2020, 5]
//
// The barrier goes on as a parabola, with the same slope and curvature, below a thousandth of its reach h: what stands
// there, as after a step of Newton's method that went too far, is pushed out by a finite force, a thousand k h.
#pragma once

#include <cmath>

namespace ymir {

struct ContactPotential {
  double energy = 0, force = 0, stiffness = 0;  // E, -E', E'' [J, N, N/m]
};

namespace contact_potential {
constexpr double least = 1e-3;  // of the reach of a barrier: where its parabola begins
}

inline ContactPotential penalty_potential(double k, double h, double gap) {
  const double depth = h - gap;
  if (!(depth > 0)) return {};
  return {0.5 * k * depth * depth, k * depth, k};
}

inline ContactPotential barrier_potential(double k, double h, double gap) {
  if (!(gap < h)) return {};
  const double least = contact_potential::least * h, d = gap > least ? gap : least;
  const double away = d - h, logarithm = std::log(d / h);
  ContactPotential p;
  p.energy = -k * away * away * logarithm;
  p.force = k * (2 * away * logarithm + away * away / d);
  p.stiffness = k * (-2 * logarithm - 4 * away / d + away * away / (d * d));
  if (gap < d) {
    const double deeper = d - gap;
    p.energy += deeper * (p.force + 0.5 * p.stiffness * deeper);
    p.force += p.stiffness * deeper;
  }
  return p;
}

}  // namespace ymir
