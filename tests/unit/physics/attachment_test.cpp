#include "ymir/physics/constraints/attachment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/base/random.h"

namespace ymir {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::array flexibilities{0.0, 0.3, 0.7, 1.0};

// Two bodies, so that d is moved as the program moves it.
struct Bodies {
  Vec3d source_position, target_position;
  Vec3d source[3], target[3];

  AttachmentGeometry geometry() const {
    AttachmentGeometry g;
    g.d = source_position - target_position;
    std::copy(source, source + 3, g.source);
    std::copy(target, target + 3, g.target);
    return g;
  }
};

Vec3d rotated(Vec3d v, Vec3d turn) {  // by |turn| about turn (Rodrigues)
  const double angle = norm(turn);
  const double half = 0.5 * angle;
  const double a = angle > 0 ? std::sin(angle) / angle : 1, b = angle > 0 ? std::sin(half) / half : 1;
  const Vec3d once = cross(turn, v);
  return v + once * a + cross(turn, once) * (0.5 * b * b);
}

Vec3d random_vector(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return {x, y, random.uniform(-1, 1)};
}

void random_frame(Random& random, Vec3d frame[3]) {
  frame[0] = normalized(random_vector(random));
  frame[1] = normalized(cross(frame[0], random_vector(random)));
  frame[2] = cross(frame[0], frame[1]);
}

AttachmentRest random_rest(Random& random, double flexibility) {
  AttachmentRest rest;
  rest.flexibility = flexibility;
  rest.length = 0.8;
  random_frame(random, rest.turn);
  for (Vec3d& a : rest.orientation) a = random_vector(random);
  return rest;
}

Bodies random_bodies(Random& random) {
  Bodies bodies;
  bodies.target_position = random_vector(random);
  bodies.source_position = bodies.target_position + random_vector(random) * 2.0;
  random_frame(random, bodies.source);
  random_frame(random, bodies.target);
  return bodies;
}

enum class States { random, aligned, nearly_reversed };

// Places the source so that delta lies as `states` says.
void place(States states, const AttachmentRest& rest, Random& random, Bodies& bodies) {
  if (states == States::random) return;
  Vec3d axes[3];
  attachment_axes(rest, bodies.target, axes);
  const double around = random.uniform(0, 2 * pi);
  const double phi = states == States::aligned ? 1e-7 : pi - 0.05;
  const Vec3d across = axes[1] * std::cos(around) + axes[2] * std::sin(around);
  bodies.source_position = bodies.target_position + (axes[0] * std::cos(phi) + across * std::sin(phi)) * 1.3;
}

Bodies moved(Bodies bodies, int dof, double amount) {
  Vec3d change;
  change[dof % 3] = amount;
  switch (dof / 3) {
    case 0: bodies.source_position += change; break;
    case 1:
      for (Vec3d& axis : bodies.source) axis = rotated(axis, change);
      break;
    case 2: bodies.target_position += change; break;
    default:
      for (Vec3d& axis : bodies.target) axis = rotated(axis, change);
  }
  return bodies;
}

// Largest difference between the derivative and central differences of fourth order, relative to the largest
// derivative.
double difference_error(const AttachmentRest& rest, const Bodies& bodies) {
  constexpr double h = 1e-5;
  const Attachment at = evaluate_attachment(rest, bodies.geometry());
  double worst = 0, largest = 0;
  for (int dof = 0; dof < Attachment::dofs; ++dof) {
    const auto c = [&](double amount) { return evaluate_attachment(rest, moved(bodies, dof, amount).geometry()); };
    const Attachment p1 = c(h), m1 = c(-h), p2 = c(2 * h), m2 = c(-2 * h);
    for (int row = 0; row < Attachment::rows; ++row) {
      const double exact = at.j[row * Attachment::dofs + dof];
      const double slope = (8 * (p1.c[row] - m1.c[row]) - (p2.c[row] - m2.c[row])) / (12 * h);
      worst = std::max(worst, std::fabs(exact - slope));
      largest = std::max(largest, std::fabs(exact));
    }
  }
  return worst / largest;
}

double largest_error(States states, double flexibility) {
  double worst = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    Random random(static_cast<std::uint64_t>(states), i);
    const AttachmentRest rest = random_rest(random, flexibility);
    Bodies bodies = random_bodies(random);
    place(states, rest, random, bodies);
    worst = std::max(worst, difference_error(rest, bodies));
  }
  return worst;
}

TEST(Attachment, DerivativesMatchDifferencesInRandomStates) {
  for (const double xi : flexibilities) EXPECT_LT(largest_error(States::random, xi), 1e-9) << xi;
}

TEST(Attachment, DerivativesMatchDifferencesAlongTheAxis) {
  for (const double xi : flexibilities) EXPECT_LT(largest_error(States::aligned, xi), 5e-9) << xi;
}

