#include "ymir/actions/rigid_points.h"

#include <algorithm>

namespace ymir {
namespace {

class RigidPoints final : public RigidConstraint, public ForceTarget {
 public:
  RigidPoints(RigidObject& object, std::string owner, std::string what,
              const std::vector<std::vector<RigidPointPlace>>& points, PanelPlanes::Of kind)
      : object_(&object), owner_(std::move(owner)), what_(std::move(what)), kind_(kind), first_{0}, planes_(0) {
    for (const auto& of_body : points) {
      at_.insert(at_.end(), of_body.begin(), of_body.end());
      first_.push_back(at_.size());
    }
    planes_ = PanelPlanes(at_.size(), kind);
    for (std::size_t i = 0; i < at_.size(); ++i) planes_.set_mass(i, at_[i].mass);
  }

  std::string owner() const override { return owner_; }
  std::string what() const override { return what_; }

  void prepare(double begin, double end) override {
    samples_.resize(forces_.size());
    for (auto& samples : samples_) samples.resize(3 * at_.size());
    for (std::size_t b = 0; b < object_->poses().size(); ++b) {
      place(planes_, b, object_->poses()[b]);
      const PointBlock block =
          planes_.block(static_cast<int>(b), first_[b], first_[b], first_[b + 1], end, end - begin);
      for (std::size_t k = 0; k < forces_.size(); ++k)
        if (forces_[k].sample) forces_[k].sample(block, sampled(k, first_[b]));
    }
  }

  void assemble(RigidStep& s) override {
    const auto body = static_cast<std::size_t>(s.body);
    const std::size_t first = first_[body], last = first_[body + 1];
    const Vec3d velocity = (s.position - s.begin_position) / s.dt;
    const Vec3d spin = quaternion_log(s.rotation * conjugate(s.begin_rotation)) / s.dt;
    for (std::size_t i = first; i < last; ++i)
      planes_.set_velocity(i, velocity + cross(spin, rotate(s.rotation, at_[i].centre)));
    const PointBlock block = planes_.block(s.body, first, first, last, s.time, s.dt);
    const ForceBlock out = planes_.cleared_forces(first, last);
    for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k].accumulate(block, sampled(k, first), out);
    for (std::size_t i = first; i < last; ++i) {
      Mat3d k;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) k(r, c) = planes_.stiffness(i, r, c) / s.dt;
      s.add(s.point(at_[i].centre), -planes_.force_on(i), k);
    }
  }

  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void solve_every_iteration() override { object_->solve_every_iteration(); }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override {
    if (object_->poses().empty()) return;
    PanelPlanes now = planes_;
    for (std::size_t b = 0; b < object_->poses().size(); ++b) {
      const RigidPose& pose = object_->poses()[b];
      const Vec3d spin = object_->angular_velocity(b);
      place(now, b, pose);
      for (std::size_t i = first_[b]; i < first_[b + 1]; ++i)
        now.set_velocity(i, pose.velocity + cross(spin, rotate(pose.rotation, at_[i].centre)));
      visit(now.block(static_cast<int>(b), first_[b], first_[b], first_[b + 1], 0, 0));
    }
  }
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }

 private:
  void place(PanelPlanes& planes, std::size_t body, const RigidPose& pose) const {
    for (std::size_t i = first_[body]; i < first_[body + 1]; ++i)
      if (kind_ == PanelPlanes::Of::surface)
        planes.place(i, pose.position + rotate(pose.rotation, at_[i].centre), rotate(pose.rotation, at_[i].area));
      else
        planes.place_ball(i, pose.position + rotate(pose.rotation, at_[i].centre), at_[i].volume);
  }
  Planes<Vec3d>::Type sampled(std::size_t force, std::size_t first) {
    double* p = samples_[force].data();
    return {p + first, p + at_.size() + first, p + 2 * at_.size() + first};
  }

  RigidObject* object_;
  std::string owner_, what_;
  PanelPlanes::Of kind_;
  std::vector<std::size_t> first_;  // point of each body
  std::vector<RigidPointPlace> at_;
  PanelPlanes planes_;
  std::vector<PointForce> forces_;
  std::vector<std::vector<double>> samples_;  // of each force
};

}  // namespace

ForceTarget& add_rigid_points(RigidObject& object, const std::string& owner, const std::string& what,
                              const std::vector<std::vector<RigidPointPlace>>& points, PanelPlanes::Of kind) {
  auto added = std::make_unique<RigidPoints>(object, owner, what, points, kind);
  ForceTarget& target = *added;
  object.add_constraint(std::move(added));
  return target;
}

}  // namespace ymir
