// Strands joined to each other: the manybodies solver against exact solutions, against the band solver, and by itself.
#include <fmt/format.h>

#include "strands_run.h"
#include "ymir/parallel/threads.h"

namespace ymir::verification {
namespace {

EmissionRule network(std::vector<NetworkEntry> entries) {
  EmissionRule rule;
  rule.kind = EmissionKind::network;
  rule.network = std::move(entries);
  return rule;
}

AttachmentResponse soft(double stiffness, double flexibility = 1) {
  AttachmentResponse response;
  response.flexibility = flexibility;
  response.normal_stiffness = response.tangent_stiffness = stiffness;
  return response;
}
AttachmentResponse hard(double flexibility = 0) {
  AttachmentResponse response;
  response.flexibility = flexibility;
  response.hard = true;
  return response;
}

double farthest(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max(worst, norm(a[i] - b[i]));
  return worst;
}

// Two loose rods in line, tips 0.1 m apart, pulled away from each other.
TEST(JoinedTips, GapOfASoftJointIsForceOverTwiceItsStiffness) {
  for (const bool one_object : {true, false})
    for (const double flexibility : {0.0, 1.0}) {
      const double stiffness = 20, force = 0.3;
      StrandsCase a, b;
      a.clamped = b.clamped = false;
      a.strands = {line({-0.3, 0, 0}, {-0.05, 0, 0}, 5)};
      b.strands = {line({0.3, 0, 0}, {0.05, 0, 0}, 5)};
      StrandsRun run;
      if (one_object) a.strands.push_back(b.strands[0]);
      CurvesObject& first = run.add(a);
      CurvesObject& second = one_object ? first : run.add(b);
      add_attachments(run.solids(), "attachment", {&first}, {&second}, soft(stiffness, flexibility),
                      network({{0, 5, one_object ? 1 : 0, 5}}));
      run.start();
      run.load = [&](const StrandsRun::Vertex& v) {
        return Vec3d{v.vertex == 5 ? (v.object + static_cast<std::size_t>(v.strand) == 0 ? -force : force) : 0, 0, 0};
      };
      run.settle(1, 2000);
      const double gap = norm(run.position(one_object ? 0 : 1, one_object ? 1 : 0, 5) - run.position(0, 0, 5)) - 0.1;
      fmt::print("joint gives way by F/2k to {:.1e}, {} CG iterations\n", gap / (force / (2 * stiffness)) - 1,
                 run.solids().cg_iterations());
      EXPECT_NEAR(gap, force / (2 * stiffness), 1e-6 * force / (2 * stiffness));
      EXPECT_LE(run.solids().cg_iterations(), 3 + 1);  // rows of the joint
      EXPECT_EQ(run.solids().direct_solves(), 0);
    }
}

TEST(JoinedTips, StayTogetherWhenTheJointIsHard) {
  StrandsCase c;
  c.strands = {line({0, 0, 0}, {0.5, 0, 0}, 10), line({1, 0, 0.1}, {0.5, 0, 0}, 10)};
  c.bend = 0.05;
  c.newton = {1e-10, 100};
  StrandsRun run;
  CurvesObject& object = run.add(c);
  add_attachments(run.solids(), "attachment", {&object}, {&object}, hard(), network({{0, 10, 1, 10}}));
  run.start();
  run.load = [](const StrandsRun::Vertex& v) { return Vec3d{0, -9.81 * v.mass, 3 * v.mass}; };
  double worst = 0;
  for (int k = 0; k < 50; ++k) {
    run.step(0.02);
    worst = std::max(worst, norm(run.position(0, 0, 10) - run.position(0, 1, 10)));
  }
  fmt::print("hard joint: gap {:.1e} m\n", worst);
  EXPECT_LE(worst, 1e-10 * 0.05);  // tolerance times mean edge
  EXPECT_LT(run.position(0, 0, 10).y, -0.01);
}

TEST(JoinedTips, KeepTheMomentumOfTwoLooseStrands) {
  for (const bool is_hard : {false, true}) {
    StrandsCase c;
    c.strands = {line({0, 0, 0}, {0.5, 0, 0}, 10), line({0.5, 0.4, 0}, {0.5, 0.02, 0}, 8)};
    c.clamped = false;
    c.bend = 0.1;
    StrandsRun run;
    CurvesObject& object = run.add(c);
    add_attachments(run.solids(), "attachment", {&object}, {&object}, is_hard ? hard() : soft(50, 0.5),
                    network({{0, 10, 1, 8}}));
    run.start();
    double scale = 0;
    for (int i = 0; i <= 10; ++i) run.set_velocity(0, 0, i, {0.3, 0.4 * i / 10, -0.2});
    for (int i = 0; i <= 8; ++i) run.set_velocity(0, 1, i, {-0.5, 0.1, 0.3 * i / 8});
    const Vec3d before = run.momentum();
    scale = norm(before) + 0.9 * 0.5;
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      run.step(5e-3);
      worst = std::max(worst, norm(run.momentum() - before) / scale);
    }
    fmt::print("momentum of joined loose strands, {}: {:.1e}\n", is_hard ? "hard" : "soft", worst);
    EXPECT_LE(worst, 1e-10);
  }
}

// A strand held to one that cannot move is a strand held to a surface: the coupled solver must give what the band
// solver, which has the attachment in its matrix, gives.
class AgainstTheBandSolver : public testing::TestWithParam<bool> {};

TEST_P(AgainstTheBandSolver, HeldToAFixedStrandIsHeldToAFixedSurface) {
  const bool inextensible = GetParam();
  StrandsCase hanging;
  hanging.strands = {line({0, 0, 0}, {0.5, 0, 0}, 10)};
  hanging.bend = 0.05;
  hanging.inextensible = inextensible;
  hanging.newton = {1e-11, 100};
  StrandsCase fixed;
  const Vec3d centre{0.5, 0.1, 0.1};
  fixed.strands = {line(centre, centre + Vec3d{0, 0, 0.3}, 3)};
  fixed.pinned = {0, 1, 2, 3};
  fixed.newton = hanging.newton;
  const auto weight = [](const StrandsRun::Vertex& v) { return Vec3d{2 * v.mass, -9.81 * v.mass, 0}; };

  StrandsRun coupled;
  CurvesObject& source = coupled.add(hanging);
  CurvesObject& target = coupled.add(fixed);
  add_attachments(coupled.solids(), "attachment", {&source}, {&target}, soft(30), network({{0, 10, 0, 0}}));
  coupled.start();
  coupled.load = weight;

  Surface triangle;  // with that centre
  triangle.positions = {centre + Vec3d{1, 0, 0}, centre + Vec3d{-1, 0, 1}, centre + Vec3d{0, 0, -1}};
  triangle.triangles = {{0, 1, 2}};
  StrandsRun alone;
  CurvesObject& same = alone.add(hanging);
  add_surface_attachments(same, "attachment", soft(30), network({{0, 10, 0, 0}}),
                          std::make_shared<AnimatedSurface>(triangle));
  alone.start();
  alone.load = weight;

  double worst = 0;
  int iterations = 0, direct = 0;
  for (int k = 0; k < 50; ++k) {
    coupled.step(0.02);
    alone.step(0.02);
    iterations = std::max(iterations, coupled.solids().cg_iterations());
    direct += coupled.solids().direct_solves();
    worst = std::max(worst, farthest(coupled.all_positions(), alone.all_positions()));
  }
  fmt::print("{}: coupled and band solver {:.1e} m apart; {} CG iterations, {} direct solves\n",
             inextensible ? "inextensible" : "elastic", worst, iterations, direct);
  EXPECT_LE(worst, 1e-9);
  EXPECT_LT(alone.position(0, 0, 10).y, -0.01);
  if (!inextensible) {
    EXPECT_LE(iterations, 3 + 1);
    EXPECT_EQ(direct, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Strands, AgainstTheBandSolver, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "inextensible" : "elastic"; });

TEST(HardJoint, ToAFixedStrandIsAPinnedVertex) {
  const auto weight = [](const StrandsRun::Vertex& v) { return Vec3d{0, -9.81 * v.mass, 2 * v.mass}; };
  StrandsCase c;
  c.strands = {line({0, 0, 0}, {0.5, 0, 0}, 10)};
  c.bend = 0.05;
  c.newton = {1e-11, 100};
  StrandsCase fixed;
  fixed.strands = {line({0.5, 0, 0}, {0.5, 0.3, 0}, 3)};
  fixed.pinned = {0, 1, 2, 3};
  StrandsRun coupled;
  CurvesObject& source = coupled.add(c);
  CurvesObject& target = coupled.add(fixed);
  add_attachments(coupled.solids(), "attachment", {&source}, {&target}, hard(), network({{0, 10, 0, 0}}));
  coupled.start();
  coupled.load = weight;

  StrandsRun alone;
  StrandsCase pinned = c;
  pinned.pinned = {10};
  alone.add(pinned);
  alone.start();
  alone.load = weight;
  double worst = 0;
  for (int k = 0; k < 50; ++k) {
    coupled.step(0.02);
    alone.step(0.02);
    worst = std::max(worst, farthest(coupled.all_positions(), alone.all_positions()));
  }
  fmt::print("hard joint and pinned vertex {:.1e} m apart\n", worst);
  EXPECT_LE(worst, 1e-9);
  EXPECT_LT(coupled.position(0, 0, 5).y, -1e-3);
}

// Strands hung side by side, each held to the next one at two heights.
struct Ladder {
  static constexpr int strands = 50, edges = 8;
  StrandsRun run;
  explicit Ladder(double stiffness) {
    StrandsCase c;
    std::vector<NetworkEntry> rungs;
    for (int s = 0; s < strands; ++s) {
      const double z = 0.05 * s;
      c.strands.push_back(line({0, 0, z}, {0.4, -0.2, z}, edges));
      if (s > 0)
        for (const int v : {4, edges}) rungs.push_back({s - 1, v, s, v});
    }
    c.bend = 0.01;
    c.newton = {1e-8, 60};
    CurvesObject& object = run.add(c);
    add_attachments(run.solids(), "attachment", {&object}, {&object}, soft(stiffness), network(rungs));
    run.start();
    run.load = [](const StrandsRun::Vertex& v) {
      return Vec3d{v.strand == 0 ? 5 * v.mass : 0, -9.81 * v.mass, v.strand % 3 == 0 ? 2 * v.mass : 0};
    };
  }
  static constexpr int rank = 3 * 2 * (strands - 1);  // 1 row along each rung, 2 across a taut one
};

TEST(StrandLadder, ConvergesForSoftAndStiffRungs) {
  for (const double stiffness : {1.0, 1e2, 1e4}) {
    Ladder ladder(stiffness);
    int iterations = 0, direct = 0;
    for (int k = 0; k < 3; ++k) {
      ladder.run.step(1.0 / 96);
      iterations = std::max(iterations, ladder.run.solids().cg_iterations());
      direct += ladder.run.solids().direct_solves();
    }
    fmt::print("ladder, stiffness {:g}: at most {} CG iterations (rank {}), {} Newton iterations\n", stiffness,
               iterations, Ladder::rank, ladder.run.solids().solve_report().iterations);
    EXPECT_LE(iterations, Ladder::rank + 1);
    EXPECT_EQ(direct, 0);
    EXPECT_LT(ladder.run.position(0, 0, Ladder::edges).y, -0.2);
  }
}

// The fail-safe factors the whole matrix where CG may not iterate: the same solution to the tolerance of Newton's
// method.
TEST(StrandLadder, IsSolvedDirectlyWhereCgFails) {
  Ladder iterative(1e2), direct(1e2);
  direct.run.solids().set_cg_limit(1);
  int solves = 0;
  for (int k = 0; k < 3; ++k) {
    iterative.run.step(1.0 / 96);
    direct.run.step(1.0 / 96);
    solves += direct.run.solids().direct_solves();
  }
  EXPECT_GT(solves, 3);
  double apart = 0;
  for (int s = 0; s < Ladder::strands; ++s)
    for (int v = 0; v <= Ladder::edges; ++v)
      apart = std::max(apart, norm(iterative.run.position(0, s, v) - direct.run.position(0, s, v)));
  fmt::print("ladder, CG and direct solver: {:.1e} m apart after {} direct solves\n", apart, solves);
  EXPECT_LE(apart, 1e-8);
}

TEST(StrandLadder, HasTheSameBitsOnEveryThreadCount) {
  const int before = threads();
  std::uint64_t hash[3];
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    Ladder ladder(100);
    for (int k = 0; k < 2; ++k) ladder.run.step(1.0 / 96);
    hash[count - 1] = ladder.run.object(0).hash();
  }
  set_threads(before);
  EXPECT_EQ(hash[1], hash[0]);
  EXPECT_EQ(hash[2], hash[0]);
}

}  // namespace
}  // namespace ymir::verification
