// Bodies lighter than the gas around them, from rest. [method notes C, light bodies]
#include "light_body.h"

#include <fmt/format.h>

#include <span>

#include "ymir/actions/coupled_drag.h"
#include "ymir/base/error.h"
#include "ymir/base/random.h"

namespace ymir {
namespace {

using namespace verification;

// Places of a centre within a voxel: centre, on a face, on a corner, anywhere.
const Vec3d places[] = {{0.5, 0.5, 0.5}, {0.5, 0, 0.5}, {0, 0, 0}, {0.21, 0.83, 0.37}};

TEST(LightBody, RisesAsPotentialFlowHasItAtEverySizeAndPlace) {
  struct Size {
    double radius;  // [voxels]
    int box;
    double within;
  };
  for (const Size size :
       {Size{0.05, 24, 0.002}, Size{0.25, 24, 0.005}, Size{0.3, 24, 0.005}, Size{0.5, 24, 0.005}, Size{0.7, 24, 0.005},
        Size{1, 24, 0.006}, Size{1.5, 24, 0.008}, Size{2, 32, 0.006}, Size{3, 32, 0.01}, Size{6, 48, 0.01}}) {
    double lowest = 1e9, highest = 0, sideways = 0;
    const std::span<const Vec3d> few = std::span(places).last(size.radius > 2 ? 2 : 4);
    for (const Vec3d& place : few) {
      const double s = 0.01, exact = rise(s), box = rise(s, added_mass_in_box(ball_volume(size.radius), size.box));
      const Vec3d found = let_go(size.box, place, size.radius, s) * (exact / box);
      lowest = std::min(lowest, found.y), highest = std::max(highest, found.y);
      sideways = std::max({sideways, std::abs(found.x), std::abs(found.z)});
      EXPECT_NEAR(found.y, exact, size.within * exact) << size.radius << " voxels";
    }
    const double bare = let_go(size.box, places[3], size.radius, 0.01, {{0, -free_fall, 0}, true, true, false}).y;
    fmt::print("radius {:4.2f} voxels, s 0.01: {:.2f} to {:.2f} m/s^2 (exact {:.2f}), without added mass {:.1f}\n",
               size.radius, lowest, highest, rise(0.01), bare);
    EXPECT_LT(sideways, 0.002 * rise(0.01));
  }
}

TEST(LightBody, RisesAsPotentialFlowHasItAtEveryDensity) {
  for (const double s : {0.001, 0.0012, 0.01, 0.1, 0.3, 1.0, 10.0, 1000.0})
    for (const double radius : {0.1, 0.6, 1.2, 2.0}) {
      const double found = let_go(24, {0.21, 0.33, 0.47}, radius, s).y;
      const double exact = rise(s, added_mass_in_box(ball_volume(radius), 24));
      if (radius == 0.1) fmt::print("s {:6.4f}: {:.3f} m/s^2, exact {:.3f}\n", s, found, rise(s));
      EXPECT_NEAR(found, exact, s == 1 ? 1e-9 : 0.01 * std::abs(exact)) << "s " << s << ", " << radius << " voxels";
    }
}

// A gust accelerates all air by a pressure that falls over lengths far beyond the gas, and pushes what is in it too:
// (1 + C) U/(s + C).
TEST(LightBody, IsPushedByThePressureOfAGust) {
  for (const double s : {0.01, 0.5, 100.0})
    for (const double radius : {0.2, 1.2}) {
      GasCase c = cube(24);
      c.closed = false;
      GasRun run(c);
      const ParticleObject& ball = add_balls(run, {{0.21, 0.33, 0.47}}, radius, s, {{0, 0, 0}});
      run.gas().add_wind({"wind", "wind",
                          [](int count, ConstVec3Planes, double time, Vec3Planes out) {
                            for (int i = 0; i < count; ++i) out.x[i] = time > 0 ? 1 : 0, out.y[i] = 0, out.z[i] = 0;
                          },
                          [](double time) {
                            return Vec3d{time > 0 ? 1.0 : 0.0, 0, 0};
                          }});
      run.begin();
      newton_loop(run, c.dt);
      EXPECT_NEAR(moving(ball)[0].v.x, 1.5 / (s + 0.5), 0.01 * 1.5 / (s + 0.5)) << s << ", " << radius << " voxels";
    }
}

// Gravity may point anywhere, the grid not.
TEST(LightBody, RisesAgainstGravityInEveryDirection) {
  for (const double radius : {0.2, 0.6, 1.3}) {
    const GasCase c = cube(24);
    GasRun run(c);
    const Vec3d down = Vec3d{-0.36, -0.48, 0.8} * free_fall;
    ParticleObject::Description d;
    d.radius = radius * c.voxel;
    d.density = 0.01 * gas_density;
    auto& ball = run.simulation().add(std::make_unique<ParticleObject>("ball", 0, run.simulation().domain(), d));
    Points points;
    points.positions = {{0.01, 0.02, -0.007}};
    points.vertices.resize(1);
    ball.add_points(points);
    ball.add_force(gravity_force("gravity", down, {}));
    couple_buoyancy(run.gas(), {&ball}, "buoyancy", {down});
    run.begin();
    newton_loop(run, c.dt);
    const double wanted = rise(0.01, added_mass_in_box(ball_volume(radius), 24));
    const Vec3d found = moving(ball)[0].v / c.dt;
    EXPECT_LT(norm(found + down * (wanted / free_fall)), 0.006 * wanted) << radius;
  }
}

// Lamb: C = 1/2 - 3/2 (R/c)^3 for two along their line, 1/2 + 3/4 (R/c)^3 across.
TEST(LightBody, TwoFeelEachOtherAsLambHasIt) {
  for (const double radius : {1.0, 2.0})
    for (const int axis : {1, 0}) {
      const GasCase c = cube(40);
      GasRun run(c);
      Vec3d apart{0, 0, 0};
      apart[axis] = 2 * radius;
      const Vec3d middle{0.2, 0.3, 0.6};
      const ParticleObject& balls = add_balls(run, {middle - apart, middle + apart}, radius, 0.01);
      run.begin();
      newton_loop(run, c.dt);
      const double a = momentum_of(balls).y / (2 * 0.01 * gas_density * ball_volume(radius * c.voxel)) / c.dt;
      const double walls = 2 * (added_mass_in_box(ball_volume(radius), 40) - 0.5);
      const double found = 0.99 * free_fall / a - 0.01 - walls, wanted = 0.5 + (axis == 1 ? -1.5 : 0.75) / 64;
      fmt::print("two of {} voxels {}: C {:.4f}, Lamb {:.4f}\n", radius, axis == 1 ? "along" : "across", found, wanted);
      EXPECT_NEAR(found, wanted, 0.004);
    }
}

// Zuber: C = (1 + 2c)/(2(1 - c)) for spheres that take the share c, evenly spread.
TEST(LightBody, AFilledBoxRisesAsZuberHasIt) {
  struct Fill {
    double radius, share, within;  // notes: what balls of the voxel's size add
  };
  for (const Fill fill : {Fill{0.15, 0.3, 0.005}, Fill{0.5, 0.3, 0.02}, Fill{1, 0.2, 0.02}}) {
    const int n = 16;
    const GasCase c = cube(n);
    GasRun run(c);
    const int per_edge = static_cast<int>(std::lround(n * std::cbrt(fill.share / ball_volume(fill.radius))));
    const double spacing = static_cast<double>(n) / per_edge, share = ball_volume(fill.radius) / std::pow(spacing, 3);
    std::vector<Vec3d> where;
    for (int i = 0; i < per_edge * per_edge * per_edge; ++i)
      where.push_back(Vec3d{i % per_edge + 0.5, i / per_edge % per_edge + 0.5, i / (per_edge * per_edge) + 0.5} *
                          spacing -
                      Vec3d{0.5, 0.5, 0.5} * n);
    const ParticleObject& balls = add_balls(run, where, fill.radius, 0.01);
    run.begin();
    newton_loop(run, c.dt);
    double sum = 0;
    int counted = 0;
    for (const Moving& m : moving(balls)) {
      const Vec3d x = m.x / c.voxel;
      if (std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}) > 0.5 * n - 3) continue;
      sum += m.v.y / c.dt;
      ++counted;
    }
    const double wanted = rise(0.01, (1 + 2 * share) / (2 * (1 - share)));
    fmt::print("share {:.3f} of balls of {} voxels: {:.3f} g, Zuber {:.3f} g; {} iterations\n", share, fill.radius,
               sum / counted / free_fall, wanted / free_fall, run.gas().projection_report().compliant);
    EXPECT_NEAR(sum / counted, wanted, fill.within * wanted);
    EXPECT_LT(run.gas().projection_report().compliant, 40);
  }
}

