// Stiffness of coarse curls against the smooth curve through their vertices: small loads, for which the work of the
// moments along the curve is exact (Castigliano).
#include <fmt/format.h>

#include "rod_run.h"

namespace ymir::verification {
namespace {

constexpr double bend = 1, twist = 0.7;

struct Helix {
  double radius, climb, turns;  // climb: angle above the plane [rad]; 0: an arc
  Vec3d at(double angle) const {
    return {radius * std::cos(angle), radius * std::sin(angle), radius * std::tan(climb) * angle};
  }
  Vec3d tangent(double angle) const { return normalized(Vec3d{-std::sin(angle), std::cos(angle), std::tan(climb)}); }
  double length() const { return radius / std::cos(climb) * 2 * M_PI * turns; }
};

// Work that a load does on the displacements it causes: a unit force at the tip, or one spread along the curve, as of a
// spring that hangs by its root; the latter acts, but for the last turn, along the axis.
enum class Load : std::uint8_t { tip, spread };
double exact(const Helix& helix, Load load, Vec3d force) {
  constexpr int parts = 20000;
  const double end = 2 * M_PI * helix.turns, ds = helix.length() / parts;
  double sum = 0, beyond = 0;
  Vec3d first_moment{0, 0, 0};
  for (int k = parts - 1; k >= 0; --k) {
    const double angle = (k + 0.5) * end / parts;
    beyond += 1.0 / parts;
    first_moment += helix.at(angle) / parts;
    const Vec3d lever = load == Load::tip ? helix.at(end) - helix.at(angle) : first_moment - helix.at(angle) * beyond;
    const Vec3d moment = cross(lever, force);
    const double along = dot(moment, helix.tangent(angle));
    sum += ds * (along * along / twist + (dot(moment, moment) - along * along) / bend);
  }
  return sum;
}

double found(const Helix& helix, Load load, Vec3d force, int per_turn, bool correction) {
  RodCase rod;
  const int edges = static_cast<int>(std::lround(per_turn * helix.turns));
  for (int i = 0; i <= edges; ++i) rod.shape.push_back(helix.at(2 * M_PI * helix.turns * i / edges));
  rod.root_tangent = helix.tangent(0);
  rod.bend1 = rod.bend2 = bend;
  rod.twist = twist;
  rod.stretch = 1e9;
  rod.correction = correction;
  rod.newton = {1e-11, 400};
  RodRun run(rod);
  const double small = 1e-5 / exact(helix, load, force);
  std::vector<Vec3d> before;
  double polygon = 0;
  for (int i = 0; i <= edges; ++i) {
    before.push_back(run.position(i));
    if (i > 0) polygon += norm(before[static_cast<std::size_t>(i)] - before[static_cast<std::size_t>(i) - 1]);
  }
  (load == Load::tip ? run.tip_force : run.weight) = force * (load == Load::tip ? small : small / polygon);
  run.settle(1e4);
  double work = 0;
  for (int i = 0; i <= edges; ++i) {
    const double share = load == Load::tip ? (i == edges ? 1 : 0) : (i == 0 || i == edges ? 0.5 : 1.0) / edges;
    work += share * dot(run.position(i) - before[static_cast<std::size_t>(i)], force) / small;
  }
  return work;
}

TEST(CoarseSpring, IsAsStiffAsASmoothOne) {
  for (const double climb : {4.0, 15.0, 30.0, 45.0})
    for (const int per_turn : {6, 8, 10, 16, 24, 40}) {
      const Helix helix{0.1, climb * M_PI / 180, 6};
      const double error =
          found(helix, Load::spread, {0, 0, 1}, per_turn, true) / exact(helix, Load::spread, {0, 0, 1}) - 1;
      fmt::print("spring of {} vertices per turn, {} degrees: {:+.2f} % too soft\n", per_turn, climb, error * 100);
      EXPECT_LT(std::fabs(error), 1.3 / (per_turn * per_turn)) << climb << ' ' << per_turn;
      if (per_turn >= 10 && climb <= 30) EXPECT_LT(std::fabs(error), 0.01) << climb << ' ' << per_turn;
    }
}

// The formula for a close-coiled spring without the correction of twist, and that this is what is corrected.
TEST(CoarseSpring, WithoutCorrectionErrsAsThePolygonDoes) {
  const Helix helix{0.1, 1 * M_PI / 180, 6};
  for (const int n : {8, 10, 16}) {
    const double stiffer = exact(helix, Load::spread, {0, 0, 1}) / found(helix, Load::spread, {0, 0, 1}, n, false) - 1;
    const double psi = M_PI / n, polygon = 1 / (std::cos(psi) * std::cos(psi) * std::sin(psi) / psi) - 1;
    fmt::print("uncorrected spring of {} per turn: {:.1f} % too stiff, {:.1f} % expected\n", n, stiffer * 100,
               polygon * 100);
    EXPECT_NEAR(stiffer, polygon, 0.15 * polygon);
  }
}

TEST(CoarseArc, IsAsStiffAsASmoothOneInItsPlane) {
  const Helix arc{0.1, 0, 0.75};
  for (const int n : {8, 12, 16, 24, 40})
    for (const Vec3d force : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}}) {
      const double error = found(arc, Load::tip, force, n, true) / exact(arc, Load::tip, force) - 1;
      fmt::print("arc of {} vertices per turn: {:+.2f} %\n", n, error * 100);
      EXPECT_LT(std::fabs(error), 1.5 / (n * n)) << n;
    }
}

// Straight rods: no correction, in any bit.
TEST(StraightRod, HasNoRestBendCorrection) {
  RodCase rod;
  rod.shape = straight(10);
  RodRun plain(rod);
  rod.correction = true;
  RodRun corrected(rod);
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 3; ++k) {
      const int weight = plain.sets().bend_twist.weight + k;
      EXPECT_EQ(corrected.at(weight, i), plain.at(weight, i));
      EXPECT_GT(plain.at(weight, i), 0);
    }
}

}  // namespace
}  // namespace ymir::verification
