// Internal friction of bending cloth (Dahl): the area of a loop, what stays of a bend, no drift.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ymir/actions/elastic_shell.h"
#include "ymir/data/cloth_mesh.h"

namespace ymir {
namespace {

// Two equilateral triangles folded about their common edge, driven by hand.
class Fold {
 public:
  Fold(BendingModel model, double saturation, double length)
      : object_("cloth", 0, domain_, MeshObject::Description{}, cloth_of(sheet(), 1e-3, "fold")) {
    ElasticShellMaterial material;
    material.bending = isotropic_moduli(1e-4, 0.0);
    material.model = model;
    material.friction_saturation = saturation;
    material.friction_length = length;
    add_shell_bending(object_, "bending", material, std::vector<Vec3d>(2, Vec3d{1, 0, 0}));
    object_.ingest();
    step_ = &object_.workspace().step;
    step_->dt = 1;
    step_->begin = object_.positions();
    step_->begin.insert(step_->begin.end(), object_.inner().begin(), object_.inner().end());
    step_->position = step_->begin;
    for (auto* v : {&step_->residual, &step_->condensed, &step_->scale}) v->assign(step_->begin.size(), Vec3d{0, 0, 0});
  }
  // Turns the wing to an angle and returns the torque about the edge, as the force on the tip by its arm.
  double fold(double angle) {
    MeshStep& s = *step_;
    for (const auto& c : object_.constraints()) c->begin(s);
    const double arm = std::sqrt(0.75);
    s.position[3] = {arm * std::cos(angle), arm * std::sin(angle), 0};
    std::fill(s.residual.begin(), s.residual.end(), Vec3d{0, 0, 0});
    s.matrix.clear();
    for (const auto& c : object_.constraints()) c->assemble(s);
    for (const auto& c : object_.constraints()) c->end(s);
    s.begin = s.position;
    return (s.residual[3].y * std::cos(angle) - s.residual[3].x * std::sin(angle)) * arm;
  }

 private:
  static Surface sheet() {
    Surface s;
    const double arm = std::sqrt(0.75);
    s.positions = {{0, 0, 0.5}, {0, 0, -0.5}, {-arm, 0, 0}, {arm, 0, 0}};
    s.triangles = {{0, 1, 2}, {1, 0, 3}};
    s.vertices.resize(4);
    s.faces.resize(2);
    return s;
  }
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  MeshObject object_;
  MeshStep* step_;
};

constexpr std::array models{BendingModel::hinge, BendingModel::tri, BendingModel::mid};

// C of an angle of the fold is k theta or 2 tan(theta/2) as the kernel has it; amplitudes are so small that it does not
// matter. With the elastic energy U of the amplitude, whose curvature is K, a cycle loses
//   8 U (s/K)(1 - (l/K) tanh(K/l)),   s saturation, l length.
TEST(ShellFriction, ACycleLosesTheAreaOfDahlsLoop) {
  const double amplitude = 0.02;
  for (const BendingModel model : models) {
    // Curvature of the amplitude: of a fold of one row, by its measure; found from where friction is saturated.
    Fold elastic(model, 0, 1);
    const double stiffness = elastic.fold(amplitude) / amplitude;
    const double energy = 0.5 * stiffness * amplitude * amplitude;
    ASSERT_GT(energy, 0);
    Fold saturated(model, 1e-3, 1e-7);
    const double held = saturated.fold(amplitude) - stiffness * amplitude;
    const double curvature = 1e-3 * stiffness * amplitude / held;  // friction is stiffness times s/K of the amplitude
    // Of a hinge: its angle by the width of cloth it stands for, (A1 + A2)/edge.
    if (model == BendingModel::hinge) {
      EXPECT_NEAR(curvature, amplitude / std::sqrt(0.75), 1e-3 * curvature);
    }
    for (const double s : {0.2, 1.0})
      for (const double l : {0.1, 0.5, 3.0}) {
        Fold fold(model, s * curvature, l * curvature);
        const int steps = 800;
        double area = 0, torque = fold.fold(0), angle = 0;
        for (int cycle = 0; cycle < 6; ++cycle) {
          area = 0;
          for (int k = 1; k <= steps; ++k) {
            const double to = amplitude * std::sin(2 * M_PI * k / steps), now = fold.fold(to);
            area += 0.5 * (now + torque) * (to - angle);
            torque = now;
            angle = to;
          }
        }
        const double expected = 8 * energy * s * (1 - l * std::tanh(1 / l));
        EXPECT_NEAR(area, expected, 2e-3 * expected) << static_cast<int>(model) << ", " << s << ", " << l;
      }
  }
}

// Bent far and let go, at zero torque the saturation stays as curvature.
TEST(ShellFriction, TheSaturationIsTheBendThatStays) {
  for (const BendingModel model : models) {
    Fold elastic(model, 0, 1);
    const double stiffness = elastic.fold(0.01) / 0.01;
    Fold saturated(model, 1e-3, 1e-7);
    const double curvature = 1e-3 * stiffness * 0.01 / (saturated.fold(0.01) - stiffness * 0.01) / 0.01;  // per angle
    const double left = 0.005;
    // Friction that turns round at once: the branch down is -s, up +s.
    Fold fold(model, left * curvature, 1e-4 * left * curvature);
    for (int k = 1; k <= 400; ++k) fold.fold(0.02 * k / 400);
    double angle = 0.02, torque = 1;
    while (torque > 0 && angle > -0.02) torque = fold.fold(angle -= 1e-5);
    EXPECT_NEAR(angle, left, 3e-5) << static_cast<int>(model);
  }
}

}  // namespace
}  // namespace ymir
