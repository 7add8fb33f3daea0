// Elastic rods at rest against beam theory, the elastica and Kirchhoff's equations.
//
// L = EI = 1, GJ = 0.7, EA = 1e7 unless said otherwise. References: closed forms where there are any, otherwise the
// boundary value problem of the smooth rod solved to 1e-10.
#include <fmt/format.h>

#include <functional>

#include "rod_run.h"

namespace ymir::verification {
namespace {

constexpr double statics = 30;  // [s] per step; the slowest period of these rods is 2 s

// The error at 25, 50 and 100 segments stays within 20 % of what the discretisation has, and falls by its order.
void expect_convergence(const std::string& what, const std::function<double(int)>& error,
                        const std::vector<double>& known, double order) {
  std::vector<double> e;
  for (const int n : {25, 50, 100}) e.push_back(error(n));
  const double observed = std::log2(e[1] / e[2]);
  fmt::print("{}: error {:.2e} {:.2e} {:.2e}, order {:.2f}\n", what, e[0], e[1], e[2], observed);
  for (std::size_t i = 0; i < known.size(); ++i) EXPECT_LE(e[i], 1.2 * known[i]) << what;
  EXPECT_NEAR(observed, order, 0.15) << what;
}

struct Load {
  Vec3d tip{0, 0, 0}, weight{0, 0, 0};
};

Vec3d loaded_tip(RodRun& run, const Load& load, int parts, double dt = statics) {
  for (int k = 1; k <= parts; ++k) {
    run.tip_force = load.tip * (static_cast<double>(k) / parts);
    run.weight = load.weight * (static_cast<double>(k) / parts);
    run.step(dt);
  }
  run.settle(dt);
  return run.tip();
}

Vec3d cantilever(int segments, const Load& load, int parts = 5) {
  RodCase rod;
  rod.shape = straight(segments);
  RodRun run(rod);
  return loaded_tip(run, load, parts);
}

double distance(Vec3d tip, double x, double y) { return std::hypot(tip.x - x, -tip.y - y); }

TEST(Cantilever, BendsUnderASmallTipLoadAsBeamTheorySays) {
  expect_convergence(
      "small tip load",
      [](int n) {
        return std::fabs(-cantilever(n, {{0, -1e-3, 0}}, 1).y * 3 / 1e-3 - 1);
      },
      {8.0e-4, 2.0e-4, 5.0e-5}, 2);
}

TEST(Cantilever, BendsUnderASmallWeightAsBeamTheorySays) {
  expect_convergence(
      "small weight",
      [](int n) {
        return std::fabs(-cantilever(n, {{}, {0, -1e-3, 0}}, 1).y * 8 / 1e-3 - 1);
      },
      {1.6e-3, 4.0e-4, 1.0e-4}, 2);
}

TEST(Elastica, FollowsLargeTipLoads) {
  expect_convergence(
      "P L^2/EI = 1",
      [](int n) {
        return distance(cantilever(n, {{0, -1, 0}}), 0.94356676, 0.30172077);
      },
      {1.6e-4, 4.0e-5, 9.9e-6}, 2);
  expect_convergence(
      "P L^2/EI = 5",
      [](int n) {
        return distance(cantilever(n, {{0, -5, 0}}), 0.61237164, 0.71379152);
      },
      {4.0e-4, 1.1e-4, 2.8e-5}, 2);
  expect_convergence(
      "P L^2/EI = 10",
      [](int n) {
        return distance(cantilever(n, {{0, -10, 0}}), 0.44500440, 0.81060902);
      },
      {7.0e-4, 1.9e-4, 5.1e-5}, 2);
}

TEST(Elastica, FollowsLargeWeights) {
  expect_convergence(
      "w L^3/EI = 5",
      [](int n) {
        return distance(cantilever(n, {{}, {0, -5, 0}}), 0.84665718, 0.49590504);
      },
      {3.0e-4, 6.7e-5, 1.6e-5}, 2);
  expect_convergence(
      "w L^3/EI = 20",
      [](int n) {
        return distance(cantilever(n, {{}, {0, -20, 0}}), 0.44523205, 0.82988144);
      },
      {1.1e-3, 3.3e-4, 8.8e-5}, 2);
}

TEST(Elastica, BucklesToTheRightShape) {
  const auto buckled = [](int n, double ratio) {
    RodCase rod;
    rod.shape = straight(n);
    RodRun run(rod);
    const double load = ratio * M_PI * M_PI / 4;
    run.tip_force = {-load, -0.02, 0};  // a push to one side, taken away again
    run.settle(1, 1000);
    run.tip_force = {-load, 0, 0};
    run.settle(statics, 1000);
    return run.tip();
  };
  expect_convergence(
      "P/Pcr = 1.1", [&](int n) { return distance(buckled(n, 1.1), 0.82029594, 0.50853416); }, {1.1e-3, 2.8e-4, 7.2e-5},
      2);
  expect_convergence(
      "P/Pcr = 1.5", [&](int n) { return distance(buckled(n, 1.5), 0.36358822, 0.78857581); }, {3.6e-3, 9.2e-4, 2.4e-4},
      2);
}

TEST(Catenary, IsTheShapeOfAHangingRodWithoutStiffness) {
  // a = 0.5, span 1, EI/wL^3 = 6e-7, EA/wL = 8.5e5.
  const double a = 0.5, length = 2 * a * std::sinh(0.5 / a), sag = a * (std::cosh(0.5 / a) - 1);
  std::vector<double> errors;
  for (const int n : {26, 50, 100}) {
    RodCase rod;
    rod.shape = straight(n, length);
    rod.bend1 = rod.bend2 = 1e-6;
    rod.twist = 0.7e-6;
    rod.stretch = 1e6;
    rod.clamped = false;
    rod.pinned = {0, n};
    rod.newton.tolerance = 1e-10;  // so soft across and so stiff along that round-off weighs 1e-11
    RodRun run(rod);
    for (int k = 0; k < 3; ++k) run.at(run.sets().bend_twist.weight + k, 0) = 0;  // the ends are hinges
    // Hung up: on the curve already, edges of their rest length to first order, then left to settle.
    const RodChannels& c = run.object().rod_channels();
    for (int i = -1; i <= n; ++i) {
      const double s = length * (static_cast<double>(i) / n - 0.5), x = a * std::asinh(s / a);
      run.at(c.position, i) = x;
      run.at(c.position + 1, i) = a * std::cosh(x / a) - a * std::cosh(0.5 / a);
      for (int k = 0; k < 3; ++k) run.at(c.m1 + k, i) = k == 2 ? 1 : 0;
    }
    run.weight = {0, -1, 0};
    run.settle(statics, 200);
    double lowest = 0;
    for (int i = 0; i <= n; ++i) lowest = std::min(lowest, run.position(i).y);
    errors.push_back(std::fabs(-lowest - sag));
  }
  const double order = std::log2(errors[1] / errors[2]);
  fmt::print("catenary: error of the sag {:.2e} {:.2e} {:.2e}, order {:.2f}\n", errors[0], errors[1], errors[2], order);
  const double known[] = {2.1e-4, 5.6e-5, 1.5e-5};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(errors[i], 1.2 * known[i]);
  EXPECT_NEAR(order, 1.9, 0.15);
}

// A rod whose natural shape is a helix of curvature 10 and torsion 4, clamped with its Frenet frame (t = x, n = y, b =
// z).
struct Helix {
  static constexpr double curvature = 10, torsion = 4, length = 2;
  static Vec3d darboux() { return Vec3d{torsion, 0, curvature} / std::hypot(curvature, torsion); }
  static Vec3d position(double s) {
    const double w = std::hypot(curvature, torsion);
    const Vec3d t{1, 0, 0}, a = darboux();
    return t * (std::sin(w * s) / w) + cross(a, t) * ((1 - std::cos(w * s)) / w) +
           a * (dot(a, t) * (s - std::sin(w * s) / w));
  }
  static Vec3d normal(double s) {
    const double w = std::hypot(curvature, torsion);
    const Vec3d n{0, 1, 0}, a = darboux();
    return n * std::cos(w * s) + cross(a, n) * std::sin(w * s) + a * (dot(a, n) * (1 - std::cos(w * s)));
  }
  static RodCase rod(int segments, double bend1, double bend2, double twist, bool correction) {
    RodCase r;
    for (int i = 0; i <= segments; ++i) r.shape.push_back(position(length * i / segments));
    for (int i = 0; i < segments; ++i) r.normals.push_back(normal(length * (i + 0.5) / segments));
    r.bend1 = bend1;
    r.bend2 = bend2;
    r.twist = twist;
    r.stretch = 1e6;
    r.root_tangent = {1, 0, 0};
    r.root_normal = {0, 1, 0};
    r.correction = correction;
    return r;
  }
};

void expect_helix(const std::string& what, double bend1, double bend2, double twist, const Load& load, Vec3d reference,
                  const std::vector<double>& plain, const std::vector<double>& corrected) {
  for (const bool correction : {false, true}) {
    const auto& known = correction ? corrected : plain;
    if (known.empty()) continue;
    std::vector<double> errors;
    for (const int n : {25, 50, 100}) {
      RodRun run(Helix::rod(n, bend1, bend2, twist, correction));
      errors.push_back(norm(loaded_tip(run, load, 10) - reference) / Helix::length);
    }
    const double order = std::log2(errors[1] / errors[2]);
    fmt::print("{}{}: error {:.2e} {:.2e} {:.2e} of the length, order {:.2f}\n", what, correction ? ", corrected" : "",
               errors[0], errors[1], errors[2], order);
    for (std::size_t i = 0; i < 3; ++i)
      if (known[i] > 0) {
        EXPECT_LE(errors[i], 1.2 * known[i]) << what;
      }
    EXPECT_NEAR(order, 2, 0.15) << what;
  }
}

TEST(NaturalHelix, StretchesUnderATipForceAsKirchhoffSays) {
  expect_helix("helix, tip force", 1, 1, 0.7, {{0, 0, -2}}, {0.61850273, 0.23176868, 0.03358038},
               {6.0e-2, 1.5e-2, 3.7e-3}, {1.2e-2, 3.5e-3, 9.0e-4});
}

TEST(NaturalHelix, StretchesUnderItsWeightAsKirchhoffSays) {
  expect_helix("helix, weight", 1, 1, 0.7, {{}, {0, 0, -2}}, {0.63612233, 0.15610132, 0.26864096}, {0, 2.1e-2, 5.4e-3},
               {});
}

TEST(NaturalHelix, WithAFlatSectionStretchesAsKirchhoffSays) {
  expect_helix("flat helix, weight", 1, 0.5, 0.4, {{}, {0, 0, -1.5}}, {0.65536893, 0.17876356, 0.03902446},
               {8.5e-2, 2.1e-2, 5.3e-3}, {2.4e-2, 6.6e-3, 1.7e-3});
}

TEST(Torsion, SpreadsEvenlyAndGivesTheExactTorque) {
  // The free end is turned by 3 rad and held; both ends keep their position and direction.
  constexpr int n = 50;
  RodCase rod;
  rod.shape = straight(n);
  rod.pinned = {n - 1, n};
  rod.newton.tolerance = 1e-16;  // the problem is linear: round-off alone is left
  RodRun run(rod);
  const RodChannels& c = run.object().rod_channels();
  const Vec3d t{1, 0, 0}, m = turned(run.m1(n - 1), t, 3.0);
  for (int k = 0; k < 3; ++k) run.at(c.m1 + k, n - 1) = m[k];
  run.at(c.twist, n - 1) = 3;
  run.at(c.free_angle, n - 1) = 0;
  for (int k = 0; k < 5; ++k) run.step(1e3);
  // The clamp's half cell, then whole cells up to the middle of the last edge.
  const double twisted = 1 - 0.5 / n;
  double low = 1e9, high = -1e9, worst = 0;
  for (int i = 0; i < n; ++i) {
    const double rate = run.at(c.twist, i) / (i == 0 ? 0.5 / n : 1.0 / n);
    low = std::min(low, rate);
    high = std::max(high, rate);
    worst = std::max(worst,
                     std::fabs(run.at(run.sets().bend_twist.weight + 2, i) * run.at(c.twist, i) - 0.7 * 3 / twisted));
  }
  fmt::print("torsion: twist spread {:.1e} rad, torque {:.12f}, off by {:.1e}\n", (high - low) / n, 0.7 * 3 / twisted,
             worst);
  EXPECT_LT((high - low) / n, 2e-15);
  EXPECT_LT(worst, 1e-13);
}

}  // namespace
}  // namespace ymir::verification
