// Panels of the surface of rigid bodies.
#include <algorithm>

#include "ymir/actions/panel_planes.h"
#include "ymir/actions/surface_panels.h"

namespace ymir {
namespace {

class RigidPanels final : public RigidConstraint, public ForceTarget {
 public:
  RigidPanels(RigidObject& object, std::string owner, std::string what, double longest)
      : object_(&object), owner_(std::move(owner)), what_(std::move(what)), first_{0}, planes_(0) {
    std::vector<double> mass;
    for (const RigidBody& body : object.bodies()) {
      double whole = 0;
      for (const Panel& panel : cut_into_panels(body.points, body.triangles, std::min(longest, body.size / 4))) {
        const auto& t = body.triangles[static_cast<std::size_t>(panel.triangle)];
        const Vec3d a = body.points[static_cast<std::size_t>(t[0])], b = body.points[static_cast<std::size_t>(t[1])],
                    c = body.points[static_cast<std::size_t>(t[2])];
        const Vec3d at = panel.barycentric;
        centre_.push_back(a * at.x + b * at.y + c * at.z);
        area_.push_back(cross(b - a, c - a) * (0.25 * panel.share));
        whole += norm(area_.back());
      }
      for (std::size_t i = first_.back(); i < area_.size(); ++i) mass.push_back(body.mass * norm(area_[i]) / whole);
      first_.push_back(area_.size());
    }
    planes_ = PanelPlanes(area_.size());
    for (std::size_t i = 0; i < mass.size(); ++i) planes_.set_mass(i, mass[i]);
  }

  std::string owner() const override { return owner_; }
  std::string what() const override { return what_; }

  void prepare(double begin, double end) override {
    samples_.resize(forces_.size());
    for (auto& samples : samples_) samples.resize(3 * area_.size());
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
      planes_.set_velocity(i, velocity + cross(spin, rotate(s.rotation, centre_[i])));
    const PointBlock block = planes_.block(s.body, first, first, last, s.time, s.dt);
    const ForceBlock out = planes_.cleared_forces(first, last);
    for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k].accumulate(block, sampled(k, first), out);
    for (std::size_t i = first; i < last; ++i) {
      Mat3d k;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) k(r, c) = planes_.stiffness(i, r, c) / s.dt;
      s.add(s.point(centre_[i]), -planes_.force_on(i), k);
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
        now.set_velocity(i, pose.velocity + cross(spin, rotate(pose.rotation, centre_[i])));
      visit(now.block(static_cast<int>(b), first_[b], first_[b], first_[b + 1], 0, 0));
    }
  }
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }

 private:
  void place(PanelPlanes& planes, std::size_t body, const RigidPose& pose) const {
    for (std::size_t i = first_[body]; i < first_[body + 1]; ++i)
      planes.place(i, pose.position + rotate(pose.rotation, centre_[i]), rotate(pose.rotation, area_[i]));
  }
  Planes<Vec3d>::Type sampled(std::size_t force, std::size_t first) {
    double* p = samples_[force].data();
    return {p + first, p + area_.size() + first, p + 2 * area_.size() + first};
  }

  RigidObject* object_;
  std::string owner_, what_;
  std::vector<std::size_t> first_;    // panel of each body
  std::vector<Vec3d> centre_, area_;  // in the axes of the body [m], [m^2]
  PanelPlanes planes_;
  std::vector<PointForce> forces_;
  std::vector<std::vector<double>> samples_;  // of each force
};

}  // namespace

ForceTarget& add_panels(RigidObject& object, const std::string& owner, const std::string& what, double longest) {
  auto panels = std::make_unique<RigidPanels>(object, owner, what, longest);
  ForceTarget& target = *panels;
  object.add_constraint(std::move(panels));
  return target;
}

}  // namespace ymir
