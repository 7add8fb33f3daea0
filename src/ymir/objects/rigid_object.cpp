#include "ymir/objects/rigid_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/math/quaternion_from_matrix.h"
#include "ymir/objects/rigid_block.h"
#include "ymir/objects/surface_channels.h"
#include "ymir/objects/whole_state.h"
#include "ymir/physics/rigid/inertia.h"

namespace ymir {
namespace {

// The vertices of every connected part, parts in the order of their first vertex; vertices without a triangle are none.
std::vector<std::vector<std::int32_t>> parts_of(const Surface& surface) {
  std::vector<std::int32_t> parent(surface.positions.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](std::int32_t a) {
    while (parent[static_cast<std::size_t>(a)] != a) {
      std::int32_t& above = parent[static_cast<std::size_t>(a)];
      above = parent[static_cast<std::size_t>(above)];
      a = above;
    }
    return a;
  };
  std::vector<std::uint8_t> used(parent.size(), 0);
  for (const auto& t : surface.triangles)
    for (const std::int32_t v : t) {
      used[static_cast<std::size_t>(v)] = 1;
      const std::int32_t a = find(t[0]), b = find(v);
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::vector<std::vector<std::int32_t>> parts;
  std::vector<std::int32_t> part_of(parent.size(), -1);
  for (std::int32_t v = 0; v < std::ssize(parent); ++v) {
    if (used[static_cast<std::size_t>(v)] == 0) continue;
    std::int32_t& part = part_of[static_cast<std::size_t>(find(v))];
    if (part < 0) {
      part = static_cast<std::int32_t>(parts.size());
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(part)].push_back(v);
  }
  return parts;
}

}  // namespace

RigidObject::RigidObject(std::string path, int group, GridDomain& domain, const Description& description,
                         Surface surface)
    : Object(std::move(path), group),
      description_(description),
      surface_(std::move(surface)),
      communicator_(&domain.communicator()),
      owner_(domain.place_whole(static_cast<double>(surface_.positions.size()))),
      here_(communicator_->rank() == owner_) {
  const auto parts = parts_of(surface_);
  std::vector<std::int32_t> part_of(surface_.positions.size(), -1);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const std::int32_t v : parts[p]) part_of[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(p);
  std::vector<std::vector<Vec3i>> triangles(parts.size());
  for (const auto& t : surface_.triangles)
    triangles[static_cast<std::size_t>(part_of[static_cast<std::size_t>(t[0])])].emplace_back(t[0], t[1], t[2]);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    // Moments about the first vertex of the part; x[0] of the whole may be far from it.
    std::vector<Vec3d> x;
    std::vector<std::int32_t> number(surface_.positions.size());
    for (const std::int32_t v : parts[p]) {
      number[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(x.size());
      x.push_back(surface_.positions[static_cast<std::size_t>(v)]);
    }
    for (Vec3i& t : triangles[p])
      for (int k = 0; k < 3; ++k) t[k] = number[static_cast<std::size_t>(t[k])];
    const MassProperties m = mass_properties(x, triangles[p], description.density);
    const PrincipalInertia principal = principal_inertia(m.covariance);
    const Vec3d box = bounds(x).size();
    if (m.mass < 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: part {} of the surface is inside out, or a cavity; turn its triangles "
                              "counter-clockwise seen from outside, or leave it out",
                              this->path(), p));
    // A flat or open part has no volume worth the name; roots of moments that are not positive would be no number.
    if (!(m.mass > 1e-9 * description.density * std::pow(norm(box), 3)) || !(principal.spread.z > 0))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: part {} of the surface encloses no volume; close it, and turn its triangles "
                              "counter-clockwise seen from outside",
                              this->path(), p));
    RigidBody& body =
        bodies_.emplace_back(RigidBody{m.mass, norm(box) / 2, principal.spread, principal.moments, parts[p], {}, {}});
    for (const Vec3i& t : triangles[p]) body.triangles.push_back({t.x, t.y, t.z});
    RigidPose& pose = rest_.emplace_back();
    pose.position = m.centre;
    pose.rotation = quaternion_from_matrix(principal.axes);
    pose.velocity = description.velocity;
    for (const Vec3d& at : x) body.points.push_back(rotate(conjugate(pose.rotation), at - m.centre));
    const Vec3d w = rotate(conjugate(pose.rotation), description.spin);
    pose.momentum = rotate(pose.rotation, {w.x * body.moments.x, w.y * body.moments.y, w.z * body.moments.z});
  }
}

