// Internal friction (Dahl) of soft bodies and of the membrane of cloth: the area of a loop, what stays, what is kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cloth_run.h"
#include "soft_run.h"
#include "ymir/base/random.h"
#include "ymir/math/symmetric_eigen3.h"

namespace ymir {
namespace {

using cloth_tests::ClothRun;
constexpr std::array shapes{CellShape::tetrahedron, CellShape::hexahedron, CellShape::quadratic_tetrahedron};

// A mesh whose nodes are moved by hand: x = F X.
class Driven {
 public:
  explicit Driven(MeshObject& object) : object_(&object), step_(&object.workspace().step) {
    step_->dt = 1;
    step_->begin = object.positions();
    step_->begin.insert(step_->begin.end(), object.inner().begin(), object.inner().end());
    step_->position = step_->begin;
    for (auto* v : {&step_->residual, &step_->condensed, &step_->scale}) v->assign(step_->begin.size(), Vec3d{0, 0, 0});
  }
  // Work of what holds the nodes on the way there, forces being the mean of both ends [J].
  double move(const Mat3d& f) {
    MeshStep& s = *step_;
    for (const auto& c : object_->constraints()) c->begin(s);
    const std::vector<Vec3d>& rest = object_->mesh().positions;
    for (std::size_t i = 0; i < rest.size(); ++i) s.position[i] = f * rest[i];
    const std::vector<Vec3d> before = force_;
    s.residual.assign(s.residual.size(), Vec3d{0, 0, 0});
    s.condensed.assign(s.residual.size(), Vec3d{0, 0, 0});
    s.matrix.clear();
    for (const auto& c : object_->constraints()) c->assemble(s);
    for (const auto& c : object_->constraints()) c->end(s);
    force_.resize(s.residual.size());
    for (std::size_t i = 0; i < force_.size(); ++i) force_[i] = s.residual[i] + s.condensed[i];
    double work = 0;
    for (std::size_t i = 0; i < before.size(); ++i) work += dot(before[i] + force_[i], s.position[i] - s.begin[i]) / 2;
    s.begin = s.position;
    return work;
  }

