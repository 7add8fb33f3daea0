#include "ymir/actions/follow_pose.h"

#include <algorithm>
#include <cmath>

#include "ymir/math/polar3.h"
#include "ymir/math/quaternion_from_matrix.h"
#include "ymir/math/symmetric_eigen3.h"
#include "ymir/physics/rigid/rotation_potential.h"

namespace ymir {
namespace {

class FollowPose final : public RigidConstraint, public FollowsPose {
 public:
  FollowPose(const RigidObject& object, std::string owner, AnimatedSurface target, double stiffness,
             std::function<double(double)> weight)
      : object_(&object),
        owner_(std::move(owner)),
        target_(std::move(target)),
        stiffness_(stiffness),
        weight_(std::move(weight)) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "follow an animation"; }

  double weight_at(double time) const override { return weight_(time); }

  void prepare(double, double end) override {
    now_ = weight_(end);
    poses_.clear();
    if (now_ == 0) return;
    target_.pose(end, vertices_);
    for (const RigidBody& body : object_->bodies()) poses_.push_back(nearest_pose(body));
  }

  bool carries(int body, RigidTransform& pose) const override {
    if (now_ < 1) return false;
    pose = poses_[static_cast<std::size_t>(body)];
    return true;
  }

  void assemble(RigidStep& s) override {
    if (now_ == 0 || now_ == 1) return;
    const auto b = static_cast<std::size_t>(s.body);
    const RigidBody& body = object_->bodies()[b];
    // Per mass: the energy is an inertia with 1/dt^2 = rate.
    const double rate = stiffness_ * now_ / ((1 - now_) * object_->description().density);
    if (!(rate > 0)) return;
    const double dt = 1 / std::sqrt(rate);
    const RotationPotential turning(s.rotation, poses_[b].rotation, body.spread, dt);
    const Vec3d pull = (s.position - poses_[b].translation) * (body.mass * rate), torque = turning.gradient();
    // What is negative, more than 90 degrees from the animation, only helps where inertia outweighs it.
    const Mat3d whole = turning.hessian();
    const SymmetricEigen3<double> eigen = symmetric_eigen3(whole);
    Mat3d positive;
    for (int k = 0; k < 3; ++k)
      positive += outer(eigen.vectors.column[k] * std::max(eigen.values[k], 0.0), eigen.vectors.column[k]);
    for (int r = 0; r < 3; ++r) {
      s.residual[r] += pull[r];
      s.residual[3 + r] += torque[r];
      s.matrix[r][r] += body.mass * rate;
      for (int c = 0; c < 3; ++c) {
        s.matrix[3 + r][3 + c] += positive(r, c);
        s.lever[r][c] += whole(r, c) - positive(r, c);
      }
    }
  }

 private:
  // Least squares of the distances of vertices. [Kabsch1976]
  RigidTransform nearest_pose(const RigidBody& body) const {
    Vec3d from{0, 0, 0}, to{0, 0, 0};
    const double share = 1 / static_cast<double>(body.points.size());
    const auto vertex = [&](std::size_t k) { return vertices_[static_cast<std::size_t>(body.vertices[k])]; };
    for (std::size_t k = 0; k < body.points.size(); ++k) {
      from += body.points[k] * share;
      to += vertex(k) * share;
    }
    Mat3d moment;
    for (std::size_t k = 0; k < body.points.size(); ++k) moment += outer(vertex(k) - to, body.points[k] - from);
    const Quaternion turn = quaternion_from_matrix(polar_rotation(svd3(moment)));
    return {turn, to - rotate(turn, from)};
  }

  const RigidObject* object_;
  std::string owner_;
  AnimatedSurface target_;
  double stiffness_;  // [N/m^4]
  std::function<double(double)> weight_;
  double now_ = 0;                     // weight at the end of the substep
  std::vector<RigidTransform> poses_;  // of the bodies then
  std::vector<Vec3d> vertices_;        // [m]
};

}  // namespace

void follow_pose(RigidObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
                 std::function<double(double time)> weight) {
  object.add_constraint(std::make_unique<FollowPose>(object, owner, std::move(target), stiffness, std::move(weight)));
}

}  // namespace ymir