MaterialPoint RigidObject::point_at(std::size_t body, Vec3d x) {
  const RigidPose& pose = rest_[body];
  return {this, static_cast<std::int64_t>(body), 0, rotate(conjugate(pose.rotation), x - pose.position)};
}

Vec3d RigidObject::angular_velocity(std::size_t body) const {
  const Vec3d m = rotate(conjugate(poses_[body].rotation), poses_[body].momentum), i = bodies_[body].moments;
  return rotate(poses_[body].rotation, {m.x / i.x, m.y / i.y, m.z / i.z});
}

void RigidObject::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const MassPoints points(bodies_[b], poses_[b].position, poses_[b].rotation, poses_[b].velocity,
                            angular_velocity(b));
    visit(points.block(static_cast<int>(b), 0, 0));
  }
}

void RigidObject::ingest() {
  if (here_) poses_ = rest_;
}

void RigidObject::begin_substep(const Step& step) {
  begin_ = poses_;
  begin_values_ = kept().values();
  last_dt_ = step.dt;
  for (const auto& constraint : constraints_) constraint->prepare(step.time, step.time + step.dt);
}

void RigidObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::function<void(const Step&)> run) {
    timeline.add({stage, group(), Role::object, path(), std::move(what), {}, {"*"}, std::move(run)});
  };
  own(Stage::ingest, "take the bodies of the input", [this](const Step&) { ingest(); });
  own(Stage::substep_begin, "fix the state to advance", [this](const Step& step) { begin_substep(step); });
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what) {
    timeline.add({stage, group(), Role::action, owner, what + " on " + path(), {"position"}, {"force", "matrix"}, {}});
  };
  for (const PointForce& force : forces_) action(Stage::solid_forces, force.owner, force.what);
  for (const auto& constraint : constraints_) action(Stage::solid_constraints, constraint->owner(), constraint->what());
}

std::vector<SolidObject::Seat> RigidObject::seat(std::span<const std::int64_t> pieces) {
  std::vector<Seat> seats(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (here_ && pieces[p] >= 0 && pieces[p] < std::ssize(bodies_)) seats[p] = {static_cast<int>(pieces[p]), 0};
  return seats;
}

std::unique_ptr<SolidBlock> RigidObject::make_block(int block) {
  return std::make_unique<RigidBlock>(*this, static_cast<std::size_t>(block));
}

std::vector<int> RigidObject::lone_blocks() const {
  std::vector<int> all(here_ ? bodies_.size() : 0);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double RigidObject::step_limit() const {
  double limit = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const double speed = norm(poses_[b].velocity) + norm(angular_velocity(b)) * bodies_[b].size;
    if (speed > 0) limit = std::min(limit, bodies_[b].size / speed);
  }
  return communicator_->min(limit);
}

ObjectReport RigidObject::report() const {
  ObjectReport report;
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const double speed = norm(poses_[b].velocity) + norm(angular_velocity(b)) * bodies_[b].size;
    report.speed = std::max(report.speed, speed);
    report.courant = std::max(report.courant, speed * last_dt_ / bodies_[b].size);
  }
  for (const auto& constraint : constraints_)
    report.penetration = std::max(report.penetration, constraint->penetration());
  return report;
}

void RigidObject::save() {
  saved_.poses = poses_;
  saved_.state = kept().values();
}

void RigidObject::rollback() {
  poses_ = saved_.poses;
  kept().set(saved_.state);
}

std::optional<std::string> RigidObject::non_finite() const {
  for (const RigidPose& p : poses_) {
    if (!is_finite(p.position) || !is_finite(p.rotation.v) || !std::isfinite(p.rotation.w)) return "position";
    if (!is_finite(p.velocity) || !is_finite(p.momentum)) return "velocity";
  }
  return std::nullopt;
}

