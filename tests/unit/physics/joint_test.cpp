// Rows of joints: first and second derivatives against differences, and what they hold.
#include "ymir/physics/rigid/joint.h"

#include <gtest/gtest.h>

#include <functional>

#include "ymir/base/random.h"
#include "ymir/math/quaternion.h"

namespace ymir {
namespace {

constexpr int twists = JointRow::twists;

Vec3d unit_vector(int k) {
  Vec3d e{0, 0, 0};
  e[k] = 1;
  return e;
}

Vec3d anywhere(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

JointFrames random_frames(Random& random) {
  JointFrames f;
  for (auto& axes : f.axis) {
    const Quaternion q = normalized(Quaternion{random.uniform(-1, 1), anywhere(random)});
    for (int k = 0; k < 3; ++k) axes[k] = rotate(q, unit_vector(k));
  }
  for (Vec3d& x : f.position) x = anywhere(random);
  return f;
}

JointFrames moved(JointFrames f, const double* twist) {
  for (int end = 0; end < 2; ++end) {
    const double* t = twist + 6 * end;
    f.position[end] += Vec3d{t[0], t[1], t[2]};
    for (Vec3d& a : f.axis[end]) a = rotate(quaternion_exp({t[3], t[4], t[5]}), a);
  }
  return f;
}

struct Kind {
  const char* name;
  std::function<JointRow(const JointFrames&)> row;
  std::function<void(const JointFrames&, double, double (*)[twists])> curvature;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (int k = 0; k < 3; ++k) {
    all.push_back({"place", [k](const JointFrames& f) { return place_row(f, k); }, [](auto&&...) {}});
    all.push_back({"across", [k](const JointFrames& f) { return across_row(f, k); },
                   [k](const JointFrames& f, double y, double(*h)[twists]) { add_across_curvature(f, k, y, h); }});
    for (int l = 0; l < 3; ++l)
      all.push_back(
          {"square", [k, l](const JointFrames& f) { return square_row(f, k, l); },
           [k, l](const JointFrames& f, double y, double(*h)[twists]) { add_square_curvature(f, k, l, y, h); }});
  }
  return all;
}

TEST(Joint, DerivativesMatchDifferences) {
  Random random(7, 0);
  constexpr double step = 1e-5;
  for (const Kind& kind : kinds())
    for (int trial = 0; trial < 20; ++trial) {
      const JointFrames f = random_frames(random);
      const JointRow row = kind.row(f);
      double h[twists][twists] = {};
      kind.curvature(f, 2.5, h);
      const auto at = [&](int p, double dp, int q, double dq) {
        double twist[twists] = {};
        twist[p] += dp;
        twist[q] += dq;
        return kind.row(moved(f, twist)).c;
      };
      for (int p = 0; p < twists; ++p) {
        EXPECT_NEAR(row.j[p], (at(p, step, p, 0) - at(p, -step, p, 0)) / (2 * step), 1e-9) << kind.name << ' ' << p;
        for (int q = 0; q < twists; ++q) {
          // Turns of one frame do not commute: the symmetric part is the second derivative along one turn.
          const double mixed =
              (at(p, step, q, step) - at(p, step, q, -step) - at(p, -step, q, step) + at(p, -step, q, -step)) /
              (4 * step * step);
          EXPECT_NEAR(h[p][q], 2.5 * mixed, 1e-4) << kind.name << ' ' << p << ' ' << q;
          EXPECT_DOUBLE_EQ(h[p][q], h[q][p]);
        }
      }
    }
}

// Frames whose axes u agree: the angle is that of the turn, and its derivative is exact there.
TEST(Joint, AngleOfAHinge) {
  Random random(3, 0);
  for (const double angle : {-3.0, -0.4, 0.0, 1.2, 3.1}) {
    JointFrames f = random_frames(random);
    for (int k = 0; k < 3; ++k) f.axis[0][k] = rotate(quaternion_exp(f.axis[1][0] * angle), f.axis[1][k]);
    const JointRow row = angle_row(f);
    EXPECT_NEAR(row.c, angle, 1e-13);
    for (int p = 0; p < twists; ++p) {
      double forward[twists] = {}, back[twists] = {};
      forward[p] = 1e-6;
      back[p] = -1e-6;
      const double difference = (angle_row(moved(f, forward)).c - angle_row(moved(f, back)).c) / 2e-6;
      EXPECT_NEAR(row.j[p], difference, 1e-9) << angle << ' ' << p;
    }
  }
}

}  // namespace
}  // namespace ymir
