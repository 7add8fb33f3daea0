// Newton's method far from the solution: a strand that the wind takes from its rest shape to a streaming one within a
// single substep. Undamped steps overshoot there, as drag is quadratic and turns with the strand.
//
//   (A + d M) dx = -r,   d = (a/a_max) a/l,   a = max |r_i|/m_i
//
// l mean edge, a_max the largest a so far. At first no vertex moves by much more than an edge per iteration, and d
// falls with the square of the residual, so that the last iterations are Newton's own (pseudo-transient continuation
// [Kelley1998]). The solution is that of the undamped equations.
#include "ymir/objects/strand_newton.h"

namespace ymir {

using Real = StrandReal;

Real StrandNewton::drift(int group, double time, double dt, Forces forces) {
  activate(group, all_lanes);
  begin(group, time, dt, nullptr, forces, {});
  assemble(forces, {});
  const StrandStep& s = step_;
  Real farthest = Real::all(0), poison = Real::all(0);  // as in residual()
  for (int i = 1; i < s.vertices; ++i)
    for (int k = 0; k < 3; ++k) {
      const Real way = abs(s.residual[row(i, k)]) / s.scale[row(i, k)];
      const auto counts = mass_[i] > 0.0;
      farthest = max(select(counts, way, 0.0), farthest);
      poison += select(counts, way, 0.0) * 0.0;
    }
  return farthest / s.mean_length + poison;
}

Real StrandNewton::damping(Real& largest) const {
  const StrandStep& s = step_;
  Real a = Real::all(0);
  for (int i = 1; i < s.vertices; ++i) {
    const auto counts = (mass_[i] > 0.0) & (free_position_[i] > 0.0);
    Real square = Real::all(0);
    for (int k = 0; k < 3; ++k) square += s.residual[row(i, k)] * s.residual[row(i, k)];
    a = max(select(counts, sqrt(square) / select(counts, mass_[i], 1.0), 0.0), a);
  }
  largest = max(a, largest);
  return a / s.mean_length * (a / select(largest > 0.0, largest, 1.0));
}

void StrandNewton::add_damping(const Real& rate) {
  StrandStep& s = step_;
  const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
  for (int i = 1; i < s.vertices; ++i)
    for (int k = 0; k < 3; ++k) s.matrix[row(i, k) * column] += mass_[i] * free_position_[i] * rate;
}

}  // namespace ymir
