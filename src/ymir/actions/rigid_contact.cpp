#include "ymir/actions/rigid_contact.h"

#include <algorithm>

#include "ymir/physics/contact/sticking_penalty.h"

namespace ymir {
namespace {

class RigidContact final : public RigidConstraint {
 public:
  RigidContact(const RigidObject& object, std::string owner, SolidDuring solid, const MeshContactParams& params)
      : object_(&object), owner_(std::move(owner)), solid_(std::move(solid)), params_(params) {
    // What begins nearer than it may stays as near: it is not pushed out.
    const auto at = solid_(0, 0);
    for (const Vec3d& x : object.surface().positions) clearance_.push_back(std::min(params.thickness, at(x).distance));
    friction_.assign(3 * clearance_.size(), 0);
    next_friction_.resize(clearance_.size());
    slid_.resize(clearance_.size());
    deepest_.assign(object.bodies().size(), 0);
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact"; }
  std::span<double> state() override { return friction_; }
  double penetration() const override {
    return deepest_.empty() ? 0 : *std::max_element(deepest_.begin(), deepest_.end());
  }
  void prepare(double begin, double end) override {
    solid_at_end_ = solid_(begin, end);
    std::fill(slid_.begin(), slid_.end(), Vec3d{0, 0, 0});
  }

  void assemble(RigidStep& s) override {
    const RigidBody& body = object_->bodies()[static_cast<std::size_t>(s.body)];
    double& deepest = deepest_[static_cast<std::size_t>(s.body)] = 0;
    for (std::size_t k = 0; k < body.points.size(); ++k) {
      const auto vertex = static_cast<std::size_t>(body.vertices[k]);
      const RigidPoint at = s.point(body.points[k]);
      const Vec3d begin = s.begin_point(body.points[k]).position;
      const TouchedSolid touched = touched_on_the_way(solid_at_end_, begin, at.position);
      const double depth = clearance_[vertex] - touched.distance;
      next_friction_[vertex] = {0, 0, 0};
      if (!(depth > 0)) continue;
      deepest = std::max(deepest, -touched.distance);
      const Vec3d moved = at.position - begin - touched.carried;
      const StickingPenalty touch(
          penalty_stiffness(params_.stiffness, body.mass, s.dt), grazing_depth(params_.thickness, clearance_[vertex]),
          params_.friction, depth, touched.normal, moved,
          {friction_[3 * vertex], friction_[3 * vertex + 1], friction_[3 * vertex + 2]}, slid_[vertex]);
      slid_[vertex] = touch.sliding;
      next_friction_[vertex] = touch.friction;
      Mat3d stiffness;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) stiffness(r, c) = touch.stiffness(touched.normal, r, c);
      s.add(at, touch.gradient, stiffness);
    }
  }

  void end(const RigidStep& s) override {
    for (const std::int32_t v : object_->bodies()[static_cast<std::size_t>(s.body)].vertices)
      for (int k = 0; k < 3; ++k)
        friction_[3 * static_cast<std::size_t>(v) + static_cast<std::size_t>(k)] =
            next_friction_[static_cast<std::size_t>(v)][k];
  }

 private:
  const RigidObject* object_;
  std::string owner_;
  SolidDuring solid_;
  MeshContactParams params_;
  std::vector<double> clearance_;  // of each vertex [m]
  SolidAtEnd solid_at_end_;
  std::vector<double> friction_;      // of each vertex when the substep began, 3 each [N]
  std::vector<Vec3d> next_friction_;  // at the present iterate [N]
  std::vector<Vec3d> slid_;           // where to, at the last iterate
  std::vector<double> deepest_;       // of each body [m]
};

}  // namespace

void add_rigid_contact(RigidObject& object, const std::string& owner, SolidDuring solid,
                       const MeshContactParams& params) {
  object.add_constraint(std::make_unique<RigidContact>(object, owner, std::move(solid), params));
}

}  // namespace ymir
