// Drag between a gas and what is in it. [method notes C, sections 7 and 9]
#include "gas_coupling.h"
#include "ymir/actions/coupled_buoyancy.h"
#include "ymir/actions/coupled_drag.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;
using verification::momentum_of;
using verification::newton_loop;

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
    const double room = 0.8 * 0.8 * 0.8, radius = 2e-4;
    const double mass = loading * 1.2 * room / (n * n * n);
    ParticleObject& cloud = add_cloud(run, lattice({0.4, 0.4, 0.4}, {1.2, 1.2, 1.2}, n), radius,
                                      mass / (4.0 / 3 * M_PI * radius * radius * radius));
    couple_drag(run.gas(), {&cloud}, "drag", {1.8e-5, 1e5, true, true, 3});
    run.gas().set_pressure({});  // pressure would push gas through the open sides
    run.begin([](Vec3d) { return Vec3d{1, 0.5, -0.25}; });
    const Vec3d before = run.momentum();
    newton_loop(run, c.dt);
    const Vec3d gained = momentum_of(cloud), lost = before - run.momentum();
    // What the gas was given, before it is stored in single precision.
    const DiscreteVolume& volume = run.grid().volume();
    Vec3d given{0, 0, 0};
    for (int id = 0; id < volume.channel_count(); ++id) {
      if (!volume.channel(id).name.ends_with("_impulse")) continue;
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < volume.buckets().local_count() * GasGrid::voxels; ++i)
          given[k] += 1.2 * std::pow(c.voxel, 3) * volume.tiles(ChannelId<double>{id}, k)[i];
    }
    std::printf("loading %4.1f: of %.3f kg m/s the drops take %.6f; difference %.1e, as stored %.1e\n", loading,
                norm(before), norm(gained), norm(gained + given) / norm(gained), norm(gained - lost) / norm(before));
    EXPECT_GT(gained.x, 1e-3 * before.x);
    EXPECT_LT(norm(gained + given), 1e-10 * norm(gained));
    EXPECT_LT(norm(gained - lost), 2e-7 * norm(before));
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

// Drag that only drops feel holds in every pass, also where another coupling of the gas asks for more of them.
TEST(CoupledDrag, OneWayHoldsBesideACouplingWithMorePasses) {
  for (const bool beside : {false, true}) {
    GasCase c;
    c.dt = 0.05;
    c.voxel = 10;
    c.box = {{-80, -80, -80}, {80, 80, 80}};
    GasRun run(c);
    ParticleObject& object = add_cloud(run, {{0, 60, 0}}, 0.5e-3, 1000);
    object.add_force(gravity_force("gravity", {0, -9.81 * (1 - 1.2 / 1000), 0}, {}));
    couple_drag(run.gas(), {&object}, "drag", {1.8e-5, 1, true, false, 2});
    if (beside) {
      ParticleObject& other = add_cloud(run, {{30, 60, 0}}, 0.5e-3, 1000);
      couple_drag(run.gas(), {&other}, "drag of another", {1.8e-5, 1, true, true, 4});
    }
    run.begin();
    run.advance(200);
    const double speed = -momentum_of(object).y / (4.0 / 3 * M_PI * std::pow(0.5e-3, 3) * 1000);
    EXPECT_NEAR(speed, 3.873, 2e-4 * 3.873) << beside;
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

// A box full of grains that begin to fall: gas has to rise between them, and both feel it.
//   v' = (1 - s)/(s + C) g,   c share of grains, s = rho_s/rho
//   C = (1 + 2c)/(2(1 - c)) of spheres [Zuber], c/(1 - c) of columns along the motion: without added mass
TEST(CoupledBuoyancy, ASuspensionFallsAsItsDisplacedGasAllows) {
  for (const bool added_mass : {true, false})
    for (const double ratio : {10.0, 0.1}) {
      GasCase c;
      c.tolerance = 1e-9;
      GasRun run(c);
      const int n = 32;
      const double pores = 0.8, volume = (1 - pores) * std::pow(1.6 / n, 3), density = 1.2;
      std::vector<Vec3d> where;
      for (int i = 0; i < n * n * n; ++i)
        where.push_back(Vec3d{i % n + 0.5, i / n % n + 0.5, i / (n * n) + 0.5} * (1.6 / n));
      ParticleObject& grains = add_cloud(run, where, std::cbrt(volume * 3 / (4 * M_PI)), ratio * density);
      grains.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
      couple_buoyancy(run.gas(), {&grains}, "buoyancy", {{0, -9.81, 0}, true, true, added_mass});
      run.begin();
      newton_loop(run, c.dt);
      // Away from the walls, where weights are scaled up.
      double speed = 0, counted = 0;
      grains.visit_points([&](const PointBlock& b) {
        for (int i = 0; i < b.count; ++i) {
          const Vec3d x = b.position[i];
          if (std::min({x.x, x.y, x.z, 1.6 - x.x, 1.6 - x.y, 1.6 - x.z}) < 0.3) continue;
          speed += Vec3d(b.velocity[i]).y;
          ++counted;
        }
      });
      const double share = 1 - pores, added = added_mass ? (1 + 2 * share) / (2 * pores) : share / pores;
      const double expected = 9.81 * (1 - ratio) / (ratio + added);
      const double found = speed / counted / c.dt;
      std::printf("grains of %.1f times the density%s: %.3f m/s^2, expected %.3f\n", ratio,
                  added_mass ? "" : ", no added mass", found, expected);
      EXPECT_NEAR(found, expected, 0.005 * std::abs(expected));
    }
}

// Grains as heavy as gas stay where they are.
TEST(CoupledBuoyancy, LeavesNeutralGrainsAlone) {
  GasCase c;
  c.tolerance = 1e-9;
  GasRun run(c);
  ParticleObject& grains = add_cloud(run, lattice({0.5, 0.5, 0.5}, {1.1, 1.1, 1.1}, 12), 0.02, 1.2);
  grains.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  couple_buoyancy(run.gas(), {&grains}, "buoyancy", {});
  run.begin();
  newton_loop(run, c.dt);
  grains.visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i) EXPECT_LT(norm(b.velocity[i]), 1e-12);
  });
}

