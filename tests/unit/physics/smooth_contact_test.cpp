// Energies of contacts that give a little: forces and stiffnesses are their derivatives.
#include <gtest/gtest.h>

#include "ymir/base/random.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/contact/contact_potential.h"
#include "ymir/physics/contact/smooth_friction.h"

namespace ymir {
namespace {

constexpr double k = 3e2, h = 2e-3;  // [N/m, m]

template <class Potential>
void expect_derivatives(const Potential& at, double d, double step) {
  const ContactPotential p = at(d), low = at(d - step), high = at(d + step);
  EXPECT_NEAR(p.force, -(high.energy - low.energy) / (2 * step), 1e-7 * (std::fabs(p.force) + k * h)) << d;
  EXPECT_NEAR(p.stiffness, -(high.force - low.force) / (2 * step), 1e-6 * (std::fabs(p.stiffness) + k)) << d;
}

TEST(ContactPotential, ForceAndStiffnessAreSlopeAndCurvatureOfTheEnergy) {
  const auto penalty = [](double d) { return penalty_potential(k, h, d); };
  const auto barrier = [](double d) { return barrier_potential(k, h, d); };
  for (const double d : {-5e-3, -1e-3, 1e-3, h - 1e-6, h + 1e-6, 2 * h}) expect_derivatives(penalty, d, 1e-7);
  // Above the parabola, at a step by the distance to where the energy would be infinite; within it; beyond its reach.
  for (const double part : {1.1, 0.999, 0.9, 0.5, 0.1, 0.01, 0.002})
    expect_derivatives(barrier, part * h, 1e-5 * part * h);
  for (const double part : {5e-4, 0.0, -0.3, -4.0}) expect_derivatives(barrier, part * h, 1e-6 * h);
}

TEST(ContactPotential, BarrierIsC2WhereItBeginsAndWhereItsParabolaDoes) {
  for (const double part : {1.0, contact_potential::least}) {
    const double d = part * h, step = 1e-9 * d;
    const ContactPotential low = barrier_potential(k, h, d - step), high = barrier_potential(k, h, d + step);
    EXPECT_NEAR(low.energy, high.energy, 1e-6 * (low.energy + k * h * h)) << part;
    EXPECT_NEAR(low.force, high.force, 1e-6 * (low.force + k * h)) << part;
    EXPECT_NEAR(low.stiffness, high.stiffness, 1e-5 * (low.stiffness + k)) << part;
  }
  EXPECT_EQ(barrier_potential(k, h, h).force, 0);
}

// -E' = k (ln 2 + 1/2) h at half of its reach.
TEST(ContactPotential, BarrierHoldsTheWeightThatItsFormulaSays) {
  EXPECT_NEAR(barrier_potential(k, h, h / 2).force, k * h * (std::log(2.0) + 0.5), 1e-12);
  double before = 1e300;
  for (double d = -h; d < h; d += h / 100) {  // convex: forces fall with the gap
    const ContactPotential p = barrier_potential(k, h, d);
    EXPECT_LT(p.force, before) << d;
    EXPECT_GT(p.stiffness, 0) << d;
    before = p.force;
  }
}

TEST(SmoothFriction, ForceAndStiffnessAreSlopeAndCurvatureOfTheEnergy) {
  constexpr double bound = 0.7, e = 1e-5;  // [N, m]
  const Vec3d n = normalized(Vec3d{1, 2, -2});
  Random random(1, 0);
  for (const double size : {0.01, 0.3, 0.9, 0.99, 1.01, 3.0, 300.0}) {
    Vec3d slip{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    slip = normalized(slip - n * dot(n, slip)) * (size * e);
    const SmoothFriction at(bound, e, slip);
    EXPECT_LE(norm(at.force), bound * (1 + 1e-12));
    if (size >= 1) {
      EXPECT_NEAR(norm(at.force), bound, 1e-12);
    }
    const Vec3d across[2] = {any_normal(n), cross(n, any_normal(n))};
    const double step = 1e-6 * std::max(size, 0.1) * e;
    for (const Vec3d& t : across) {
      const SmoothFriction low(bound, e, slip - t * step), high(bound, e, slip + t * step);
      EXPECT_NEAR(dot(at.force, t), -(high.energy - low.energy) / (2 * step), 1e-6 * bound) << size;
      const Vec3d hard = at.stiffness(n) * t, difference = (low.force - high.force) / (2 * step);
      EXPECT_LT(norm(hard - difference), 1e-5 * bound / e) << size;
    }
  }
  EXPECT_EQ(norm(SmoothFriction(bound, e, {0, 0, 0}).force), 0);
}

}  // namespace
}  // namespace ymir
