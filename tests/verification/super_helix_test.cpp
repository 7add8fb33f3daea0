// Super-helices against the elastica, beam theory, discrete elastic rods, and the laws of motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "helix_run.h"
#include "rod_run.h"
#include "ymir/math/quaternion.h"

namespace ymir::verification {
namespace {

HelixCase cantilever(int elements) {
  HelixCase c;
  c.shape = straight(20);
  c.elements = elements;
  return c;
}

std::vector<Vec3d> coil(double kappa, double tau, double length, int segments) {
  SuperHelix h;
  h.elements = 1;
  h.length = length;
  h.root.axes = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};  // Frenet frame: n = y, b = z, t = x
  h.u[0] = {0, kappa, tau};
  h.update();
  std::vector<Vec3d> x;
  for (int k = 0; k <= segments; ++k) x.push_back(h.frame(0, length * k / segments).position);
  return x;
}

// A force on a point of integration is not one on the tip: with 64 of them it is, but for 4e-4 of an element.
TEST(SuperHelixVerification, BendsAsTheElasticaUnderATipLoad) {
  struct Reference {
    double load, x, y;
  };
  for (const Reference& ref : {Reference{5, .61237164, .71379152}, Reference{10, .44500440, .81060902}}) {
    std::vector<double> errors;
    for (const int elements : {2, 4, 8, 16}) {
      HelixCase c = cantilever(elements);
      c.points = SuperHelixObject::most_points;
      HelixRun run(c);
      for (int k = 1; k <= 4; ++k) {
        run.last_point_force = {0, -ref.load * k / 4, 0};
        run.settle(1e4);
      }
      errors.push_back(std::hypot(run.tip().x - ref.x, run.tip().y + ref.y));
      std::cout << "elastica " << ref.load << ", " << elements << " elements: " << errors.back() << "\n";
    }
    const double most[] = {5.5e-2, 1.3e-2, 3.2e-3, 9e-4};
    for (std::size_t k = 0; k < errors.size(); ++k) EXPECT_LT(errors[k], most[k]);
    EXPECT_GT(std::log2(errors[0] / errors[2]) / 2, 1.9);
  }
}

TEST(SuperHelixVerification, SagsUnderItsWeightAsTheElastica) {
  std::vector<double> errors;
  for (const int elements : {2, 4, 8, 16}) {
    HelixRun run(cantilever(elements));
    run.weight = {0, -5, 0};
    run.settle(1e4);
    errors.push_back(std::hypot(run.tip().x - .84665718, run.tip().y + .49590504));
    std::cout << "self weight 5, " << elements << " elements: " << errors.back() << "\n";
  }
  const double most[] = {3.8e-2, 9.5e-3, 2.4e-3, 6e-4};
  for (std::size_t k = 0; k < errors.size(); ++k) EXPECT_LT(errors[k], most[k]);
  EXPECT_GT(std::log2(errors[0] / errors[3]) / 3, 1.9);
}

// Swings by a small amount; the period from crossings of zero.
TEST(SuperHelixVerification, SwingsWithTheFrequencyOfACantilever) {
  const double exact = 3.5160153;
  std::vector<double> errors;
  for (const int elements : {2, 4, 8}) {
    HelixRun run(cantilever(elements));
    const double dt = 2 * M_PI / exact / 2000;
    run.weight = {0, -1e-3, 0};
    run.settle(1e4);
    run.weight = {0, 0, 0};
    run.set_velocity([](Vec3d) { return Vec3d{0, 0, 0}; });
    std::vector<double> crossings;
    double before = run.tip().y;
    while (crossings.size() < 4) {
      run.step(dt);
      const double y = run.tip().y;
      if (before * y < 0) crossings.push_back(run.time() - dt * y / (y - before));
      before = y;
    }
    errors.push_back(std::fabs(M_PI / ((crossings[3] - crossings[1]) / 2) / exact - 1));
    std::cout << "frequency, " << elements << " elements: " << errors.back() << "\n";
  }
  EXPECT_LT(errors[0], 5.6e-2);
  EXPECT_LT(errors[1], 1.4e-2);
  EXPECT_LT(errors[2], 4e-3);
}

TEST(SuperHelixVerification, FallsFromReleaseAsADiscreteRod) {
  const auto rod_tip = [](double dt) {
    RodCase c;
    c.shape = straight(40);
    RodRun run(c);
    run.weight = {0, -5, 0};
    while (run.time() < 0.6 - dt / 2) run.step(dt);
    return run.tip();
  };
  const auto helix_tip = [](int elements, double dt) {
    HelixRun run(cantilever(elements));
    run.weight = {0, -5, 0};
    while (run.time() < 0.6 - dt / 2) run.step(dt);
    return run.tip();
  };
  const Vec3d rod = rod_tip(0.005), coarse = helix_tip(4, 0.005), fine = helix_tip(16, 0.005);
  std::cout << "release: rod " << rod.x << " " << rod.y << ", 4 elements " << coarse.x << " " << coarse.y << ", 16 "
            << fine.x << " " << fine.y << "\n";
  EXPECT_LT(norm(rod - coarse), 1e-2);
  EXPECT_LT(norm(rod - fine), 1.5e-3);
}

// Without load it stays what it is, to rounding, with one element; from any length of step.
TEST(SuperHelixVerification, KeepsANaturalHelixWithOneElement) {
  for (const double turns : {0.0, 0.5, 3.4, 10.0})
    for (const double dt : {1e-4, 1.0 / 24}) {
      HelixCase c;
      const double w = 2 * M_PI * turns / 2;
      c.shape = coil(w * 0.93, w * 0.37, 2, 60 + static_cast<int>(20 * turns));
      c.elements = 1;
      HelixRun run(c);
      EXPECT_LT(norm(run.tip() - c.shape.back()), 1e-8) << turns;
      const Vec3d before = run.tip();
      for (int k = 0; k < 20; ++k) run.step(dt);
      EXPECT_LT(norm(run.tip() - before), 1e-9) << turns << " " << dt;
    }
}

TEST(SuperHelixVerification, HangsAsADiscreteRodOfTheSameCurl) {
  const std::vector<Vec3d> fine = coil(6, 2, 1.5, 240);
  RodCase rod;
  rod.shape = fine;
  rod.correction = true;
  rod.root_tangent = {1, 0, 0};
  rod.root_normal = {0, 1, 0};
  rod.newton.tolerance = 1e-11;
  RodRun discrete(rod);
  discrete.weight = {0, 0, -4};
  discrete.settle(1e4);
  double before = 1;
  for (const int elements : {4, 8, 16}) {
    HelixCase c;
    c.shape = fine;
    c.elements = elements;
    c.root_tangent = {1, 0, 0};
    c.root_normal = {0, 1, 0};
    HelixRun run(c);
    run.weight = {0, 0, -4};
    run.settle(1e4);
    const double sag = norm(discrete.tip() - fine.back()), away = norm(run.tip() - discrete.tip());
    std::cout << "curl, " << elements << " elements: " << away / 1.5 << " of the length, sag " << sag / 1.5 << "\n";
    EXPECT_LT(away, 0.5 * before);
    before = away;
  }
  EXPECT_LT(before, 0.01 * 1.5);
}

// Energy of backward Euler only falls, and momentum of a loose strand changes by what acts on it.
TEST(SuperHelixVerification, LooseStrandKeepsItsMomentum) {
  for (const double dt : {1e-3, 1.0 / 24}) {
    HelixCase c;
    c.shape = coil(4, 2, 1, 40);
    c.elements = 4;
    c.clamped = false;
    c.newton.tolerance = 1e-13;
    HelixRun run(c);
    run.set_velocity([](Vec3d x) { return Vec3d{1, 0.5, -0.3} + cross({0.5, 2, -1}, x); });
    const auto momentum = [&] {
      Vec3d p{0, 0, 0};
      run.each_point([&](double m, Vec3d, Vec3d v) { p += v * m; });
      return p;
    };
    const auto angular = [&] {
      Vec3d p{0, 0, 0};
      run.each_point([&](double m, Vec3d x, Vec3d v) { p += cross(x, v) * m; });
      return p;
    };
    const Vec3d p0 = momentum(), l0 = angular();
    run.weight = {0, -2, 0.5};
    for (int k = 0; k < 20; ++k) run.step(dt);
    const Vec3d gained = run.weight * (run.helix().length * 4 * 20 * dt);
    EXPECT_LT(norm(momentum() - p0 - gained), 1e-9 * norm(p0)) << dt;
    if (dt < 0.01) EXPECT_LT(norm(angular() - l0), 0.2 * norm(l0));
  }
}

// Backward Euler of points loses angular momentum with its dissipation alone: less, the shorter the step.
TEST(SuperHelixVerification, LooseStrandKeepsItsAngularMomentumToTheOrderOfTheStep) {
  std::vector<double> lost;
  for (const int steps : {50, 100, 200}) {
    HelixCase c;
    c.shape = coil(4, 2, 1, 40);
    c.elements = 4;
    c.clamped = false;
    HelixRun run(c);
    run.set_velocity([](Vec3d x) { return cross({0, 2, -1}, x); });
    const auto angular = [&] {
      Vec3d p{0, 0, 0};
      run.each_point([&](double m, Vec3d x, Vec3d v) { p += cross(x, v) * m; });
      return p;
    };
    const Vec3d l0 = angular();
    for (int k = 0; k < steps; ++k) run.step(0.2 / steps);
    lost.push_back(norm(angular() - l0) / norm(l0));
    std::cout << "angular momentum lost in " << steps << " steps: " << lost.back() << "\n";
  }
  EXPECT_LT(lost[2], 0.02);
  EXPECT_LT(lost[2], 0.6 * lost[1]);
}

TEST(SuperHelixVerification, EnergyOfAClampedStrandOnlyFalls) {
  HelixCase c = cantilever(6);
  HelixRun run(c);
  run.weight = {0, -5, 0};
  const auto energy = [&] {
    double e = 0;
    run.each_point([&](double m, Vec3d x, Vec3d v) { e += m * dot(v, v) / 2 + 5 * m * x.y; });
    const SuperHelix h = run.helix();
    for (int k = 0; k < h.elements; ++k)
      e += h.length / 2 * (h.u[k].x * h.u[k].x + h.u[k].y * h.u[k].y + 0.7 * h.u[k].z * h.u[k].z);
    return e;
  };
  double before = energy();
  for (int k = 0; k < 200; ++k) {
    run.step(0.01);
    const double now = energy();
    EXPECT_LT(now, before + 1e-9);
    before = now;
  }
  EXPECT_LT(before, -0.15);
}

// A root that is accelerated evenly: at rest in its frame, under gravity that is tilted.
TEST(SuperHelixVerification, AcceleratedRootIsTiltedGravity) {
  const Vec3d a{0.8, 0.3, -1.2}, g{0, -3, 0};
  for (const double dt : {1e-3, 1.0 / 24}) {
    HelixCase moving = cantilever(4);
    moving.relaxation_time = 0.5;
    moving.root.owner = "root";
    moving.root.pose = [&](std::int64_t, double t) { return RootFrame{a * (t * t / 2), {1, 0, 0}, {0, 1, 0}}; };
    HelixCase still = cantilever(4);
    still.relaxation_time = 0.5;
    still.root_normal = moving.root_normal = {0, 1, 0};
    HelixRun run(moving), rest(still);
    run.weight = g;
    rest.weight = g - a;
    const int steps = static_cast<int>(6 / dt);
    for (int k = 0; k < steps; ++k) run.step(dt);
    rest.settle(1e4);
    const double t = run.time();
    // Backward Euler sees the acceleration exactly: second differences of t^2/2.
    EXPECT_LT(norm(run.tip() - a * (t * t / 2) - rest.tip()), 2e-3) << dt;
    std::cout << "accelerated root, dt " << dt << ": " << norm(run.tip() - a * (t * t / 2) - rest.tip()) << "\n";
  }
}

// A root turned at constant speed: the strand at rest in the turning frame, pulled outwards by w^2 of its distance.
TEST(SuperHelixVerification, TurningRootIsCentrifugalForce) {
  const double w = 1.5;
  const auto pose = [&](double t) {
    const Quaternion q = quaternion_exp({0, w * t, 0});
    return RootFrame{rotate(q, {0.5, 0, 0}), rotate(q, {0, -1, 0}), rotate(q, {1, 0, 0})};
  };
  HelixCase c;
  c.shape.clear();
  for (int k = 0; k <= 20; ++k) c.shape.push_back({0.5, -k / 20.0, 0});
  c.elements = 6;
  c.relaxation_time = 0.5;
  c.root_normal = {1, 0, 0};
  HelixCase turning = c;
  turning.root.owner = "root";
  turning.root.pose = [&](std::int64_t, double t) { return pose(t); };
  std::vector<double> errors;
  HelixRun rest(c);
  PointForce outwards;
  outwards.owner = outwards.what = "centrifugal";
  outwards.accumulate = [&](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
    for (int i = 0; i < b.count; ++i) {
      const Vec3d x = Vec3d(b.position[i]) + Vec3d(b.velocity[i]) * b.dt;
      out.force.x[i] += b.mass[i] * w * w * x.x;
      out.force.z[i] += b.mass[i] * w * w * x.z;
    }
  };
  rest.object().add_force(outwards);
  rest.weight = {0, -2, 0};
  rest.settle(0.5, 400);
  for (const double dt : {0.02, 0.01}) {
    HelixRun run(turning);
    run.weight = {0, -2, 0};
    while (run.time() < 8 - dt / 2) run.step(dt);
    const Vec3d back = rotate(quaternion_exp({0, -w * run.time(), 0}), run.tip());
    errors.push_back(norm(back - rest.tip()));
    std::cout << "turning root, dt " << dt << ": " << errors.back() << " of a deflection of " << rest.tip().x - 0.5
              << "\n";
  }
  EXPECT_GT(rest.tip().x - 0.5, 0.05);
  EXPECT_LT(errors[1], 0.02);
  EXPECT_LT(errors[1], 0.6 * errors[0]);  // of first order, as backward Euler is
}

// Strands of all curls and moduli, at all steps, converge, stay finite and hang below their root in the end.
TEST(SuperHelixVerification, SolvesAllCurlsModuliAndSteps) {
  int most_iterations = 0;
  std::map<double, std::pair<int, int>> of_modulus;  // iterations, substeps
  std::map<double, std::int64_t> halvings, above;
  for (const double turns : {0.0, 1.0, 4.0, 10.0})
    for (const double modulus : {1e6, 1e8, 3.5e9, 1e11})
      for (const double dt : {1e-4, 1.0 / 96, 1.0 / 24})
        for (const int elements : {1, 5, 16}) {
          if (modulus == 1e6 && elements == 16) continue;  // minutes
          HelixCase c;
          const double length = 0.3, radius = 40e-6, w = 2 * M_PI * turns / length;
          c.shape = coil(w * 0.9, w * 0.43589, length, 60 + static_cast<int>(20 * turns));
          c.elements = elements;
          const CrossSection section{radius, radius};
          c.radius = radius;
          c.mass = 1300 * section.area();
          c.bend1 = c.bend2 = modulus * section.bending1();
          c.twist = modulus / 2.6 * section.torsion();
          c.relaxation_time = 2e-3;
          c.newton = {1e-8, 60};
          HelixRun run(c);
          run.weight = {0, -9.81 * c.mass, 0};
          for (int k = 0; k < 12; ++k) {
            const int iterations = run.step(dt);
            most_iterations = std::max(most_iterations, iterations);
            of_modulus[modulus].first += iterations;
            ++of_modulus[modulus].second;
            halvings[modulus] += run.object().report().retries;
            above[modulus] += run.object().report().unconverged;
          }
          EXPECT_TRUE(is_finite(run.tip()));
          EXPECT_LT(norm(run.tip()), length * 1.000001);
          if (testing::Test::HasFailure()) {
            ADD_FAILURE() << turns << " turns, " << modulus << " Pa, dt " << dt << ", " << elements << " elements";
            return;
          }
        }
  for (const auto& [modulus, sums] : of_modulus)
    std::cout << modulus << " Pa: " << static_cast<double>(sums.first) / sums.second << " Newton iterations, "
              << halvings[modulus] << " halvings, " << above[modulus] << " above the tolerance in " << sums.second
              << " substeps\n";
  std::cout << "most Newton iterations of a substep: " << most_iterations << "\n";
  // Strands of 1 MPa are limp beyond what their elements can show: some are accepted above the tolerance, and told.
  EXPECT_EQ(above[1e8] + above[3.5e9] + above[1e11], 0);
  EXPECT_EQ(halvings[3.5e9], 0);
  EXPECT_LE(of_modulus[3.5e9].first, 12 * of_modulus[3.5e9].second);
}

TEST(SuperHelixVerification, IsTheSameFarAwayAndTurned) {
  const Quaternion q = quaternion_exp(Vec3d{0.2, 0.4, 0.3} * (M_PI / 6 / norm(Vec3d{0.2, 0.4, 0.3})));
  const Vec3d far{2000, -700, 300};
  HelixCase a, b;
  a.shape = coil(8, 3, 1, 60);
  a.root_normal = {0, 1, 0};
  for (const Vec3d& x : a.shape) b.shape.push_back(rotate(q, x) + far);
  b.root_normal = rotate(q, a.root_normal);
  a.newton.tolerance = b.newton.tolerance = 1e-10;
  HelixRun here(a), there(b);
  here.weight = {0, -3, 1};
  there.weight = rotate(q, here.weight);
  for (int k = 0; k < 60; ++k) {
    here.step(0.02);
    there.step(0.02);
  }
  EXPECT_GT(norm(here.tip() - a.shape.back()), 0.04);
  EXPECT_LT(norm(rotate(q, here.tip()) + far - there.tip()), 1e-6);
}

}  // namespace
}  // namespace ymir::verification