TEST(Attachment, DerivativesMatchDifferencesNearlyAgainstTheAxis) {
  for (const double xi : flexibilities) EXPECT_LT(largest_error(States::nearly_reversed, xi), 5e-10) << xi;
}

TEST(Attachment, IsZeroAtRest) {
  for (const double xi : flexibilities)
    for (std::uint64_t i = 0; i < 100; ++i) {
      Random random(4, i);
      Bodies bodies = random_bodies(random);
      if (i == 0) bodies.source_position = bodies.target_position;
      if (i == 1) bodies.source_position = bodies.target_position + bodies.target[1] * 0.3;
      const AttachmentRest rest = rest_of(bodies.geometry(), xi);
      for (const double c : evaluate_attachment(rest, bodies.geometry()).c) EXPECT_NEAR(c, 0, 2e-15) << xi << ", " << i;
    }
}

TEST(Attachment, RigidMotionsChangeNothing) {
  double worst = 0;
  for (const double xi : flexibilities)
    for (std::uint64_t i = 0; i < 100; ++i) {
      Random random(5, i);
      const AttachmentRest rest = random_rest(random, xi);
      const Bodies bodies = random_bodies(random);
      const Vec3d turn = random_vector(random) * 2.0, shift = random_vector(random);
      Bodies turned = bodies;
      turned.source_position = rotated(bodies.source_position, turn) + shift;
      turned.target_position = rotated(bodies.target_position, turn) + shift;
      for (int k = 0; k < 3; ++k) {
        turned.source[k] = rotated(bodies.source[k], turn);
        turned.target[k] = rotated(bodies.target[k], turn);
      }
      const Attachment a = evaluate_attachment(rest, bodies.geometry());
      const Attachment b = evaluate_attachment(rest, turned.geometry());
      for (int row = 0; row < Attachment::rows; ++row)
        worst = std::max(worst, std::fabs(a.c[row] - b.c[row]) / std::max(1.0, norm(bodies.geometry().d)));
    }
  EXPECT_LT(worst, 3e-15);
}

TEST(Attachment, ForcesHaveNoNetForceOrTorque) {
  double worst = 0;
  for (const States states : {States::random, States::aligned, States::nearly_reversed})
    for (const double xi : flexibilities)
      for (std::uint64_t i = 0; i < 100; ++i) {
        Random random(6, i);
        const AttachmentRest rest = random_rest(random, xi);
        Bodies bodies = random_bodies(random);
        place(states, rest, random, bodies);
        const Attachment a = evaluate_attachment(rest, bodies.geometry());
        Vec3d load[4];  // J'y: force and torque on the source, then on the target
        double largest = 0;
        for (int row = 0; row < Attachment::rows; ++row) {
          const double y = random.uniform(-1, 1);
          for (int dof = 0; dof < Attachment::dofs; ++dof) {
            load[dof / 3][dof % 3] += a.j[row * Attachment::dofs + dof] * y;
            largest = std::max(largest, std::fabs(a.j[row * Attachment::dofs + dof]));
          }
        }
        const Vec3d force = load[0] + load[2], torque = load[1] + load[3] + cross(bodies.geometry().d, load[0]);
        worst = std::max({worst, norm(force) / largest, norm(torque) / largest});
      }
  EXPECT_LT(worst, 1e-14);
}

TEST(Attachment, FullyFlexibleSeesOnlyTheDistance) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    Random random(7, i);
    const AttachmentRest rest = random_rest(random, 1);
    const Bodies bodies = random_bodies(random);
    const Attachment a = evaluate_attachment(rest, bodies.geometry());
    EXPECT_EQ(a.c[0], norm(bodies.geometry().d) - rest.length);
    EXPECT_EQ(a.c[1], 0);
    EXPECT_EQ(a.c[2], 0);
  }
}

TEST(Attachment, RigidFollowsTheTarget) {
  Random random(8, 0);
  const AttachmentRest rest = random_rest(random, 0);
  const Bodies bodies = random_bodies(random);
  Vec3d axes[3];
  attachment_axes(rest, bodies.target, axes);
  const Attachment a = evaluate_attachment(rest, bodies.geometry());
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(a.c[i], dot(axes[i], bodies.geometry().d) - (i == 0 ? rest.length : 0), 1e-15);
}

