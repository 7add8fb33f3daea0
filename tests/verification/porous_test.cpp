// Gas in the pores between objects that give way to its pressure. [method notes C, section 7]
#include "gas_coupling.h"
#include "ymir/actions/coupled_buoyancy.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/base/random.h"
#include "ymir/fluid/gas_points.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;
using verification::momentum_of;
using verification::newton_loop;

constexpr double density = 1.2;  // of the gas [kg/m^3]

// Without added mass, as the notes' grains are.
constexpr CoupledBuoyancyParams bare{{0, -9.81, 0}, true, true, false};

ParticleObject& add_grains(GasRun& run, const std::vector<Vec3d>& positions, double volume, double ratio,
                           const char* name = "grains", const CoupledBuoyancyParams& params = bare) {
  ParticleObject::Description d;
  d.radius = std::cbrt(volume * 3 / (4 * M_PI));
  d.density = ratio * density;
  auto& object = run.simulation().add(std::make_unique<ParticleObject>(name, 0, run.simulation().domain(), d));
  Points points;
  points.positions = positions;
  points.vertices.resize(positions.size());
  object.add_points(points);
  couple_buoyancy(run.gas(), {&object}, name, params);
  return object;
}

// The notes' box of 32^2 voxels, one voxel thick between walls along which gas slips, and their disk of 4000 grains
// that takes 0.3 of its room.
struct Disk {
  GasCase gas;
  std::vector<Vec3d> grains;
  double volume;  // of a grain [m^3]

  Disk() {
    constexpr double h = 1.0 / 32, radius = 0.2;
    gas.voxel = h;
    gas.box = {{0, 0, 0}, {1, 1, h}};
    gas.tolerance = 1e-6;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      Random random(1, i);
      const double r = radius * std::sqrt(random.uniform()), angle = 2 * M_PI * random.uniform();
      grains.push_back({0.5 + r * std::cos(angle), 0.5 + r * std::sin(angle), h / 2});
    }
    volume = 0.3 * M_PI * radius * radius * h / static_cast<double>(grains.size());
  }
};