// Gas kappa A and points (m + a rho V) v together gain what gravity and walls give, drag or not.
TEST(LightBody, MomentumIsWhatWallsAndGravityGive) {
  for (const double strength : {0.0, 1.0, 100.0}) {
    GasCase c = cube(16);
    c.tolerance = 1e-11;
    GasRun run(c);
    std::vector<Vec3d> where;
    for (std::uint64_t i = 0; i < 12; ++i) {
      Random random(5, i);
      where.push_back({random.uniform(-4, 4), random.uniform(-4, 4), random.uniform(-4, 4)});
    }
    ParticleObject& large = add_balls(run, {where.begin(), where.begin() + 6}, 0.8, 0.05);
    ParticleObject& small = add_balls(run, {where.begin() + 6, where.end()}, 0.2, 0.05);
    couple_drag(run.gas(), {&large, &small}, "drag", {1.8e-5, strength, true, true, 2});
    run.begin();
    newton_loop(run, c.dt);
    const DiscreteVolume& volume = run.grid().volume();
    const VolumeView<double> q(volume, run.gas().projection().potential());
    const VolumeView<float> pores(volume, run.gas().porous().pores, 1), u(volume, run.grid().velocity, 1);
    const double h = c.voxel;
    double gas = 0, walls = 0, points = 0, outside = 0;
    for (int z = -8; z < 8; ++z)
      for (int x = -8; x < 8; ++x) {
        walls += (q.value(0, {x, -8, z}) - q.value(0, {x, 7, z})) * h * h * gas_density;
        for (int y = -7; y < 8; ++y)
          gas += gas_density * h * h * h * static_cast<double>(pores.value(0, {x, y, z}) * u.value(0, {x, y, z}));
      }
    for (ParticleObject* object : {&large, &small}) {
      const Dressing* dressing = run.gas().dressing(object);
      std::size_t k = 0;
      object->visit_points([&](const PointBlock& b) {
        for (int i = 0; i < b.count; ++i, ++k) {
          points += (b.mass[i] + dressing->added[k].y) * Vec3d(b.velocity[i]).y;
          outside += (gas_density * ball_volume(b.radius[i]) - b.mass[i]) * free_fall * c.dt;
        }
      });
    }
    fmt::print("drag times {}: momentum not accounted for {:.1e} of {:.3e} kg m/s\n", strength,
               points + gas - walls - outside, outside);
    EXPECT_NEAR(points + gas - walls, outside, 2e-7 * outside);  // gas is stored in single precision
  }
}

// More passes solve the same step again.
TEST(LightBody, DoesNotDependOnTheNumberOfPasses) {
  std::vector<double> speeds;
  for (const int passes : {2, 4}) {
    const GasCase c = cube(24);
    GasRun run(c);
    const ParticleObject& ball = add_balls(run, {{0.2, 0.1, 0.4}}, 1.4, 0.05);
    // Without strength: asks for passes only.
    couple_drag(run.gas(), {const_cast<ParticleObject*>(&ball)}, "drag", {1.8e-5, 0, true, true, passes});
    run.begin();
    newton_loop(run, c.dt);
    EXPECT_LT(run.gas().projection_report().divergence, 1e-6);
    speeds.push_back(moving(ball)[0].v.y);
  }
  EXPECT_NEAR(speeds[1], speeds[0], 1e-6 * speeds[0]);
}

TEST(LightBody, IsRefusedWhenItIsFarLargerThanVoxels) {
  const GasCase c = cube(16);
  GasRun run(c);
  add_balls(run, {{0, 0, 0}}, 20, 0.1);
  run.begin();
  try {
    newton_loop(run, c.dt);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("use a collider"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ymir
