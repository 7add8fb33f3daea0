// Rigid bodies: inertia of meshes, the tumbling top, derivatives of the rotation potential, a pendulum on a ball joint.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/physics/rigid/free_flight.h"
#include "ymir/physics/rigid/inertia.h"
#include "ymir/physics/rigid/rigid_point.h"
#include "ymir/physics/rigid/rotation_potential.h"

namespace ymir {
namespace {

struct Mesh {
  std::vector<Vec3d> x;
  std::vector<Vec3i> triangles;
};

Mesh box(Vec3d low, Vec3d high) {
  Mesh m;
  for (int k = 0; k < 8; ++k) m.x.push_back({k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
  for (const auto& f : {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    m.triangles.push_back({f[0], f[1], f[2]});
    m.triangles.push_back({f[0], f[2], f[3]});
  }
  return m;
}

// An icosahedron cut four ways `levels` times, its vertices on the unit sphere.
Mesh sphere(int levels) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  Mesh m{{{-1, g, 0},
          {1, g, 0},
          {-1, -g, 0},
          {1, -g, 0},
          {0, -1, g},
          {0, 1, g},
          {0, -1, -g},
          {0, 1, -g},
          {g, 0, -1},
          {g, 0, 1},
          {-g, 0, -1},
          {-g, 0, 1}},
         {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
          {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
          {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
  for (; levels > 0; --levels) {
    std::map<std::pair<int, int>, int> middle;
    const auto between = [&](int a, int b) {
      const auto [at, fresh] = middle.try_emplace(std::minmax(a, b), static_cast<int>(m.x.size()));
      if (fresh) m.x.push_back(m.x[static_cast<std::size_t>(a)] + m.x[static_cast<std::size_t>(b)]);
      return at->second;
    };
    std::vector<Vec3i> finer;
    for (const Vec3i& t : m.triangles) {
      const int a = between(t.x, t.y), b = between(t.y, t.z), c = between(t.z, t.x);
      for (const Vec3i& part : {Vec3i{t.x, a, c}, Vec3i{t.y, b, a}, Vec3i{t.z, c, b}, Vec3i{a, b, c}})
        finer.push_back(part);
    }
    m.triangles = finer;
    for (Vec3d& p : m.x) p = normalized(p);
  }
  for (Vec3d& p : m.x) p = normalized(p);
  return m;
}

Vec3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

double largest(const Mat3d& a) {
  double m = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m = std::max(m, std::fabs(a(r, c)));
  return m;
}

Mat3d diagonal(Vec3d v) { return {{v.x, 0, 0}, {0, v.y, 0}, {0, 0, v.z}}; }

TEST(Inertia, OfABoxIsExactAlsoFarFromTheOrigin) {
  for (const double away : {0.0, 1000.0}) {
    const Mesh m = box({1 + away, 0, -1}, {2 + away, 2, 2});
    const MassProperties p = mass_properties(m.x, m.triangles, 1);
    EXPECT_NEAR(p.mass, 6, 6e-15);
    EXPECT_LT(norm(p.centre - Vec3d{1.5 + away, 1, .5}), 2e-15 * (1 + away));
    const Mat3d exact = diagonal(Vec3d{4 + 9, 1 + 9, 1 + 4} * (6.0 / 12));
    EXPECT_LT(largest(inertia_tensor(p.covariance) - exact), 1e-14);
  }
}

TEST(Inertia, OfATurnedBoxHasItsPrincipalAxes) {
  Mesh m = box({-1, -.5, -2}, {1, .5, 2});
  const Quaternion q = quaternion_exp({.3, -1, .7});
  for (Vec3d& x : m.x) x = rotate(q, x) + Vec3d{3, 4, 5};
  const MassProperties p = mass_properties(m.x, m.triangles, 2);
  const PrincipalInertia principal = principal_inertia(p.covariance);
  const double mass = 16;
  EXPECT_LT(norm(principal.moments - Vec3d{4 + 16, 1 + 16, 1 + 4} * (mass / 12)), 1e-13);
  EXPECT_LT(norm(principal.spread - Vec3d{1, 4, 16} * (mass / 12)), 1e-13);
  // Thinnest along y, longest along z.
  EXPECT_NEAR(std::fabs(dot(principal.axes.column[0], rotate(q, {0, 1, 0}))), 1, 1e-14);
  EXPECT_NEAR(std::fabs(dot(principal.axes.column[2], rotate(q, {0, 0, 1}))), 1, 1e-14);
}

TEST(Inertia, OfAnInscribedSphereConvergesAtSecondOrder) {
  double before = 0;
  for (int levels = 2; levels <= 4; ++levels) {
    const Mesh m = sphere(levels);
    const MassProperties p = mass_properties(m.x, m.triangles, 1);
    const double error = p.mass / (4 * M_PI / 3) - 1;
    fmt::print("sphere of {} vertices: mass {:+.4f}, I/(2/5 m r^2) {:+.4f}\n", m.x.size(), error,
               inertia_tensor(p.covariance)(0, 0) / (.4 * p.mass) - 1);
    EXPECT_LT(error, 0);
    if (levels > 2) {
      EXPECT_NEAR(before / error, 4, .15);
    }
    EXPECT_LT(norm(p.centre), 1e-13);  // round-off of thousands of terms
    EXPECT_LT(largest(p.covariance - identity3() * p.covariance(0, 0)), 1e-13);
    before = error;
  }
  EXPECT_NEAR(before, -.0023, .0002);  // -.37 % at 1600 vertices is -.23 % at 2562
}

TEST(Inertia, OfAFlippedMeshHasNegativeMass) {
  Mesh m = box({0, 0, 0}, {1, 1, 1});
  for (Vec3i& t : m.triangles) std::swap(t.x, t.y);
  EXPECT_LT(mass_properties(m.x, m.triangles, 1).mass, 0);
}

// --- the top that flips ---

struct Flight {
  double least_energy = 1, most_energy = 1;  // over the first
  std::vector<double> flips;                 // times at which the spin about the middle axis has changed sign [s]
};

Flight fly(double dt, int splits) {
  const Vec3d moments{1, 2, 3}, spin{.01, 5, .01};
  const Vec3d momentum{spin.x * moments.x, spin.y * moments.y, spin.z * moments.z};
  const double first = dot(spin, momentum) / 2;
  Quaternion q;
  Flight f;
  double sign = 1;
  for (int k = 1; k * dt <= 20 + 1e-9; ++k) {
    q = free_flight(q, momentum, moments, dt, splits);
    const Vec3d m = rotate(conjugate(q), momentum);
    EXPECT_NEAR(norm(m) / norm(momentum), 1, 1e-12);
    const double energy = (m.x * m.x / moments.x + m.y * m.y / moments.y + m.z * m.z / moments.z) / 2 / first;
    f.least_energy = std::min(f.least_energy, energy);
    f.most_energy = std::max(f.most_energy, energy);
    if (m.y * sign < 0) {
      f.flips.push_back(k * dt);
      sign = m.y;
    }
  }
  return f;
}

TEST(FreeFlight, FlipsTheTopOfDzhanibekovOnTime) {
  const double exact[4] = {2.7411, 7.7670, 12.7930, 17.8189};
  const struct {
    double dt, energy, flips[4];
  } cases[] = {{1.0 / 96, 2e-5, {2.75, 7.77, 12.80, 17.82}}, {1.0 / 24, 3e-4, {2.75, 7.79, 12.83, 17.88}}};
  for (const auto& c : cases) {
    const Flight f = fly(c.dt, 1);
    ASSERT_EQ(f.flips.size(), 4U);
    fmt::print("top dt {:.5f}: E/E0 {:.6f}..{:.6f}, flips {:.3f} {:.3f} {:.3f} {:.3f}\n", c.dt, f.least_energy,
               f.most_energy, f.flips[0], f.flips[1], f.flips[2], f.flips[3]);
    EXPECT_GT(f.least_energy, 1 - 1.5 * c.energy);
    EXPECT_LT(f.most_energy, 1 + 1.5 * c.energy);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(f.flips[k], c.flips[k], .006) << k;  // printed to .01
  }
  const Flight fine = fly(1.0 / 96, 4);
  ASSERT_EQ(fine.flips.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {  // resolved to dt
    EXPECT_GT(fine.flips[k], exact[k] - 1e-3);
    EXPECT_LT(fine.flips[k], exact[k] + 1.0 / 96 + 1e-3);
  }
}

TEST(FreeFlight, TurnsASphereAboutItsMomentum) {
  const Vec3d momentum{.3, -2, 1};
  const Quaternion start = quaternion_exp({.4, .2, 1}), q = free_flight(start, momentum, {2, 2, 2}, .25, 64);
  const Quaternion exact = quaternion_exp(momentum * (.25 / 2)) * start;
  EXPECT_NEAR(std::fabs(dot(q, exact)), 1, 1e-9);
}

TEST(FreeFlight, IsOfSecondOrderInItsSplits) {
  const Vec3d momentum{.7, 5, 1.3}, moments{1, 2, 3};
  const Quaternion exact = free_flight({}, momentum, moments, .5, 4096);
  const auto error = [&](int splits) {
    return norm(quaternion_log(free_flight({}, momentum, moments, .5, splits) * conjugate(exact)));
  };
  EXPECT_NEAR(error(8) / error(16), 4, .2);
}

TEST(RotationPotential, DerivativesMatchDifferences) {
  Random random(42, 0);
  double worst_gradient = 0, worst_hessian = 0;
  for (int k = 0; k < 50; ++k) {
    const Vec3d spread{random.uniform(.1, 2), random.uniform(.1, 2), random.uniform(.1, 2)};
    const Quaternion free = quaternion_exp(random_vector(random, 2));
    const Quaternion q = quaternion_exp(random_vector(random, .4)) * free;
    const double dt = 1, size = spread.x + spread.y + spread.z;
    const auto at = [&](Vec3d turn) { return RotationPotential(quaternion_exp(turn) * q, free, spread, dt); };
    const RotationPotential p = at({});
    Mat3d jacobian;  // of the gradient; its symmetric part is the Hessian
    for (int a = 0; a < 3; ++a) {
      Vec3d e{};
      e[a] = 1e-5;
      worst_gradient =
          std::max(worst_gradient, std::fabs((at(e).value() - at(-e).value()) / 2e-5 - p.gradient()[a]) / size);
      jacobian.column[a] = (at(e).gradient() - at(-e).gradient()) / 2e-5;
    }
    worst_hessian = std::max(worst_hessian, largest((jacobian + transposed(jacobian)) * 0.5 - p.hessian()) / size);
  }
  fmt::print("gradient off by {:.1e}, Hessian by {:.1e}\n", worst_gradient, worst_hessian);
  EXPECT_LT(worst_gradient, 3e-10);
  EXPECT_LT(worst_hessian, 3e-10);
}

TEST(RotationPotential, IsAtRestInFreeFlightWithTheInertiaAsItsStiffness) {
  const Quaternion q = quaternion_exp({.3, 1, -.2});
  const Vec3d spread{2, 1.5, .5};
  const RotationPotential p(q, q, spread, .1);
  EXPECT_LT(norm(p.gradient()), 1e-13);
  for (int k = 0; k < 3; ++k) {
    Vec3d axis{};
    axis[k] = 1;
    const Vec3d world = rotate(q, axis);
    EXPECT_LT(norm(p.hessian() * world - world * ((4 - spread[k]) * 100)), 1e-12);
  }
}

TEST(RigidPoint, FollowsTheBodyAndItsLeverIsTheSecondDerivative) {
  Random random(43, 0);
  for (int k = 0; k < 50; ++k) {
    const Vec3d centre = random_vector(random, 1), in_body = random_vector(random, 1), f = random_vector(random, 1);
    const Quaternion q = quaternion_exp(random_vector(random, 2));
    const RigidPoint p(centre, q, in_body);
    const auto at = [&](Vec3d turn) { return RigidPoint(centre, quaternion_exp(turn) * q, in_body).position; };
    const Mat3d lever = p.lever(f);
    for (int a = 0; a < 3; ++a) {
      Vec3d ea{};
      ea[a] = 1e-4;
      const Vec3d d = (at(ea) - at(-ea)) / 2e-4;
      EXPECT_LT(norm(d - p.turn_jacobian().column[a]), 1e-8);
      EXPECT_NEAR(dot(d, f), p.torque(f)[a], 1e-8);
      EXPECT_LT(norm(p.motion({1, 2, 3}, ea * 1e4) - Vec3d{1, 2, 3} - p.turn_jacobian().column[a]), 1e-15);
      for (int b = 0; b < 3; ++b) {
        Vec3d eb{};
        eb[b] = 1e-4;
        const Vec3d dd = (at(ea + eb) - at(ea - eb) - at(eb - ea) + at(-(ea + eb))) / 4e-8;
        EXPECT_NEAR(dot(dd, f), lever(a, b), 1e-7);
      }
    }
  }
}

// --- pendulum: a body 1 m long that hangs from a ball joint at its end, let go level ---

struct Swing {
  double first_period, energy, joint_error;  // [s], over m g l, [m]
  int most_iterations;
};

Swing swing(double dt, double period) {
  constexpr double mass = 1, l = .5, g = 9.81;
  const Vec3d spread{mass / 12, 1e-3, 1e-3}, in_body{-l, 0, 0}, weight{0, 0, -mass * g};
  const Vec3d moments{spread.y + spread.z, spread.x + spread.z, spread.x + spread.y};
  Quaternion q;
  Vec3d x{l, 0, 0}, v{}, momentum{}, joint{};
  Swing result{0, 0, 0, 0};
  std::vector<double> crossings;
  const int steps = static_cast<int>(std::lround(5 * period / dt));
  for (int step = 0; step < steps; ++step) {
    const Vec3d x_free = x + v * dt;
    const Quaternion q_free = free_flight(q, momentum, moments, dt, 2);
    Vec3d next = x_free;
    Quaternion turned = q_free;
    int iteration = 0;
    for (;; ++iteration) {
      const RigidPoint pivot(next, turned, in_body);
      const RotationPotential inertia(turned, q_free, spread, dt);
      const Vec3d shift = (next - x_free) * (mass / (dt * dt)) - weight - joint;
      const Vec3d turn = inertia.gradient() - pivot.torque(joint);
      const Mat3d block = inertia.hessian() - pivot.lever(joint), arm = pivot.turn_jacobian();
      Eigen::Matrix<double, 9, 9> kkt = Eigen::Matrix<double, 9, 9>::Zero();
      Eigen::Matrix<double, 9, 1> right;
      double worst = 0;
      for (int a = 0; a < 3; ++a) {
        kkt(a, a) = mass / (dt * dt);
        kkt(6 + a, a) = kkt(a, 6 + a) = -1;
        for (int b = 0; b < 3; ++b) {
          kkt(3 + a, 3 + b) = block(a, b);
          kkt(6 + a, 3 + b) = kkt(3 + b, 6 + a) = -arm(a, b);
        }
        right[a] = -shift[a], right[3 + a] = -turn[a], right[6 + a] = pivot.position[a];
        worst = std::max(
            {worst, std::fabs(shift[a]) * dt * dt, std::fabs(turn[a]) * dt * dt, std::fabs(pivot.position[a])});
      }
      if (worst < 1e-10 || iteration == 50) break;
      const Eigen::Matrix<double, 9, 1> d = kkt.partialPivLu().solve(right);
      next += Vec3d{d[0], d[1], d[2]};
      turned = normalized(quaternion_exp({d[3], d[4], d[5]}) * turned);
      joint += Vec3d{d[6], d[7], d[8]};
    }
    result.most_iterations = std::max(result.most_iterations, iteration);
    const RigidPoint pivot(next, turned, in_body);
    result.joint_error = std::max(result.joint_error, norm(pivot.position));
    momentum += pivot.torque(joint) * dt;
    v = (next - x) / dt;
    if (next.x * x.x < 0) crossings.push_back((step + x.x / (x.x - next.x)) * dt);
    x = next;
    q = turned;
  }
  result.first_period = 2 * (crossings.at(1) - crossings.at(0));
  const Vec3d m = rotate(conjugate(q), momentum);
  const double spinning = (m.x * m.x / moments.x + m.y * m.y / moments.y + m.z * m.z / moments.z) / 2;
  result.energy = (mass * dot(v, v) / 2 + spinning + mass * g * x.z) / (mass * g * l);
  return result;
}

TEST(Pendulum, OnABallJointKeepsItsPivotAndLosesWhatBackwardEulerLoses) {
  constexpr double period = 1.93623268;
  const struct {
    double dt, energy, ratio;
  } cases[] = {{1.0 / 960, -.209, .9946}, {1.0 / 240, -.584, .980}, {1.0 / 96, -.855, .958}, {1.0 / 24, -.998, .907}};
  for (const auto& c : cases) {
    const Swing s = swing(c.dt, period);
    fmt::print("pendulum dt {:.5f}: E {:.4f}, period {:.4f}, joint {:.1e}, iterations {}\n", c.dt, s.energy,
               s.first_period / period, s.joint_error, s.most_iterations);
    EXPECT_NEAR(s.energy, c.energy, .0006);
    EXPECT_NEAR(s.first_period / period, c.ratio, .0006);
    EXPECT_LT(s.joint_error, 2e-10);
    EXPECT_LE(s.most_iterations, 3);
  }
}

}  // namespace
}  // namespace ymir