// A velocity at random, the same in every run.
Vec3d noise(Vec3d x) {
  Random random(7, static_cast<std::uint64_t>(std::lround(64 * x.x)) << 32 |
                       static_cast<std::uint64_t>(std::lround(64 * x.y)) << 16 |
                       static_cast<std::uint64_t>(std::lround(64 * x.z)));
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

// Residual of the whole matrix that the lumped one's solution leaves.
double left_by_lumping(GasRun& run) {
  DiscreteVolume& volume = run.grid().volume();
  const ChannelOptions<double> cells{8, Sampling::cell, 0.0, 1, true};
  const auto b = volume.find_channel<double>("divergence");
  const auto x = volume.add_channel<double>("lumped", cells), ax = volume.add_channel<double>("lumped_product", cells);
  PressureSolver solver(volume);
  solver.set_matrix(volume.find_channel<float>("coefficient"), run.grid().cell);
  fill(volume, x, [](int, Vec3i, int) { return 0.0; });
  EXPECT_TRUE(solver.solve(b, x, {1e-8, 100}).converged);
  run.gas().projection().porous()->apply(x, ax);
  double all = 0, left = 0;
  verification::for_gas(run.grid(), [&](Vec3i, int at) {
    all += std::pow(volume.tiles(b)[at], 2);
    left += std::pow(volume.tiles(b)[at] - volume.tiles(ax)[at], 2);
  });
  return std::sqrt(left / all);
}

TEST(PorousPressure, ConvergesForLightObjectsAsTheNotesSay) {
  struct Light {
    double ratio;
    int notes;
  };
  for (const Light light : {Light{0.01, 18}, Light{0.1, 12}, Light{0.3, 9}, Light{10, 3}}) {
    const Disk disk;
    GasRun run(disk.gas);
    add_grains(run, disk.grains, disk.volume, light.ratio);
    run.begin(noise);
    newton_loop(run, disk.gas.dt);
    const ProjectionReport& report = run.gas().projection_report();
    const double lumped = left_by_lumping(run);
    std::printf(
        "density ratio %5.2f: %d iterations (notes: %d), %d cycles, residual %.1e (lumped: %.1e), "
        "volume error %.1e\n",
        light.ratio, report.compliant, light.notes, report.solve.iterations, report.solve.residual, lumped,
        report.divergence);
    EXPECT_GT(lumped, 100 * disk.gas.tolerance);  // or there is nothing to do
    EXPECT_TRUE(report.solve.converged);
    EXPECT_LE(report.solve.residual, disk.gas.tolerance);
    EXPECT_NEAR(report.compliant, light.notes, 2);
    // The tolerance allows a cell sqrt(1024) times that of a mean one, which begins with 0.3.
    EXPECT_LT(report.divergence, 1e-5);
  }
}

TEST(PorousPressure, PushesADiskOfGrainsAsTheNotesSay) {
  struct Grains {
    double ratio, acceleration;
  };
  for (const Grains expected : {Grains{0.1, 30.78}, Grains{10, -8.659}}) {
    const Disk disk;
    GasRun run(disk.gas);
    ParticleObject& grains = add_grains(run, disk.grains, disk.volume, expected.ratio);
    grains.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
    run.begin();
    newton_loop(run, disk.gas.dt);
    const double mass = expected.ratio * density * disk.volume * static_cast<double>(disk.grains.size());
    const double found = momentum_of(grains).y / mass / disk.gas.dt;
    std::printf("density ratio %5.2f: %.3f m/s^2, the notes' %.3f; %d iterations, volume error %.1e\n", expected.ratio,
                found, expected.acceleration, run.gas().projection_report().compliant,
                run.gas().projection_report().divergence);
    EXPECT_NEAR(found, expected.acceleration, 0.005 * std::abs(expected.acceleration));
  }
}

// Grains of 0.2 times the density of the gas around a ball that cuts faces; some faces would hold more than they can.
struct Crowd {
  GasCase gas;
  GasRun run;
  ParticleObject* grains;
  std::vector<Vec3d> where;
  double volume;  // of a grain [m^3]

  static GasCase box() {
    GasCase c;
    c.tolerance = 1e-9;
    return c;
  }
  explicit Crowd(bool added_mass) : gas(box()), run(gas) {
    const Vec3d center{0.73, 0.55, 0.81};
    run.gas().add_solid(GasSolid{[=](Vec3d x) { return DistanceSample{norm(x - center) - 0.27, {0, 1, 0}}; }});
    for (std::uint64_t i = 0; i < 6000; ++i) {
      Random random(3, i);
      const double r = 0.35 * std::cbrt(random.uniform()), z = random.uniform(-1, 1), a = 2 * M_PI * random.uniform();
      const Vec3d x =
          Vec3d{0.8, 0.9, 0.8} + Vec3d{std::cos(a) * std::sqrt(1 - z * z), std::sin(a) * std::sqrt(1 - z * z), z} * r;
      if (norm(x - center) > 0.27) where.push_back(x);
    }
    volume = 0.85 * 4.0 / 3 * M_PI * std::pow(0.35, 3) / 6000;
    grains = &add_grains(run, where, volume, 0.2, "grains", {{0, -9.81, 0}, true, true, added_mass});
  }
};

class PorousPressureOfACrowd : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(AddedMass, PorousPressureOfACrowd, testing::Bool());

TEST_P(PorousPressureOfACrowd, IsSymmetricAndPositive) {
  Crowd crowd(GetParam());
  crowd.run.begin(noise);
  newton_loop(crowd.run, crowd.gas.dt);
  GasGrid& grid = crowd.run.grid();
  DiscreteVolume& volume = grid.volume();
  const ChannelOptions<double> cells{8, Sampling::cell, 0.0, 1, true};
  const auto x = volume.add_channel<double>("x", cells), ax = volume.add_channel<double>("ax", cells);
  const auto y = volume.add_channel<double>("y", cells), ay = volume.add_channel<double>("ay", cells);
  PorousPressure& pressure = *crowd.run.gas().projection().porous();
  const auto dot = [&](ChannelId<double> a, ChannelId<double> b) {
    double sum = 0;
    verification::for_gas(grid, [&](Vec3i, int at) { sum += volume.tiles(a)[at] * volume.tiles(b)[at]; });
    return sum;
  };
  for (std::uint64_t trial = 0; trial < 3; ++trial) {
    for (const auto id : {x, y})
      verification::for_gas(grid, [&](Vec3i, int at) {
        Random random(trial + 10 * static_cast<std::uint64_t>(id.index), static_cast<std::uint64_t>(at));
        volume.write_tiles(id)[at] = random.uniform(-1, 1);
      });
    pressure.apply(x, ax);
    pressure.apply(y, ay);
    const double scale = std::sqrt(dot(x, ax) * dot(y, ay));
    std::printf("x'Ay - y'Ax: %.1e, x'Ax %.3f\n", (dot(x, ay) - dot(y, ax)) / scale, dot(x, ax));
    EXPECT_LT(std::abs(dot(x, ay) - dot(y, ax)), 1e-12 * scale);
    EXPECT_GT(dot(x, ax), 0);
  }
}

// What grains and gas gain together is what walls give, cut faces and crowded ones included.
TEST_P(PorousPressureOfACrowd, ExchangesMomentumAmongCutAndCrowdedFaces) {
  Crowd crowd(GetParam());
  crowd.grains->add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  crowd.run.begin();
  newton_loop(crowd.run, crowd.gas.dt);
  GasGrid& grid = crowd.run.grid();
  DiscreteVolume& volume = grid.volume();
  const double h = grid.voxel(), cell = h * h * h;
  // Grains where they were, with what they carry.
  std::vector<Vec3d> where, velocity, share;
  double carried = 0;
  const Dressing* dressing = crowd.run.gas().dressing(crowd.grains);
  crowd.grains->visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i) {
      const std::size_t at = where.size();
      where.push_back(Vec3d(b.position[i]) - Vec3d(b.velocity[i]) * crowd.gas.dt);
      velocity.push_back(b.velocity[i]);
      share.push_back((Vec3d{1, 1, 1} + (dressing != nullptr ? dressing->virtual_mass[at] : Vec3d{0, 0, 0})) *
                      (crowd.volume / cell));
      carried += dressing != nullptr ? dressing->added[at].y * velocity[at].y : 0;
    }
  });
  // Pores before they are stored in single precision: the room that grains take, and the part of it that fits.
  const auto room = volume.add_channel<double>("test_room", {8, Sampling::face, 0.0, 3, true});
  fill(volume, room, [](int, Vec3i, int) { return 0.0; });
  GasPoints points(grid);
  points.locate(where);
  points.splat(share, room);
  ChannelId<double> fits;
  for (int id = 0; id < volume.channel_count(); ++id)
    if (volume.channel(id).name.ends_with("_fits")) fits.index = id;
  const ChannelId<double> slope = crowd.run.gas().projection().porous()->slope();
  const ChannelId<double> potential = crowd.run.gas().projection().potential();
  const VolumeView<float> open(volume, grid.open, 1);
  double gas = 0, walls = 0, least = 1;
  int cut = 0;
  verification::for_gas(grid, [&](Vec3i v, int at) {
    const double pores = 1 - volume.tiles(fits, 1)[at] * volume.tiles(room, 1)[at];
    EXPECT_NEAR(static_cast<double>(volume.tiles(crowd.run.gas().porous().pores, 1)[at]), pores, 1e-7);
    const auto low = static_cast<double>(open.value(0, v)),
               high = static_cast<double>(open.value(0, v + Vec3i{0, 1, 0}));
    gas -= density * cell * pores * volume.tiles(slope, 1)[at];
    walls -= density * h * h * volume.tiles(potential)[at] * (low - high);
    least = std::min(least, pores);
    cut += low > 0 && low < 1 && pores < 0.9 ? 1 : 0;
  });
  // The flow that the projection made free of divergence is that of the grains as they now move.
  const auto flow = volume.add_channel<double>("test_flow", {8, Sampling::face, 0.0, 3, true});
  fill(volume, flow, [](int, Vec3i, int) { return 0.0; });
  for (std::size_t i = 0; i < velocity.size(); ++i)
    velocity[i] = {velocity[i].x * share[i].x, velocity[i].y * share[i].y, velocity[i].z * share[i].z};
  points.splat(velocity, flow);
  double largest = 0, apart = 0;
  for (int c = 0; c < 3; ++c)
    verification::for_gas(grid, [&](Vec3i, int at) {
      if (!(volume.tiles(grid.open, c)[at] > 0)) return;
      const double moved = volume.tiles(fits, c)[at] * volume.tiles(flow, c)[at];
      const auto projected = static_cast<double>(volume.tiles(crowd.run.gas().porous().flow, c)[at]);
      largest = std::max(largest, std::abs(moved));
      apart = std::max(apart, std::abs(moved - projected));
    });
  EXPECT_LT(apart, 1e-6 * largest);
  const double all = crowd.volume * static_cast<double>(crowd.where.size());
  const double outside = -9.81 * (0.2 - 1) * density * all * crowd.gas.dt;  // weight less what is displaced
  const double left = momentum_of(*crowd.grains).y + carried - outside + gas - walls;
  const ProjectionReport& report = crowd.run.gas().projection_report();
  std::printf("momentum not accounted for: %.1e of %.3e kg m/s; least pores %.3f, %d cut faces; volume error %.1e\n",
              left, outside, least, cut, report.divergence);
  EXPECT_NEAR(least, 0.05, 1e-6);  // or nothing is crowded here
  EXPECT_GT(cut, 20);
  EXPECT_LT(std::abs(left), 1e-10 * std::abs(outside));
  EXPECT_LT(report.divergence, 1e-7);
}