// What grains and gas gain together is what the walls give.
TEST(CoupledBuoyancy, ExchangesMomentumThroughThePressureAlone) {
  GasCase c;
  c.tolerance = 1e-10;
  GasRun run(c);
  const std::vector<Vec3d> where = lattice({0.5, 0.6, 0.5}, {1.1, 1.2, 1.1}, 12);
  const double radius = 0.02, density = 12;
  ParticleObject& grains = add_cloud(run, where, radius, density);
  grains.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  couple_buoyancy(run.gas(), {&grains}, "buoyancy", {});
  run.begin();
  newton_loop(run, c.dt);
  const DiscreteVolume& volume = run.grid().volume();
  const VolumeView<double> potential(volume, volume.find_channel<double>("potential"));
  const VolumeView<float> pores(volume, volume.find_channel<float>("pores"), 1);
  const VolumeView<float> u(volume, run.grid().velocity, 1);
  double walls = 0, gas = 0;
  for (int z = 0; z < 16; ++z)
    for (int x = 0; x < 16; ++x) {
      walls += (potential.value(0, {x, 0, z}) - potential.value(0, {x, 15, z})) * c.voxel * c.voxel * 1.2;
      for (int y = 1; y < 16; ++y)
        gas += 1.2 * std::pow(c.voxel, 3) * static_cast<double>(pores.value(0, {x, y, z}) * u.value(0, {x, y, z}));
    }
  const double count = static_cast<double>(where.size()), one = 4.0 / 3 * M_PI * std::pow(radius, 3);
  const double outside = -9.81 * (density - 1.2) * one * count * c.dt;  // weight less what is displaced
  double carried = 0;
  std::size_t point = 0;
  grains.visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i, ++point)
      carried += run.gas().dressing(&grains)->added[point].y * Vec3d(b.velocity[i]).y;
  });
  const double left = momentum_of(grains).y + carried + gas - walls - outside;
  std::printf("momentum not accounted for: %.1e of %.3e kg m/s\n", left, outside);
  EXPECT_NEAR(left, 0, 1e-7 * std::abs(outside));  // gas is stored in single precision
}

// A hair held across a stream of 1 m/s bends as a cantilever under an even load: q L^4/(8 E I).
// [method notes C, V10]
TEST(CoupledDrag, BendsARodInAStreamToItsStaticShape) {
  GasCase c;
  c.voxel = 0.01;
  c.box = {{-0.08, -0.08, -0.08}, {0.08, 0.08, 0.08}};
  c.closed = false;
  c.dt = 0.02;
  GasRun run(c);
  CurvesObject::Description d;
  d.radius = 40e-6;
  d.density = 1300;
  d.newton = {1e-10, 100};
  auto& hair = run.simulation().add(std::make_unique<CurvesObject>("hair", 0, run.simulation().domain(), d));
  const double length = 0.02;
  const int segments = 25;
  Curves curves;
  for (int i = 0; i <= segments; ++i) curves.positions.push_back({0, length * i / segments, 0});
  curves.first.push_back(segments + 1);
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(1);
  hair.set_curves(std::move(curves));
  ElasticRodMaterial material;
  material.youngs_modulus = 3.5e9;
  add_elastic_rod(hair, "rod", material, d);
  couple_drag(run.gas(), {&hair}, "drag", {1.8e-5, 1, true, false, 2});
  run.gas().set_pressure({});
  run.begin([](Vec3d) { return Vec3d{1, 0, 0}; });
  // The gas stands still in the sense that it stays as it is: it is not advected here.
  for (int i = 0; i < 200; ++i) newton_loop(run, c.dt);
  double tip = 0;
  hair.visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i) tip = std::max(tip, b.mass[i] > 0 ? Vec3d(b.position[i]).x : 0);
  });
  std::printf("tip at %.4e m, the notes' 5.833e-4\n", tip);
  EXPECT_NEAR(tip, 5.833e-4, 0.02 * 5.833e-4);
}

}  // namespace
}  // namespace ymir
