#include "ymir/actions/shell_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/actions/bears_load.h"
#include "ymir/base/error.h"
#include "ymir/data/meshes.h"
#include "ymir/objects/steady_load.h"
#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/conjugate_gradient.h"

namespace ymir {
namespace {

constexpr double stiffening = 1.25, most_stiffening = 1000;
constexpr double statics = 1e9;  // a step so long that nothing is damped [s]
// What makes the matrix definite that preconditions, by the stiffness of a pendulum with that weight: modes that are
// softer by far than that cannot stand under it.
constexpr double softest = 1e-3;
constexpr double stressed = 1e-3;    // of the load: forces inside when everything begins
constexpr double balance = 1e-8;     // what may be left of the load
constexpr double round_off = 1e-13;  // of forces that a strain of 1 would make
constexpr int rounds = 3;            // of refinement

class ShellLoad {
 public:
  ShellLoad(MeshObject& object, const std::string& owner) : object_(&object), owner_(owner) {
    std::vector<BlockMatrix::Elements> elements;
    for (const auto& constraint : object.constraints())
      if (auto* bears = dynamic_cast<BearsLoad*>(constraint.get())) {
        parts_.emplace_back(constraint.get(), bears);
        elements.push_back(constraint->elements());
      }
    MeshStep& s = step_;
    s.dt = statics;
    s.position = object.start();
    s.position.insert(s.position.end(), object.inner().begin(), object.inner().end());
    s.begin = s.position;
    s.step.assign(s.position.size(), Vec3d{0, 0, 0});
    s.matrix = BlockMatrix(static_cast<std::int32_t>(s.position.size()), elements);
    for (const auto& [constraint, bears] : parts_) {
      constraint->connect(s.matrix);
      constraint->begin(s);
    }
    load_ = steady_load(object.forces(), object.start(), object.mass().data(), object.radius().data());
    load_.resize(s.position.size(), Vec3d{0, 0, 0});
    for (std::size_t i = 0; i < load_.size(); ++i) {
      if (object.held()[i] != 0) load_[i] = {0, 0, 0};
      largest_ = std::max(largest_, norm(load_[i]));
    }
    assemble();
    soft_ = step_.matrix;
  }

  bool nothing() const { return largest_ == 0; }

  void bear(double share) {
    if (missing(0) > stressed)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: {} begins under stress, bent away from its rest shape; use `rest_shape: input`, or "
                              "leave gravity_compensation out",
                              owner_, object_->path()));
    BlockMatrix definite = soft_;
    double stiffest = 0;
    for (std::int32_t i = 0; i < definite.nodes(); ++i) stiffest = std::max(stiffest, definite.diagonal(i)[0]);
    const Vec3d size = bounds(object_->start()).size();
    for (std::size_t i = 0; i < object_->start().size(); ++i)
      for (int k = 0; k < 3; ++k)
        definite.diagonal(static_cast<std::int32_t>(i))[4 * k] += softest * largest_ / norm(size);
    definite.hold(object_->held());
    BlockMatrix held = soft_;
    held.hold(object_->held());
    BlockCholesky solver;
    solver.analyze(definite);
    std::vector<double> b(3 * load_.size()), z(b.size());
    double left = solver.factor(definite) ? missing(share) : std::numeric_limits<double>::infinity();
    CgWorkspace workspace;
    for (int round = 0; round < rounds && std::isfinite(left); ++round) {
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = left_[i / 3][static_cast<int>(i % 3)];
      std::fill(z.begin(), z.end(), 0.0);
      conjugate_gradient(
          [&](std::span<const double> in, std::span<double> out) { held.multiply(in.data(), out.data()); },
          [&](std::span<const double> in, std::span<double> out) { solver.solve(in.data(), out.data()); }, b, z,
          workspace, CgOptions{1e-12, 0, 200});
      for (std::size_t i = 0; i < load_.size(); ++i) step_.step[i] = {z[3 * i], z[3 * i + 1], z[3 * i + 2]};
      for (const auto& [constraint, bears] : parts_) bears->bear(step_);
      assemble();
      left = missing(share);
    }
    if (!(left < balance + round_off * stiffest * object_->mean_edge() / largest_))
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: {} may move as a whole where it is held, or has no stiffness against its load, which "
                      "nothing can bear then; hold more of it by `attachment: {{surface: ..., range: ...}}`, "
                      "give it bending_stiffness, or leave gravity_compensation out",
                      owner_, object_->path()));
  }

  // The exact matrix where the cloth begins has positive pivots.
  double stiffening_to_stand() const {
    BlockCholesky solver;
    solver.analyze(soft_);
    for (double factor = 1; factor < most_stiffening; factor *= stiffening) {
      BlockMatrix stiffer = step_.matrix;
      for (std::int32_t s = 0; s < static_cast<std::int32_t>(stiffer.block_count()); ++s)
        for (int k = 0; k < 9; ++k) stiffer.block(s)[k] += (factor - 1) * soft_.block(s)[k];
      stiffer.hold(object_->held());
      if (solver.factor(stiffer)) return factor;
    }
    return std::numeric_limits<double>::infinity();
  }

 private:
  void assemble() {
    MeshStep& s = step_;
    s.matrix.clear();
    for (auto* vectors : {&s.residual, &s.condensed, &s.scale}) vectors->assign(s.position.size(), Vec3d{0, 0, 0});
    for (const auto& [constraint, bears] : parts_) constraint->assemble(s);
    for (std::size_t k = 3 * object_->start().size(); k < 3 * s.position.size(); ++k) {
      double& diagonal = s.matrix.diagonal(static_cast<std::int32_t>(k / 3))[4 * (k % 3)];
      if (diagonal == 0) diagonal = 1;  // a place without an unknown
    }
  }

  // What of `share` of the load is not borne, by the largest of it.
  double missing(double share) {
    double worst = 0;
    left_.resize(load_.size());
    for (std::size_t i = 0; i < load_.size(); ++i) {
      left_[i] = load_[i] * share - step_.residual[i] - step_.condensed[i];
      if (object_->held()[i] != 0) left_[i] = {0, 0, 0};
      worst = worse(worst, norm(left_[i]) / largest_);
    }
    return worst;
  }

  MeshObject* object_;
  std::string owner_;
  std::vector<std::pair<MeshConstraint*, BearsLoad*>> parts_;
  MeshStep step_;
  BlockMatrix soft_;         // without stress
  std::vector<Vec3d> load_;  // constant forces where nothing is held [N]
  std::vector<Vec3d> left_;  // of them [N]
  double largest_ = 0;       // [N]
};

}  // namespace

double add_shell_load(MeshObject& object, const std::string& owner, double share) {
  ShellLoad load(object, owner);
  if (load.nothing()) return 1;
  load.bear(share);
  return load.stiffening_to_stand();
}

}  // namespace ymir
