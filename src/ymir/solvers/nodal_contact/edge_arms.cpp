#include "ymir/solvers/nodal_contact/edge_arms.h"

#include "ymir/math/lane_transpose.h"

namespace ymir {

void EdgeArms::collect(const Real* rows, double times, NodeVector* nodes) const {
  for (int j = 0; j + 1 < vertices(); ++j) {
    const Edge& e = edge(j);
    const Real* first = rows + block_ * j;
    const Real *second = first + block_, turn = first[block_ - 1] * e.turns;
    const Vec3<Real> change{second[0] * e.moves[1] - first[0] * e.moves[0],
                            second[1] * e.moves[1] - first[1] * e.moves[0],
                            second[2] * e.moves[1] - first[2] * e.moves[0]};
    for (int which = 0; which < 2; ++which) {
      const Vec3<Real> w = (e.way[which] * turn - e.along * dot(e.arm[which], change)) * Real::all(times);
      Real v[4] = {w.x, w.y, w.z, Real::all(0)};
      transpose(v[0], v[1], v[2], v[3]);
      for (int lane = 0; lane < lanes; ++lane) nodes[node(lane, j, which)] = v[lane];
    }
  }
  for (int lane = 0; lane < lanes; ++lane)
    for (int which = 0; which < 2; ++which) nodes[node(lane, vertices() - 1, which)] = NodeVector::all(0);
}

void EdgeArms::spread(const NodeVector* nodes, double times, Real* rows) const {
  for (int j = 0; j + 1 < vertices(); ++j) {
    const Edge& e = edge(j);
    Real* first = rows + block_ * j;
    Real* second = first + block_;
    for (int which = 0; which < 2; ++which) {
      Real g[4];
      for (int lane = 0; lane < lanes; ++lane) g[lane] = nodes[node(lane, j, which)];
      transpose(g[0], g[1], g[2], g[3]);
      const Vec3<Real> pull = Vec3<Real>{g[0], g[1], g[2]} * Real::all(times);
      const Vec3<Real> couple = e.arm[which] * dot(e.along, pull);
      for (int k = 0; k < 3; ++k) {
        first[k] += couple[k] * e.moves[0];
        second[k] -= couple[k] * e.moves[1];
      }
      first[block_ - 1] += dot(e.way[which], pull) * e.turns;
    }
  }
}

// t x a is across t: the angle and the vertices do not meet in N'N.
void EdgeArms::add_masses(std::span<const double> d, double times, Real* matrix, int column) const {
  for (int j = 0; j + 1 < vertices(); ++j) {
    const Edge& e = edge(j);
    const Real bends = dot(e.along, e.along);
    for (int which = 0; which < 2; ++which) {
      Real mass;
      for (int lane = 0; lane < lanes; ++lane)
        mass.set(lane, d[static_cast<std::size_t>(node(lane, j, which))] * times);
      const Vec3<Real>& a = e.arm[which];
      matrix[(block_ * (j + 1) - 1) * column] += mass * dot(a, a) * e.turns;
      for (int k = 0; k < 3; ++k) {
        const int first = block_ * j + k, second = first + block_;
        for (int m = 0; m < 3; ++m) {
          const Real value = mass * bends * a[k] * a[m];
          if (m >= k) {
            matrix[first * column + m - k] += value * e.moves[0];
            matrix[second * column + m - k] += value * e.moves[1];
          }
          matrix[first * column + block_ + m - k] -= value * e.moves[0] * e.moves[1];
        }
      }
    }
  }
}

void EdgeArms::measure(const Real* inverse, int column, int j, Real (&compliance)[2]) const {
  const Edge& e = edge(j);
  const auto at = [&](int row, int col) {
    return inverse[row < col ? row * column + col - row : col * column + row - col];
  };
  for (int which = 0; which < 2; ++which) {
    const Vec3<Real>& a = e.arm[which];
    const int angle = block_ * (j + 1) - 1;
    Real turning = dot(a, a) * at(angle, angle) * e.turns, bending = Real::all(0);
    for (int k = 0; k < 3; ++k)
      for (int m = 0; m < 3; ++m) {
        const int first = block_ * j, second = first + block_;
        bending += a[k] * a[m] *
                   (at(first + k, first + m) * e.moves[0] + at(second + k, second + m) * e.moves[1] -
                    (at(first + k, second + m) + at(second + k, first + m)) * e.moves[0] * e.moves[1]);
      }
    compliance[which] = (turning + bending * dot(e.along, e.along)) * (1.0 / 3);
  }
}

}  // namespace ymir