TEST(Attachment, IsContinuousWhereTheAxisIsReached) {
  // On either side of s = 1e-9 rho, and on the axis itself.
  for (const double xi : flexibilities) {
    Random random(9, 0);
    const AttachmentRest rest = random_rest(random, xi);
    Bodies bodies = random_bodies(random);
    Vec3d axes[3];
    attachment_axes(rest, bodies.target, axes);
    const auto at = [&](double s) {
      bodies.source_position = bodies.target_position + axes[0] * 1.3 + axes[1] * (0.6 * s) + axes[2] * (0.8 * s);
      return evaluate_attachment(rest, bodies.geometry());
    };
    const Attachment outside = at(1.4e-9), inside = at(1.2e-9), on = at(0);
    for (int k = 0; k < Attachment::rows; ++k) {
      EXPECT_NEAR(outside.c[k], inside.c[k], 1e-9);
      EXPECT_NEAR(on.c[k], inside.c[k], 5e-9);
    }
    for (int k = 0; k < Attachment::rows * Attachment::dofs; ++k) {
      EXPECT_NEAR(outside.j[k], inside.j[k], 1e-8);
      EXPECT_NEAR(on.j[k], inside.j[k], 1e-8);
    }
  }
}

TEST(Attachment, KeepsTheCallersDirectionAgainstTheAxis) {
  for (const double xi : flexibilities) {
    Random random(10, 0);
    const AttachmentRest rest = random_rest(random, xi);
    Bodies bodies = random_bodies(random);
    Vec3d axes[3];
    attachment_axes(rest, bodies.target, axes);
    const auto at = [&](double s, Vec3d u) {
      bodies.source_position = bodies.target_position - axes[0] * 1.3 + axes[1] * (0.6 * s) + axes[2] * (0.8 * s);
      return evaluate_attachment(rest, bodies.geometry(), u);
    };
    const Attachment before = at(1e-6, {0, 1, 0});
    if (xi > 0) {
      EXPECT_NEAR(before.u.y, 0.6, 1e-8);
    }
    const Attachment on = at(0, before.u);
    EXPECT_EQ(on.u, before.u);
    for (int k = 0; k < Attachment::rows; ++k) EXPECT_NEAR(on.c[k], before.c[k], 5e-6) << xi << ", row " << k;
    for (const double entry : on.j) EXPECT_LT(std::fabs(entry), 10) << xi;
  }
}

TEST(Attachment, IsFiniteWhereTheEndsMeet) {
  for (const double xi : flexibilities) {
    Random random(11, 0);
    const AttachmentRest rest = random_rest(random, xi);
    Bodies bodies = random_bodies(random);
    for (const double distance : {0.0, 1e-300, 1e-14, 1e-11}) {
      bodies.source_position = bodies.target_position = Vec3d(0, 0, 0);
      bodies.source_position.x = distance;
      const Attachment a = evaluate_attachment(rest, bodies.geometry());
      EXPECT_NEAR(a.c[0], -rest.length, 2e-11);
      EXPECT_NEAR(a.c[1], 0, 2e-11);
      EXPECT_NEAR(a.c[2], 0, 2e-11);
      for (const double entry : a.j) EXPECT_TRUE(std::isfinite(entry)) << xi << ", " << distance;
    }
  }
}

TEST(Attachment, WithoutRestLengthIsAPin) {
  for (const double xi : flexibilities) {
    Random random(12, 0);
    Bodies bodies = random_bodies(random);
    bodies.source_position = bodies.target_position + Vec3d(1e-10, 0, 0);
    const AttachmentRest rest = rest_of(bodies.geometry(), xi);
    EXPECT_TRUE(rest.pin());
    bodies.source_position += Vec3d(0.1, -0.2, 0.3);
    const Attachment a = evaluate_attachment(rest, bodies.geometry());
    const Vec3d d = bodies.geometry().d;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(a.c[i], dot(bodies.target[i], d), 1e-15) << xi;
    EXPECT_LT(difference_error(rest, bodies), 1e-9);
  }
}

TEST(Attachment, ParameterDerivativesMatchDifferences) {
  double exact[Attachment::rows * Attachment::params];
  attachment_parameter_jacobian(exact);
  Random random(13, 0);
  const Bodies bodies = random_bodies(random);
  for (const double xi : flexibilities)
    for (int p = 0; p < Attachment::params; ++p) {
      AttachmentRest plus = random_rest(random, xi), minus = plus;
      constexpr double h = 1e-3;
      const auto change = [&](AttachmentRest& rest, double amount) {
        if (p == 0)
          rest.length += amount;
        else
          rest.orientation[(p - 1) / 3][(p - 1) % 3] += amount;
      };
      change(plus, h);
      change(minus, -h);
      const Attachment a = evaluate_attachment(plus, bodies.geometry()),
                       b = evaluate_attachment(minus, bodies.geometry());
      for (int row = 0; row < Attachment::rows; ++row)
        EXPECT_NEAR((a.c[row] - b.c[row]) / (2 * h), exact[row * Attachment::params + p], 1e-12);
    }
}

}  // namespace
}  // namespace ymir
