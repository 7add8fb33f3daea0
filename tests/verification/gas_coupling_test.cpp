// Drag between a gas and what is in it. [method notes C, sections 7 and 9]
#include "gas_run.h"
#include "ymir/actions/coupled_drag.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/objects/particle_object.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;

ParticleObject& add_cloud(GasRun& run, const std::vector<Vec3d>& positions, double radius, double density) {
  ParticleObject::Description d;
  d.radius = radius;
  d.density = density;
  auto& object = run.simulation().add(std::make_unique<ParticleObject>("cloud", 0, run.simulation().domain(), d));
  Points points;
  points.positions = positions;
  points.vertices.resize(positions.size());
  object.add_points(points);
  return object;
}

Vec3d momentum_of(const ParticleObject& object) {
  Vec3d sum{0, 0, 0};
  object.visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i) sum += Vec3d(b.velocity[i]) * b.mass[i];
  });
  return sum;
}

std::vector<Vec3d> lattice(Vec3d low, Vec3d high, int n) {
  std::vector<Vec3d> points;
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3d t{(i % n + 0.37) / n, (i / n % n + 0.61) / n, (i / (n * n) + 0.5) / n};
    points.push_back({low.x + (high.x - low.x) * t.x, low.y + (high.y - low.y) * t.y, low.z + (high.z - low.z) * t.z});
  }
  return points;
}

// Gas that streams through a cloud of drops at rest: what one loses the other gains, after one step of any loading.
TEST(CoupledDrag, ExchangesMomentumToRounding) {
  for (const double loading : {0.1, 1.0, 10.0}) {
    GasCase c;
    c.closed = false;
    GasRun run(c);
    const int n = 8;
    const double volume = 0.8 * 0.8 * 0.8, radius = 2e-4;
    const double mass = loading * 1.2 * volume / (n * n * n);
    ParticleObject& cloud = add_cloud(run, lattice({0.4, 0.4, 0.4}, {1.2, 1.2, 1.2}, n), radius,
                                      mass / (4.0 / 3 * M_PI * radius * radius * radius));
    couple_drag(run.gas(), {&cloud}, "drag", {1.8e-5, 1000, true, true, 3});
    run.gas().set_pressure({});  // pressure would push gas through the open sides
    run.begin([](Vec3d) { return Vec3d{1, 0.5, -0.25}; });
    const Vec3d before = run.momentum();
    // Without advection: the Newton loop of one step.
    Step step{1, 0, 0, 0, c.dt};
    for (const auto& object : run.simulation().objects()) object->save();
    run.simulation().timeline().run(Loop::substep_begin, step);
    for (step.iteration = 0; step.iteration < 3; ++step.iteration)
      run.simulation().timeline().run(Loop::newton, step);
    const Vec3d gained = momentum_of(cloud), lost = before - run.momentum();
    std::printf("loading %.1f: gas lost %.9e of %.3e, drops gained %.9e\n", loading, lost.x, before.x, gained.x);
    EXPECT_GT(gained.x, 0);
    // The gas is stored in single precision: its momentum is known to about 1e-8.
    EXPECT_NEAR(norm(gained - lost), 0, 2e-8 * norm(before));
  }
}

// Drops that fall through still gas reach the speed at which drag balances their weight.
TEST(CoupledDrag, DropsFallAtTheirTerminalVelocity) {
  struct Drop {
    double diameter, speed;
  };
  // [Schiller and Naumann; method notes C, V9]
  for (const Drop drop : {Drop{50e-6, 0.07159}, Drop{1e-3, 3.873}})
    for (const double dt : {0.5, 0.05}) {
      GasCase c;
      c.dt = dt;
      c.voxel = 10;
      c.box = {{-80, -80, -80}, {80, 80, 80}};
      GasRun run(c);
      ParticleObject& object = add_cloud(run, {{0, 60, 0}}, drop.diameter / 2, 1000);
      object.add_force(gravity_force("gravity", {0, -9.81 * (1 - 1.2 / 1000), 0}, {}));  // less what it displaces
      couple_drag(run.gas(), {&object}, "drag", {1.8e-5, 1, true, false, 2});
      run.begin();
      run.advance(static_cast<int>(10 / dt));
      const double speed = -momentum_of(object).y / (4.0 / 3 * M_PI * std::pow(drop.diameter / 2, 3) * 1000);
      EXPECT_NEAR(speed, drop.speed, 2e-4 * drop.speed) << drop.diameter << " m, dt " << dt;
    }
}

// A dilute cloud settles in a closed box and pushes the gas with its weight, once it falls steadily.
TEST(CoupledDrag, ASettlingCloudPushesTheGasWithItsWeight) {
  GasCase c;
  c.dt = 0.01;
  c.tolerance = 1e-6;
  GasRun run(c);
  const double radius = 25e-6;
  const std::vector<Vec3d> where = lattice({0.5, 0.8, 0.5}, {1.1, 1.3, 1.1}, 10);
  ParticleObject& cloud = add_cloud(run, where, radius, 1000);
  cloud.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  couple_drag(run.gas(), {&cloud}, "drag", {1.8e-5, 1, true, true, 2});
  run.begin();
  run.advance(40);  // the drops need about 8 ms to reach their speed
  const double weight = 9.81 * 1000 * 4.0 / 3 * M_PI * radius * radius * radius * static_cast<double>(where.size());
  // The next step up to its pressure: the walls carry what the gas does not keep.
  Step step{41, 0, 0, 40 * c.dt, c.dt};
  for (const auto& object : run.simulation().objects()) object->save();
  run.simulation().timeline().run(Loop::substep_begin, step);
  const double before = run.momentum().y;
  for (step.iteration = 0; step.iteration < 2; ++step.iteration) run.simulation().timeline().run(Loop::newton, step);
  const VolumeView<double> potential(run.grid().volume(), run.grid().volume().find_channel<double>("potential"));
  double walls = 0;
  for (int z = 0; z < 16; ++z)
    for (int x = 0; x < 16; ++x)
      walls += (potential.value(0, {x, 0, z}) - potential.value(0, {x, 15, z})) * c.voxel * c.voxel * 1.2 / c.dt;
  const double push = walls - (run.momentum().y - before) / c.dt;
  std::printf("weight %.6e N, push on the gas %.6e N\n", weight, push);
  EXPECT_NEAR(push, weight, 0.01 * weight);
}

}  // namespace
}  // namespace ymir
