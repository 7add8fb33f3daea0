// The arithmetic of lanes comes first: templates find functions only where they are declared before.
#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"

#include "ymir/physics/contact/cone.h"

#include <gtest/gtest.h>

#include "ymir/base/random.h"

namespace ymir {
namespace {

Vec3d random_vector(Random& random, double size = 1) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

bool inside(Vec3d r, Vec3d n, double mu) {
  const double rn = dot(n, r);
  return norm(r - n * rn) <= mu * rn + 1e-12;
}

TEST(Cone, ProjectionIsTheNearestPoint) {
  Random random(1, 0);
  for (int k = 0; k < 300; ++k) {
    const Vec3d n = normalized(random_vector(random)), r = random_vector(random, 2);
    const double mu = k % 10 == 0 ? 0 : random.uniform(0, 2);
    const Vec3d p = project_on_cone(r, n, mu);
    ASSERT_TRUE(inside(p, n, mu));
    // Of a convex cone: (r - p).(c - p) <= 0 for all of its points c, and 0 for c = 0 and 2p.
    EXPECT_NEAR(dot(r - p, p), 0, 1e-12);
    for (int i = 0; i < 20; ++i) {
      const double height = random.uniform(0, 3), angle = random.uniform(0, 7);
      const Vec3d t = normalized(cross(n, random_vector(random))), s = cross(n, t);
      const Vec3d c = (n + (t * std::cos(angle) + s * std::sin(angle)) * (mu * random.uniform())) * height;
      EXPECT_LE(dot(r - p, c - p), 1e-12);
    }
  }
}

TEST(Cone, IsotropicContactObeysCoulombsLaw) {
  Random random(2, 0);
  int opens = 0, sticks = 0, slides = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3d n = normalized(random_vector(random)), b = random_vector(random);
    const double mu = random.uniform(0, 1), w = random.uniform(0.1, 3);
    const Vec3d r = isotropic_coulomb(b * (-1 / w), n, mu), u = b + r * w;
    const double un = dot(n, u), rn = dot(n, r);
    const Vec3d ut = u - n * un, rt = r - n * rn;
    ASSERT_TRUE(inside(r, n, mu));
    ASSERT_GE(un, -1e-12);
    EXPECT_NEAR(un * rn, 0, 1e-12);
    if (rn == 0)
      ++opens;
    else if (norm(ut) < 1e-12)
      ++sticks;
    else {
      ++slides;
      EXPECT_NEAR(norm(rt), mu * rn, 1e-12);
      EXPECT_NEAR(dot(rt, ut), -norm(rt) * norm(ut), 1e-12);
    }
    EXPECT_NEAR(norm(coulomb_residual(r * w, u, n, mu)), 0, 1e-12);
    // And nothing else does: another impulse leaves a residual.
    EXPECT_GT(norm(coulomb_residual((r + n * 0.1) * w, b + (r + n * 0.1) * w, n, mu)), 1e-3);
  }
  EXPECT_GT(opens, 100);
  EXPECT_GT(sticks, 50);
  EXPECT_GT(slides, 100);
}

TEST(Cone, LanesDoWhatNumbersDo) {
  using Real = Lanes<double, 4>;
  Random random(3, 0);
  for (int k = 0; k < 50; ++k) {
    Vec3<Real> r{}, n{};
    Real mu{};
    for (int lane = 0; lane < 4; ++lane) {
      const Vec3d rl = random_vector(random), nl = normalized(random_vector(random));
      for (int axis = 0; axis < 3; ++axis) r[axis].set(lane, rl[axis]), n[axis].set(lane, nl[axis]);
      mu.set(lane, random.uniform());
    }
    const Vec3<Real> p = project_on_cone(r, n, mu), c = isotropic_coulomb(r, n, mu);
    for (int lane = 0; lane < 4; ++lane) {
      const auto of = [lane](const Vec3<Real>& v) { return Vec3d{v.x[lane], v.y[lane], v.z[lane]}; };
      EXPECT_EQ(of(p), project_on_cone(of(r), of(n), mu[lane]));
      EXPECT_EQ(of(c), isotropic_coulomb(of(r), of(n), mu[lane]));
    }
  }
}

}  // namespace
}  // namespace ymir