// What enters a closed box cannot leave it: the mean goes, and the rest is solved.
TEST(PorousPressure, ConvergesForASourceInAClosedBox) {
  const Disk disk;
  GasRun run(disk.gas);
  add_grains(run, disk.grains, disk.volume, 0.1);
  const ChannelId<float> source = run.gas().volume_source();
  run.gas().add_source({"source", "source", [](double, double) { return Box{}; }, [](const Step&) {},
                        [&](const Step&) {
                          fill(run.grid().volume(), source, [](int, Vec3i v, int) { return v.x < 9 ? 1.0f : 0.0f; });
                        }});
  run.begin();
  newton_loop(run, disk.gas.dt);
  const ProjectionReport& report = run.gas().projection_report();
  EXPECT_TRUE(report.solve.converged);
  EXPECT_GT(report.compliant, 5);
  EXPECT_GT(report.solve.removed, 0);
}

TEST(PorousPressure, AddsUpWhatSeveralCouplingsGiveWay) {
  const auto speeds = [](bool apart) {
    const Disk disk;
    GasRun run(disk.gas);
    const auto half = disk.grains.begin() + 2000;
    std::vector<ParticleObject*> objects;
    if (apart) {
      objects.push_back(&add_grains(run, {disk.grains.begin(), half}, disk.volume, 0.1, "left"));
      objects.push_back(&add_grains(run, {half, disk.grains.end()}, disk.volume, 0.1, "right"));
    } else {
      objects.push_back(&add_grains(run, disk.grains, disk.volume, 0.1));
    }
    for (ParticleObject* object : objects) object->add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
    run.begin();
    newton_loop(run, disk.gas.dt);
    EXPECT_LT(run.gas().projection_report().divergence, 1e-6);
    Vec3d sum{0, 0, 0};
    for (const ParticleObject* object : objects) sum += momentum_of(*object);
    return sum;
  };
  const Vec3d together = speeds(false), apart = speeds(true);
  EXPECT_GT(together.y, 0);
  EXPECT_NEAR(apart.y, together.y, 1e-6 * together.y);
}