 private:
  MeshObject* object_;
  MeshStep* step_;
  std::vector<Vec3d> force_;
};

// Symmetric F whose Green strain is t n.
Mat3d strained(const Mat3d& n, double t) {
  const SymmetricEigen3<double> e = symmetric_eigen3(n);
  Mat3d f;
  for (int k = 0; k < 3; ++k) f += outer(e.vectors.column[k] * std::sqrt(1 + 2 * t * e.values[k]), e.vectors.column[k]);
  return f;
}

double cycle(Driven& driven, const Mat3d& turn, const Mat3d& n, double amplitude) {
  constexpr int steps = 400;
  double area = 0;
  driven.move(turn);
  for (int round = 0; round < 5; ++round) {
    area = 0;
    for (int k = 1; k <= steps; ++k)
      area += driven.move(turn * strained(n, amplitude * std::sin(2 * M_PI * k / steps)));
  }
  return area;
}

// Along any line of strain, however the body is turned: V 2 mu 4 s (A - l tanh(A/l)), all as norms of dev E.
TEST(StrainFriction, ACycleOfASolidLosesTheAreaOfDahlsLoop) {
  Random random(5, 0);
  const double young = 2e4, nu = 0.3, mu = young / (2 * (1 + nu)), volume = 0.1 * 0.08 * 0.06;
  for (const CellShape shape : shapes)
    for (const SolidModel model : {SolidModel::neo_hookean, SolidModel::st_venant_kirchhoff, SolidModel::corotated})
      for (const auto& [s, l] : {std::pair{0.2, 0.1}, {0.2, 0.5}, {1.0, 0.5}, {1.0, 3.0}}) {
        Mat3d n;
        for (int k = 0; k < 6; ++k) {
          const int r = k < 3 ? k : (k + 1) % 3, c = k < 3 ? k : (k + 2) % 3;
          n(r, c) = n(c, r) = random.uniform(-1, 1);
        }
        n = plus_diagonal(n, -trace(n) / 3);
        const double amplitude = 0.05, size = amplitude * std::sqrt(dot(n, n)), equivalent = std::sqrt(2.0 / 3) * size;
        ElasticSolidMaterial material{young, nu, model, 0};
        material.friction_saturation = s * equivalent;
        material.friction_length = l * equivalent;
        SoftRun run(block(shape, {2, 1, 1}, {0.1, 0.08, 0.06}), material);
        run.start();
        Driven driven(run.object());
        const double a = random.uniform(-3, 3);
        const Mat3d turn{{std::cos(a), std::sin(a), 0}, {-std::sin(a), std::cos(a), 0}, {0, 0, 1}};
        const double expected = volume * 2 * mu * 4 * s * size * size * (1 - l * std::tanh(1 / l));
        EXPECT_NEAR(cycle(driven, turn, n, amplitude), expected, 2e-3 * expected)
            << static_cast<int>(shape) << ", " << static_cast<int>(model) << ", " << s << ", " << l;
      }
}

// Of each strain of a membrane by itself: A W 4 s (A - l tanh(A/l)).
TEST(StrainFriction, ACycleOfAMembraneLosesTheAreaOfDahlsLoop) {
  const double area = 0.2 * 0.1;
  for (const int row : {0, 1, 2})
    for (const auto& [s, l] : {std::pair{0.2, 0.1}, {0.2, 0.5}, {1.0, 0.5}, {1.0, 3.0}}) {
      Mat3d n;
      n(0, 0) = row == 0, n(1, 1) = row == 1, n(0, 1) = n(1, 0) = row == 2 ? 0.5 : 0;
      const double amplitude = 0.05;
      ElasticShellMaterial material = cloth_tests::fabric(1000, 1e-5);
      material.stretch_saturation = s * amplitude;
      material.stretch_length = l * amplitude;
      ClothRun run(cloth_tests::square_grid(2, 1, 0.2, 0.1), material);
      run.start();
      Driven driven(run.object());
      const double weight = material.stretch[packed(row, row)];
      const double expected = area * weight * 4 * s * amplitude * amplitude * (1 - l * std::tanh(1 / l));
      EXPECT_NEAR(cycle(driven, identity3(), n, amplitude), expected, 2e-3 * expected) << row << ", " << s << ", " << l;
    }
}

// A bar that was stretched far and is let go stays longer by the saturation; Poisson's ratio is near 1/2.
TEST(StrainFriction, TheSaturationIsTheStrainThatStays) {
  const double length = 0.3, left = 0.002;  // small: beyond, to first order in it
  double pull = 3000;                       // [N/m^2]
  ElasticSolidMaterial material{1e4, 0.4999, SolidModel::neo_hookean, 0.05};
  material.friction_saturation = left;
  material.friction_length = 1e-3 * left;
  SoftRun run(block(CellShape::hexahedron, {6, 1, 1}, {length, 0.05, 0.05}), material, 1e-8);
  PointForce ends;
  ends.owner = ends.what = "pull";
  ends.accumulate = [&](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
    for (int i = 0; i < b.count; ++i) {
      const double x = run.object().mesh().positions[static_cast<std::size_t>(i)].x;
      if (x == 0 || x == length) out.force.x[i] += (x == 0 ? -1 : 1) * pull * 0.05 * 0.05 / 4;
    }
  };
  run.object().add_force(ends);
  run.start();
  for (int k = 0; k < 40; ++k) run.step(0.1);
  const auto extension = [&] {
    return (run.object().positions().back().x - run.object().positions()[0].x) / length - 1;
  };
  EXPECT_GT(extension(), 0.2);
  // As slowly as nothing swings.
  for (int k = 1; k <= 200; ++k) {
    pull = 3000 * (1 - k / 200.0);
    run.step(0.1);
  }
  for (int k = 0; k < 20; ++k) run.step(1.0);
  const double green = extension() + extension() * extension() / 2;
  fmt::print("a saturation of {}: {:.5f} stays\n", left, green);
  EXPECT_NEAR(green, left, 5e-3 * left);
}

// Friction acts inside: momentum stays, motion dies.
TEST(StrainFriction, MomentumIsKeptAndMotionDies) {
  for (const CellShape shape : shapes) {
    std::array<double, 2> energy{};
    for (const double saturation : {0.0, 0.02}) {
      ElasticSolidMaterial material{5e4, 0.45};
      material.friction_saturation = saturation;
      material.friction_length = 0.005;
      SoftRun run(block(shape, {3, 4, 2}, {0.1, 0.12, 0.08}), material, 1e-10);
      run.start();
      Random random(3, 0);
      for (Vec3d& v : run.object().velocities())
        v = {random.uniform(-1, 2), random.uniform(-1, 1), random.uniform(-2, 1)};
      const Vec3d before = run.momentum();
      int most = 0;
      for (int k = 0; k < 40; ++k) most = std::max(most, run.step(1e-3));
      EXPECT_LT(norm(run.momentum() - before), 1e-9 * norm(before));
      double& sum = energy[saturation > 0 ? 1 : 0];
      for (std::size_t i = 0; i < run.object().mass().size(); ++i)
        sum += run.object().mass()[i] * std::pow(norm(run.object().velocities()[i] - run.mean_velocity()), 2) / 2;
      fmt::print("shape {}, saturation {}: at most {} iterations, {:.4f} J\n", static_cast<int>(shape), saturation,
                 most, sum);
      EXPECT_LE(most, 15);
    }
    EXPECT_LT(energy[1], 0.8 * energy[0]);
  }
}

template <class Run, class Make>
void expect_resumable(Make&& make, double dt) {
  const std::unique_ptr<Run> through = make();
  for (int k = 0; k < 12; ++k) through->step(dt);
  const ObjectState middle = through->object().checkpoint();
  const std::uint64_t then = through->object().hash();
  through->object().save();
  through->step(dt);
  EXPECT_NE(through->object().hash(), then);
  through->object().rollback();
  EXPECT_EQ(through->object().hash(), then);
  for (int k = 0; k < 8; ++k) through->step(dt);
  const std::unique_ptr<Run> resumed = make();
  resumed->object().restore(&middle);
  EXPECT_EQ(resumed->object().hash(), then);
  for (int k = 0; k < 8; ++k) resumed->step(dt);
  EXPECT_EQ(resumed->object().hash(), through->object().hash());
}

TEST(StrainFriction, IsResumedAndRolledBackInTheMiddleOfACycle) {
  for (const CellShape shape : shapes)
    expect_resumable<SoftRun>(
        [&] {
          ElasticSolidMaterial material{2e4, 0.45};
          material.friction_saturation = 0.05;
          material.friction_length = 0.02;
          auto run = std::make_unique<SoftRun>(block(shape, {4, 2, 2}, {0.2, 0.1, 0.1}), material);
          run->gravity({0, -9.81, 0});
          run->hold([](Vec3d x) { return x.x == 0; });
          run->start();
          return run;
        },
        0.02);
  expect_resumable<ClothRun>(
      [&] {
        ElasticShellMaterial material = cloth_tests::fabric(20, 1e-5);
        material.stretch_saturation = 0.05;
        material.stretch_length = 0.02;
        auto run = std::make_unique<ClothRun>(cloth_tests::square_grid(6, 6, 0.5, 0.5), material);
        run->gravity({0, -9.81, 0});
        run->hold([](Vec3d x) { return x.y == 0.5; });
        run->start();
        return run;
      },
      0.02);
}

// A saturation of 0 is no friction: the same bits, whatever the length.
TEST(StrainFriction, NoneLeavesEveryBit) {
  std::vector<std::uint64_t> hashes;
  for (const double length : {1.0, 0.01}) {
    ElasticSolidMaterial material{2e4, 0.45};
    material.friction_length = length;
    SoftRun run(block(CellShape::hexahedron, {4, 2, 2}, {0.2, 0.1, 0.1}), material);
    run.gravity({0, -9.81, 0});
    run.hold([](Vec3d x) { return x.x == 0; });
    run.start();
    for (int k = 0; k < 5; ++k) run.step(0.02);
    EXPECT_EQ(run.object().constraints()[0]->state().size(), run.object().mesh().cell_count());
    hashes.push_back(run.object().hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace ymir
