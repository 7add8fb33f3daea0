// Frames, curvature and friction of rods one by one; what every kernel owes is in tests/conformance/kernels_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ymir/base/random.h"
#include "ymir/math/lane_math.h"
#include "ymir/physics/constraints/response.h"
#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/cross_section.h"
#include "ymir/physics/rods/frames.h"
#include "ymir/physics/rods/stretch.h"

namespace ymir {
namespace {

Vec3d random_unit(Random& random) {
  for (;;) {
    const Vec3d v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (norm(v) > 0.1 && norm(v) < 1) return normalized(v);
  }
}

// Two edges in the plane z = 0 that meet at the angle phi, frames with m1 = z turned by the twist.
BendTwist::Geometry<double> corner(double phi, double twist = 0, double length = 1) {
  const Vec3d te{1, 0, 0}, tf{std::cos(phi), std::sin(phi), 0}, z{0, 0, 1};
  return {RodEdge<double>{te, 1 / length, z}, RodEdge<double>{tf, 1 / length, turned(z, tf, twist)}, twist};
}

TEST(Transport, TakesOneTangentToTheOtherAndKeepsAngles) {
  Random random(1, 0);
  for (int k = 0; k < 200; ++k) {
    const Vec3d a = random_unit(random), b = random_unit(random), u = random_unit(random), v = random_unit(random);
    const double round_off = 1e-15 * (1 + 4 / (1 + dot(a, b)));  // near a fold the axis is ill-conditioned
    EXPECT_LT(norm(transport(a, a, b) - b), round_off);
    EXPECT_NEAR(dot(transport(u, a, b), transport(v, a, b)), dot(u, v), round_off);
    const Vec3d axis = cross(a, b);
    EXPECT_LT(norm(transport(axis, a, b) - axis), round_off);
    EXPECT_LT(norm(transport(transport(u, a, b), b, a) - u), round_off);
  }
}

TEST(Transport, LeavesAVectorAsItIsWhenAnEdgeFolds) {
  const Vec3d a{0.6, 0.8, 0}, v{0, 0, 1};
  EXPECT_EQ(transport(v, a, -a), v);
}

TEST(Transport, RoundAClosedLoopTurnsByTheSolidAngle) {
  // Tangents x -> y -> z -> x enclose an eighth of the sphere: pi/2.
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const Vec3d v = transport(transport(transport(y, x, y), y, z), z, x);
  EXPECT_NEAR(std::atan2(dot(cross(y, v), x), dot(y, v)), M_PI / 2, 1e-15);
}

TEST(Frames, TwistIsTheAngleBetweenFramesNextToTheExpectedOne) {
  Random random(2, 0);
  for (int k = 0; k < 100; ++k) {
    const Vec3d te = random_unit(random), tf = random_unit(random);
    const double angle = random.uniform(-20, 20);
    const RodEdge<double> e{te, 1, any_normal(te)}, f{tf, 1, turned(transport(e.m1, te, tf), tf, angle)};
    EXPECT_NEAR(twist_between(e, f, angle + random.uniform(-3, 3)), angle, 2e-14);
    EXPECT_NEAR(twist_between(e, f, angle + 2 * M_PI), angle + 2 * M_PI, 2e-14);
  }
}

TEST(Frames, NormalsAreUnitAndOrthogonalForEveryTangent) {
  Random random(3, 0);
  for (int k = 0; k < 100; ++k) {
    const Vec3d t = k < 3 ? Vec3d{k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0} : random_unit(random);
    EXPECT_NEAR(norm(any_normal(t)), 1, 1e-15);
    EXPECT_NEAR(dot(any_normal(t), t), 0, 1e-15);
  }
}

TEST(BendTwist, CurvatureOfACornerIsTwiceTheTangentOfHalfItsAngle) {
  for (const double phi : {1e-8, 0.1, 1.0, 2.5}) {
    double c[3];
    BendTwist::value(corner(phi), c);
    // t = x, m1 = z, so m2 = -y: a corner towards y is negative in the second component.
    EXPECT_NEAR(c[0], 0, 1e-15);
    EXPECT_NEAR(c[1], -2 * std::tan(phi / 2), 1e-14 * std::tan(phi / 2)) << phi;
    EXPECT_EQ(c[2], 0);
  }
}

TEST(BendTwist, FirstComponentBendsTowardsTheFirstAxis) {
  // t = x, m1 = y: a corner towards y.
  const Vec3d t{1, 0, 0}, y{0, 1, 0}, turned_t{std::cos(0.2), std::sin(0.2), 0};
  const RodEdge<double> e{t, 1, y}, f{turned_t, 1, transport(y, t, turned_t)};
  double c[3];
  BendTwist::value(BendTwist::Geometry<double>(e, f, 0), c);
  EXPECT_NEAR(c[0], 2 * std::tan(0.1), 1e-15);
  EXPECT_NEAR(c[1], 0, 1e-15);
}

TEST(BendTwist, AddsNoTwistStiffnessAtABentVertex) {
  // Isotropic, naturally bent by 0.4 rad, EI = GJ = V = 1. Turned by -h/2 and h/2 the frames twist by h, bending stays
  // along the mean frame and shrinks by cos(h/2): second derivative 1, where two frames apart would add |kb|^2/4 = 4 %.
  double rest[3];
  BendTwist::value(corner(0.4), rest);
  const auto energy = [&](double twist) {
    auto g = corner(0.4);
    g = BendTwist::Geometry<double>({g.e.t, 1, turned(g.e.m1, g.e.t, -twist / 2)},
                                    {g.f.t, 1, turned(g.f.m1, g.f.t, twist / 2)}, twist);
    double c[3], sum = 0;
    BendTwist::value(g, c);
    for (int a = 0; a < 3; ++a) sum += (c[a] - (a < 2 ? rest[a] : 0)) * (c[a] - (a < 2 ? rest[a] : 0)) / 2;
    return sum;
  };
  constexpr double h = 1e-3;
  EXPECT_NEAR((energy(h) + energy(-h) - 2 * energy(0)) / (h * h), 1, 1e-6);
}

TEST(BendTwist, StaysFiniteAtAFold) {
  const auto g = corner(M_PI);
  double c[3], j[3][8], y[3] = {1, 1, 1}, h[packed_size(8)] = {};
  BendTwist::value(g, c);
  BendTwist::gradient(g, j);
  BendTwist::add_curvature(g, y, h);
  for (const double v : c) EXPECT_TRUE(std::isfinite(v));
  for (const auto& row : j)
    for (const double v : row) EXPECT_TRUE(std::isfinite(v));
  for (const double v : h) EXPECT_TRUE(std::isfinite(v));
}

TEST(Stretch, MeasuresTheLength) {
  const Stretch::Geometry<double> g{{0.6, 0, 0.8}, 1 / 2.5};
  double c[1];
  Stretch::value(g, c);
  EXPECT_DOUBLE_EQ(c[0], 2.5);
}

TEST(CrossSection, OfACircleHasTheKnownMoments) {
  const double r = 0.3;
  const CrossSection circle{r, r};
  EXPECT_DOUBLE_EQ(circle.area(), M_PI * r * r);
  EXPECT_DOUBLE_EQ(circle.bending1(), M_PI * std::pow(r, 4) / 4);
  EXPECT_DOUBLE_EQ(circle.bending2(), circle.bending1());
  EXPECT_DOUBLE_EQ(circle.torsion(), M_PI * std::pow(r, 4) / 2);
  EXPECT_DOUBLE_EQ(circle.polar(), circle.torsion());
}

TEST(CrossSection, OfAnEllipseResistsBendingTowardsItsLongAxisMost) {
  const CrossSection ellipse{0.2, 0.1};
  EXPECT_DOUBLE_EQ(ellipse.bending1() / ellipse.bending2(), 4);  // (a/b)^2
  EXPECT_LT(ellipse.torsion(), ellipse.polar());                 // warping
}

TEST(Response, StiffnessIsTheDerivativeOfTheForce) {
  Random random(4, 0);
  constexpr double h = 1e-6, tau_per_dt = 0.7;
  for (int k = 0; k < 200; ++k) {
    const double c = random.uniform(-1, 1), begin = random.uniform(-1, 1), zeta = random.uniform(-0.1, 0.1);
    if (std::fabs(c - begin) < 1e-3) continue;  // the kink of Dahl's law
    const auto at = [&](double value) {
      Response<double> r = elastic_response(value - 0.2, 3.0);
      add_rayleigh(r, value, begin, 3.0, tau_per_dt);
      add_dahl(r, value, begin, zeta, 3.0, 0.1, 0.05);
      return r;
    };
    EXPECT_NEAR((at(c + h).force - at(c - h).force) / (2 * h), at(c).stiffness, 1e-7 * at(c).stiffness);
    EXPECT_GT(at(c).stiffness, 0);
  }
}

TEST(Dahl, FrictionStaysWithinItsSaturationAndDoesNotDependOnTheRate) {
  Random random(5, 0);
  double fine = 0, coarse = 0, c = 0;
  for (int k = 0; k < 200; ++k) {
    const double next = random.uniform(-0.3, 0.3);
    coarse = dahl_friction(next, c, coarse, 0.1, 0.05);
    for (int part = 1; part <= 7; ++part)
      fine = dahl_friction(c + (next - c) * part / 7, c + (next - c) * (part - 1) / 7, fine, 0.1, 0.05);
    EXPECT_NEAR(fine, coarse, 1e-15);
    EXPECT_LE(std::fabs(coarse), 0.1);
    c = next;
  }
}

TEST(Dahl, NeverGivesEnergyBack) {
  // psi = dc zeta^2 / (2 cm) is the energy stored: zeta dC >= dpsi in every step.
  Random random(6, 0);
  double zeta = 0, c = 0;
  for (int k = 0; k < 500; ++k) {
    const double next = c + random.uniform(-0.1, 0.1), before = zeta;
    zeta = dahl_friction(next, c, zeta, 0.1, 0.05);
    EXPECT_GE(zeta * (next - c) - 0.05 * (zeta * zeta - before * before) / 0.2, -1e-17);
    c = next;
  }
}

}  // namespace
}  // namespace ymir
