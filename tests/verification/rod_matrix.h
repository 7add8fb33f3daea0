// The matrix the solver makes of a strand, and the strand as the dense rod of the conformance tests.
#pragma once

#include "../conformance/dense_rod.h"
#include "rod_run.h"
#include "ymir/solvers/band_ldl.h"

namespace ymir::verification {

struct SolverMatrix {
  int rows = 0;
  std::vector<double> band;  // inertia / dt^2 and elasticity, columns of 11
  std::vector<double> mass;
  std::vector<char> free;

  SolverMatrix(RodRun& run, double dt) {
    CurvesObject& object = run.object();
    std::vector<std::unique_ptr<StrandConstraint>> sets;
    sets.push_back(std::make_unique<ConstraintSet<Stretch>>("rod", "stretch", object.strands(), run.sets().stretch,
                                                            ConstraintMode::primal_dual, Damping{}));
    ConstraintChannels bend_twist = run.sets().bend_twist;
    bend_twist.friction = -1;
    sets.push_back(std::make_unique<ConstraintSet<BendTwist>>("rod", "bending", object.strands(), bend_twist,
                                                              ConstraintMode::stiffness, Damping{}));
    object.save();
    StrandNewton newton(object.strands(), object.rod_channels());
    newton.begin(0, dt, dt, nullptr, {}, sets);
    newton.step().beta = StrandReal::all(1);
    newton.assemble({}, sets);
    rows = newton.rows();
    band.resize(static_cast<std::size_t>(rows + 10) * 11, 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows) * 11; ++i) band[i] = newton.step().matrix[i][0];
    const RodChannels& c = object.rod_channels();
    for (int i = -1; i < run.vertices(); ++i)
      for (int k = 0; k < 4; ++k) {
        mass.push_back(run.at(k < 3 ? c.mass : c.inertia, i));
        free.push_back(run.at(k < 3 ? c.free_position : c.free_angle, i) > 0 ? 1 : 0);
      }
  }

  conformance::Dense dense() const {
    conformance::Dense a(rows);
    for (int j = 0; j < rows; ++j)
      for (int k = 0; k < 11 && j + k < rows; ++k)
        a(j + k, j) = a(j, j + k) = band[static_cast<std::size_t>(j * 11 + k)];
    return a;
  }

  // b <- A^-1 b
  void solve(std::vector<double>& b) const {
    std::vector<double> a = band;
    BandLdl<double, 4, 10>::factor(a.data(), rows / 4, [](int, double d) { return d; });
    b.resize(static_cast<std::size_t>(rows + 10), 0);
    BandLdl<double, 4, 10>::solve(a.data(), b.data(), rows / 4);
    b.resize(static_cast<std::size_t>(rows));
  }
};

inline conformance::DenseRod dense_rod(RodRun& run) {
  std::vector<Vec3d> x;
  const RodChannels& c = run.object().rod_channels();
  for (int i = -1; i < run.vertices(); ++i)
    x.push_back({run.at(c.position, i), run.at(c.position + 1, i), run.at(c.position + 2, i)});
  conformance::DenseRod rod(x, {0.3, 0.5, 0.7}, std::vector<double>(x.size(), 0));
  for (int i = -1; i + 1 < run.vertices(); ++i) {
    rod.edges[static_cast<std::size_t>(i + 1)].m1 = {run.at(c.m1, i), run.at(c.m1 + 1, i), run.at(c.m1 + 2, i)};
    rod.twists[static_cast<std::size_t>(i + 1)] = run.at(c.twist, i);
  }
  return rod;
}

template <class K>
conformance::Material<K> material(RodRun& run, const ConstraintChannels& set) {
  conformance::Material<K> m;
  for (int i = -1; i < run.vertices(); ++i) {
    std::array<double, K::rows> rest, weight;
    for (int a = 0; a < K::rows; ++a) {
      rest[static_cast<std::size_t>(a)] = run.at(set.rest + a, i);
      weight[static_cast<std::size_t>(a)] = run.at(set.weight + a, i);
    }
    m.rest.push_back(rest);
    m.weight.push_back(weight);
  }
  return m;
}

// Elastic and kinetic energy [J].
inline double energy(RodRun& run) {
  const conformance::DenseRod rod = dense_rod(run);
  const RodChannels& c = run.object().rod_channels();
  double e = conformance::energy(rod, material<Stretch>(run, run.sets().stretch)) +
             conformance::energy(rod, material<BendTwist>(run, run.sets().bend_twist));
  for (int i = 0; i < run.vertices(); ++i) {
    const double spin = run.at(c.spin, i);
    e += (run.at(c.mass, i) * dot(run.velocity(i), run.velocity(i)) + run.at(c.inertia, i) * spin * spin) / 2;
  }
  return e;
}

}  // namespace ymir::verification
