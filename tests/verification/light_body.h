// Spheres let go in a box of gas at rest.
#pragma once

#include "gas_coupling.h"
#include "ymir/actions/coupled_buoyancy.h"
#include "ymir/actions/gravity_force.h"

namespace ymir::verification {

constexpr double free_fall = 9.81;   // [m/s^2]
constexpr double gas_density = 1.2;  // [kg/m^3]

// Upwards from rest, of the added mass C: (1 - s)/(s + C) g.
inline double rise(double s, double c = 0.5) { return (1 - s) / (s + c) * free_fall; }
// C of a sphere in the middle of a closed cube of n voxels, volume V [voxels]: walls add 7/4 V/n^3.
inline double added_mass_in_box(double volume, int n) { return 0.5 + 1.748 * volume / (std::pow(n, 3)); }
inline double ball_volume(double radius) { return 4.0 / 3 * M_PI * radius * radius * radius; }

// n voxels of 5 cm along each edge, around the origin.
inline GasCase cube(int n) {
  GasCase c;
  c.voxel = 0.05;
  c.box = {Vec3d{-0.5, -0.5, -0.5} * (n * c.voxel), Vec3d{0.5, 0.5, 0.5} * (n * c.voxel)};
  c.tolerance = 1e-8;
  c.dt = 0.002;
  return c;
}

// Positions and radius in voxels.
inline ParticleObject& add_balls(GasRun& run, const std::vector<Vec3d>& where, double radius, double s,
                                 const CoupledBuoyancyParams& params = {}) {
  const double h = run.grid().voxel();
  ParticleObject::Description d;
  d.radius = radius * h;
  d.density = s * run.gas().description().density;
  auto& object = run.simulation().add(std::make_unique<ParticleObject>("balls", 0, run.simulation().domain(), d));
  Points points;
  for (const Vec3d& x : where) points.positions.push_back(x * h);
  points.vertices.resize(where.size());
  object.add_points(points);
  object.add_force(gravity_force("gravity", params.gravity, {}));
  couple_buoyancy(run.gas(), {&object}, "buoyancy", params);
  return object;
}

// Velocities, sorted as the object has them, with the places they started from.
struct Moving {
  Vec3d x, v;
};
inline std::vector<Moving> moving(const ParticleObject& object) {
  std::vector<Moving> all;
  object.visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i) all.push_back({b.position[i], b.velocity[i]});
  });
  return all;
}

// Acceleration of a single ball from rest [m/s^2].
inline Vec3d let_go(int n, Vec3d where, double radius, double s, const CoupledBuoyancyParams& params = {}) {
  const GasCase c = cube(n);
  GasRun run(c);
  const ParticleObject& ball = add_balls(run, {where}, radius, s, params);
  run.begin();
  newton_loop(run, c.dt);
  EXPECT_TRUE(run.gas().projection_report().solve.converged);
  return moving(ball)[0].v / c.dt;
}

}  // namespace ymir::verification