// With walls that gas may leave, objects give way face by face.
TEST(PorousPressure, IsLumpedAtNonStickWalls) {
  Disk disk;
  disk.gas.wall[2] = Wall::non_stick;
  GasRun run(disk.gas);
  ParticleObject& grains = add_grains(run, disk.grains, disk.volume, 0.1);
  grains.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  run.begin();
  newton_loop(run, disk.gas.dt);
  EXPECT_TRUE(run.gas().projection_report().solve.converged);
  EXPECT_EQ(run.gas().projection_report().compliant, 0);
  EXPECT_GT(momentum_of(grains).y, 0);
}

// Hair and dust: the lumped matrix is known to be enough.
TEST(PorousPressure, IsNotIteratedForThinHeavyObjects) {
  GasCase c;
  c.tolerance = 1e-4;
  GasRun run(c);
  std::vector<Vec3d> where;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    Random random(5, i);
    where.push_back({random.uniform(0.4, 1.2), random.uniform(0.4, 1.2), random.uniform(0.4, 1.2)});
  }
  add_grains(run, where, 1e-3 * 0.512 / 4000, 1000);
  run.begin(noise);
  newton_loop(run, c.dt);
  EXPECT_TRUE(run.gas().projection_report().solve.converged);
  EXPECT_EQ(run.gas().projection_report().compliant, 0);
}

}  // namespace
}  // namespace ymir
