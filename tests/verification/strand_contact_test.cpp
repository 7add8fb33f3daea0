// Strands on a plane: height of rest, and friction on an incline, against the penalty law in closed form.
#include "ymir/actions/strand_contact.h"

#include <fmt/format.h>

#include "strands_run.h"
#include "ymir/base/error.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81;

Collider plane() {
  Collider c;
  c.distance = [](Vec3d x) { return DistanceSample{x.y, {0, 1, 0}}; };
  return c;
}

// A loose strand laid just above the plane y = 0.
struct Laid {
  static constexpr int edges = 10;
  StrandsRun run;
  PenaltyParams params;
  explicit Laid(double friction) {
    params.friction = friction;
    StrandsCase c;
    c.radius = 1e-3;
    c.mass = 5e-3;
    c.bend = 1e-4;
    c.twist = 7e-5;
    c.stretch = 1e4;
    c.clamped = false;
    c.newton = {1e-7, 500};
    const double height = c.radius + params.thickness + 1e-5;
    c.strands = {line({0, height, 0}, {0.2, height, 0}, edges)};
    add_strand_contact(run.add(c), "collider", plane(), params);
    run.start();
  }
  double clearance() const { return 1e-3 + params.thickness; }
};

// N = k p^2/2h = m g with k = stiffness m/dt^2: the depth is the same for all masses.
TEST(StrandOnAPlane, RestsWherePenaltyCarriesItsWeight) {
  for (const double dt : {1.0 / 480, 1.0 / 240, 1.0 / 96}) {
    Laid laid(0.3);
    laid.run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -g * v.mass, 0}; };
    for (int k = 0; k < 400; ++k) laid.run.step(dt);
    const double h = laid.params.thickness, per_mass = laid.params.stiffness / (dt * dt);
    const double depth = std::sqrt(2 * h * g / per_mass);
    ASSERT_LT(depth, h);
    double worst = 0;
    for (int i = 0; i <= Laid::edges; ++i)
      worst = std::max(worst, std::fabs(laid.run.position(0, 0, i).y - (laid.clearance() - depth)));
    fmt::print("dt 1/{:.0f} s: depth {:.3e} m, vertices within {:.1e} m of the exact height\n", 1 / dt, depth, worst);
    EXPECT_LE(worst, 1e-6 * depth) << dt;
  }
}

TEST(StrandOnAPlane, SettlesInTheLinearPartOfThePenaltyToo) {
  constexpr double dt = 1.0 / 24;
  Laid laid(0.3);
  laid.run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -10 * g * v.mass, 0}; };
  for (int k = 0; k < 400; ++k) laid.run.step(dt);
  const double h = laid.params.thickness, per_mass = laid.params.stiffness / (dt * dt);
  const double depth = 10 * g / per_mass + h / 2;
  ASSERT_GT(depth, h);
  for (int i = 0; i <= Laid::edges; ++i)
    EXPECT_NEAR(laid.run.position(0, 0, i).y, laid.clearance() - depth, 1e-6 * depth);
}

// Friction is a spring on the slip of each substep, a tenth as stiff as the contact: it holds by creeping at
// g sin(a) dt / (0.1 stiffness), and lets go where that spring exceeds mu N.
TEST(StrandOnAnIncline, IsHeldBelowTheFrictionAngleAndSlidesAbove) {
  constexpr double angle = M_PI / 6, dt = 1.0 / 240;
  for (const double ratio : {1.5, 1.05, 0.95, 0.5, 0.0}) {
    const double mu = ratio * std::tan(angle);
    Laid laid(mu);
    laid.run.load = [&](const StrandsRun::Vertex& v) {
      return Vec3d{g * std::sin(angle) * v.mass, -g * std::cos(angle) * v.mass, 0};
    };
    // Past the landing, then measure.
    for (int k = 0; k < 120; ++k) laid.run.step(dt);
    const auto middle = [&] { return laid.run.position(0, 0, Laid::edges / 2).x; };
    const auto speed = [&] {
      const double x = middle();
      laid.run.step(dt);
      return (middle() - x) / dt;
    };
    const double first = speed();
    for (int k = 0; k < 119; ++k) laid.run.step(dt);
    const double last = speed();
    const double acceleration = (last - first) / (120 * dt),
                 creep = g * std::sin(angle) * dt / (0.1 * laid.params.stiffness);
    const double expected = g * (std::sin(angle) - mu * std::cos(angle));
    fmt::print(
        "friction {:.2f} of the angle's: speed {:.3e} m/s (creep {:.3e}), acceleration {:.4f} m/s^2, at most {} "
        "iterations\n",
        ratio, last, creep, acceleration, laid.run.object(0).most_iterations());
    if (ratio > 1) {
      EXPECT_LE(last, creep * (1 + 1e-3));
      EXPECT_GT(last, 0);
      EXPECT_NEAR(acceleration, 0, 1e-3 * creep / dt);
    } else {
      EXPECT_NEAR(acceleration, expected, 1e-3 * g);
      EXPECT_GT(last, creep);
    }
  }
}

// A friction of the curves' own wins over the collider's: what is painted 0 slides as on ice, what is painted 5 is
// held.
TEST(StrandOnAnIncline, TakesTheFrictionPaintedOnIt) {
  constexpr double dt = 1.0 / 96;
  const auto slid = [&](double of_collider, const std::function<double(int strand)>& painted) {
    StrandsCase c;
    c.radius = 1e-4;
    c.mass = 4e-5;
    c.bend = 2.7e-7;
    c.twist = 2e-7;
    c.stretch = 110;
    c.clamped = false;
    c.newton = {1e-6, 200};
    for (int k = 0; k < 2; ++k) c.strands.push_back(line({0, 6e-4, 0.02 * k}, {0.11, 6e-4, 0.02 * k}, 11));
    StrandsRun run;
    c.channel = "friction";
    c.painted = painted;
    CurvesObject& object = run.add(c);
    PenaltyParams params;
    params.friction = of_collider;
    add_strand_contact(object, "collider", plane(), params);
    run.load = [](const StrandsRun::Vertex& v) { return Vec3d{6.9 * v.mass, -6.9 * v.mass, 0}; };
    run.start();
    for (int k = 0; k < 48; ++k) run.step(dt);
    return std::array{run.position(0, 0, 0).x, run.position(0, 1, 0).x};
  };
  const auto ice = slid(0, {}), glue = slid(5, {}), collider = slid(0.3, {});
  const auto both = slid(0.3, [](int strand) { return strand == 0 ? 0.0 : 5.0; });
  fmt::print("slid {:.4f} m on friction 0, {:.4f} m on 0.3, {:.4f} m on 5; painted 0 and 5: {:.4f} m, {:.4f} m\n",
             ice[0], collider[0], glue[0], both[0], both[1]);
  EXPECT_NEAR(ice[0], 0.5 * 6.9 * 0.5 * 0.5, 0.02);
  EXPECT_EQ(both[0], ice[0]);
  EXPECT_EQ(both[1], glue[1]);
  EXPECT_LT(glue[1], 0.01);
  EXPECT_GT(collider[0], 0.1);
  EXPECT_THROW(slid(0.3, [](int) { return -1.0; }), Error);
}

}  // namespace
}  // namespace ymir::verification