Box RigidObject::extent() const {
  Box box;
  for (const RigidPose& p : poses_) box.include(p.position);
  return box;
}

std::vector<Vec3d> RigidObject::surface_now() const {
  if (!here_) return {};
  std::vector<Vec3d> positions(surface_.positions.size());
  for (std::size_t b = 0; b < poses_.size(); ++b)
    for (std::size_t k = 0; k < bodies_[b].vertices.size(); ++k)
      positions[static_cast<std::size_t>(bodies_[b].vertices[k])] =
          poses_[b].position + rotate(poses_[b].rotation, bodies_[b].points[k]);
  return positions;
}

std::vector<Vec3d> RigidObject::surface_velocities() const {
  if (!here_) return {};
  std::vector<Vec3d> velocities(surface_.positions.size());
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const Vec3d spin = angular_velocity(b);
    for (std::size_t k = 0; k < bodies_[b].vertices.size(); ++k)
      velocities[static_cast<std::size_t>(bodies_[b].vertices[k])] =
          poses_[b].velocity + cross(spin, rotate(poses_[b].rotation, bodies_[b].points[k]));
  }
  return velocities;
}

std::vector<Channel> RigidObject::list(RigidObject* bodies) {
  std::vector<Channel> all = surface_channels({[=] { return bodies->surface_now(); },
                                               [=] { return bodies->here_ ? &bodies->surface_.triangles : nullptr; },
                                               [=] { return bodies->surface_velocities(); }});
  // One value per body, of its pose.
  const auto add = [&]<class Get>(const char* name, const char* unit, const char* doc, Get get) {
    using T = std::remove_cvref_t<std::invoke_result_t<Get, RigidPose&>>;
    all.push_back({described<T>(name, Place::element, unit, doc, Use::kept),
                   [=] {
                     std::vector<T> values;
                     for (RigidPose& pose : bodies->poses_) values.push_back(get(pose));
                     return Array::of(values);
                   },
                   [=](const Array& from) {
                     if (from.count() != bodies->poses_.size()) return false;
                     for (std::size_t b = 0; b < from.count(); ++b) get(bodies->poses_[b]) = from.as<T>()[b];
                     return true;
                   },
                   {}});
  };
  add("position", "m", "Centre of mass.", [](RigidPose& p) -> Vec3d& { return p.position; });
  add("rotation", "", "Vector of the quaternion of the principal axes.",
      [](RigidPose& p) -> Vec3d& { return p.rotation.v; });
  add("rotation_w", "", "Its scalar.", [](RigidPose& p) -> double& { return p.rotation.w; });
  add("velocity", "m/s", "Of the centre of mass.", [](RigidPose& p) -> Vec3d& { return p.velocity; });
  add("momentum", "kg m^2/s", "Angular, about the centre of mass.", [](RigidPose& p) -> Vec3d& { return p.momentum; });
  all.push_back(constraint_channel([=] { return bodies->kept(); }));
  return all;
}

// Body by body, not channel by channel.
void RigidObject::restore(const ObjectState* whole) {
  if (const auto state = brought_to(owner_, whole, *communicator_)) Object::restore(&*state);
}

std::uint64_t RigidObject::hash() const {
  std::uint64_t h = 0;
  for (const RigidPose& p : poses_) {
    const double all[] = {p.position.x,   p.position.y,   p.position.z, p.rotation.w, p.rotation.v.x,
                          p.rotation.v.y, p.rotation.v.z, p.velocity.x, p.velocity.y, p.velocity.z,
                          p.momentum.x,   p.momentum.y,   p.momentum.z};
    h = hash_bytes(std::as_bytes(std::span<const double>(all)), h);
  }
  h = kept().hash(h);
  // Ranks that do not have the bodies have nothing to add.
  return static_cast<std::uint64_t>(communicator_->sum(here_ ? static_cast<std::int64_t>(h) : 0));
}

}  // namespace ymir
