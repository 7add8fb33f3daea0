#include "ymir/objects/mesh_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/data/mesh_values.h"
#include "ymir/objects/mesh_block.h"
#include "ymir/objects/mesh_cells.h"

namespace ymir {

MeshObject::MeshObject(std::string path, int group, GridDomain& domain, const Description& description, SolidMesh mesh)
    : Object(std::move(path), group),
      description_(description),
      mesh_(std::move(mesh)),
      communicator_(&domain.communicator()),
      here_(communicator_->root()),
      mean_edge_(ymir::mean_edge(mesh_)),
      mass_(node_masses(
          mesh_, cell_values(mesh_, "density").value_or(std::vector<double>(mesh_.cell_count(), description.density)))),
      volume_(node_masses(mesh_, std::vector<double>(mesh_.cell_count(), 1))),
      held_(mesh_.positions.size(), 0) {
  // Of a ball with the node's volume: what forces per volume ask for.
  for (const double v : volume_) radius_.push_back(std::cbrt(v * (3 / (4 * M_PI))));
}

void MeshObject::hold(NodeMotion motion) {
  for (const std::int32_t node : motion.nodes) held_[static_cast<std::size_t>(node)] = 1;
  motions_.push_back(std::move(motion));
}

std::int32_t MeshObject::add_inner(std::size_t scalars) {
  const std::size_t first = mesh_.positions.size() + inner_.size();
  inner_.resize(inner_.size() + (scalars + 2) / 3, Vec3d{0, 0, 0});
  held_.resize(mesh_.positions.size() + inner_.size(), 0);
  return static_cast<std::int32_t>(first);
}

std::vector<Vec3d> MeshObject::skin(const std::vector<Vec3d>& nodes) const {
  std::vector<Vec3d> x;
  x.reserve(mesh_.embedded.size());
  for (const CellPoint& at : mesh_.embedded) x.push_back(point_in(mesh_, at, nodes));
  return x;
}

void MeshObject::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  const std::size_t n = position_.size();
  if (n == 0) return;
  std::vector<double> planes(6 * n);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      planes[static_cast<std::size_t>(k) * n + i] = position_[i][k];
      planes[static_cast<std::size_t>(3 + k) * n + i] = velocity_[i][k];
    }
  const double* p = planes.data();
  visit({nullptr,
         0,
         static_cast<int>(n),
         0,
         0,
         {p, p + n, p + 2 * n},
         {p + 3 * n, p + 4 * n, p + 5 * n},
         mass_.data(),
         radius_.data()});
}

void MeshObject::ingest() {
  if (!here_) return;
  position_ = start();
  Vec3d centre{0, 0, 0};
  double whole = 0;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    centre += position_[i] * mass_[i];
    whole += mass_[i];
  }
  velocity_.clear();
  for (const Vec3d& x : position_)
    velocity_.push_back(description_.velocity + cross(description_.spin, x - centre / whole));
  std::vector<BlockMatrix::Elements> elements;
  for (const auto& constraint : constraints_)
    if (const auto list = constraint->elements(); list.nodes_each > 0) elements.push_back(list);
  work_.step.matrix = BlockMatrix(static_cast<std::int32_t>(position_.size() + inner_.size()), elements);
  for (const auto& constraint : constraints_) constraint->connect(work_.step.matrix);
  // Smoothed aggregation knows places in space that hold each other in all directions.
  work_.solver.prepare(work_.step.matrix, cloth() || !inner_.empty() ? LinearSolver::direct : description_.solver);
}

void MeshObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::function<void(const Step&)> run) {
    timeline.add({stage, group(), Role::object, path(), std::move(what), {}, {"*"}, std::move(run)});
  };
  own(Stage::ingest, "take the mesh of the input", [this](const Step&) { ingest(); });
  own(Stage::substep_begin, "fix the state to advance", [this](const Step&) { begin_substep(); });
  for (const NodeMotion& motion : motions_)
    if (motion.prepare)
      own(Stage::boundary_motion, "nodes follow " + motion.owner,
          [&motion](const Step& step) { motion.prepare(step.time, step.time + step.dt); });
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what) {
    timeline.add({stage, group(), Role::action, owner, what + " on " + path(), {"position"}, {"force", "matrix"}, {}});
  };
  for (const PointForce& force : forces_) action(Stage::solid_forces, force.owner, force.what);
  for (const auto& constraint : constraints_) action(Stage::solid_constraints, constraint->owner(), constraint->what());
}

void MeshObject::begin_substep() {
  work_.step.begin = position_;
  work_.step.begin.insert(work_.step.begin.end(), inner_.begin(), inner_.end());
  work_.begin_velocity = velocity_;
  begin_state_ = state_values();
  work_.solver.forget_counts();
}

void MeshObject::take(const MeshStep& step) {
  last_dt_ = step.dt;
  for (std::size_t i = 0; i < position_.size(); ++i) {
    position_[i] = step.position[i];
    velocity_[i] = (step.position[i] - step.begin[i]) / step.dt;
  }
  std::copy(step.position.begin() + static_cast<std::ptrdiff_t>(position_.size()), step.position.end(), inner_.begin());
}

std::vector<SolidObject::Seat> MeshObject::seat(std::span<const std::int64_t> pieces) {
  std::vector<Seat> seats(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (here_ && pieces[p] == 0) seats[p] = {0, 0};
  return seats;
}

std::unique_ptr<SolidBlock> MeshObject::make_block(int) { return std::make_unique<MeshBlock>(*this); }

std::vector<int> MeshObject::lone_blocks() const { return here_ ? std::vector<int>{0} : std::vector<int>{}; }

ObjectReport MeshObject::report() const {
  ObjectReport report;
  for (const Vec3d& v : velocity_) report.speed = std::max(report.speed, norm(v));
  report.courant = report.speed * last_dt_ / mean_edge_;
  for (const auto& constraint : constraints_)
    report.penetration = std::max(report.penetration, constraint->penetration());
  report.cg_iterations = work_.solver.cg_iterations();
  report.direct_solves = work_.solver.direct_solves();
  return report;
}

std::vector<std::span<double>> MeshObject::states() const {
  std::vector<std::span<double>> all;
  for (const auto& constraint : constraints_)
    if (const auto state = constraint->state(); here_ && !state.empty()) all.push_back(state);
  return all;
}

std::vector<double> MeshObject::state_values() const {
  std::vector<double> values;
  for (const auto& state : states()) values.insert(values.end(), state.begin(), state.end());
  return values;
}

void MeshObject::set_state(std::span<const double> values) {
  for (const auto& state : states()) {
    std::copy_n(values.begin(), state.size(), state.begin());
    values = values.subspan(state.size());
  }
}

void MeshObject::save() {
  saved_.position = position_;
  saved_.velocity = velocity_;
  saved_.inner = inner_;
  saved_.state = state_values();
}

void MeshObject::rollback() {
  position_ = saved_.position;
  velocity_ = saved_.velocity;
  inner_ = saved_.inner;
  set_state(saved_.state);
}

std::optional<std::string> MeshObject::non_finite() const {
  for (std::size_t i = 0; i < position_.size(); ++i) {
    if (!is_finite(position_[i])) return "position";
    if (!is_finite(velocity_[i])) return "velocity";
  }
  for (const Vec3d& x : inner_)
    if (!is_finite(x)) return "inner unknowns";
  return std::nullopt;
}

ObjectState MeshObject::frame_state() const {
  std::vector<Vec3f> positions;
  std::vector<Vec3i> triangles;
  if (here_) {
    for (const Vec3d& x : skin(position_)) positions.emplace_back(x);
    for (const auto& t : mesh_.skin.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  }
  ObjectState state{path(), "surface", {}, {}};
  state.channels["position"] = Array::of(positions);
  state.channels["triangles"] = Array::of(triangles);
  return state;
}

ObjectState MeshObject::checkpoint() const {
  ObjectState state{path(), "state", {}, {}};
  state.channels["position"] = Array::of(position_);
  state.channels["velocity"] = Array::of(velocity_);
  state.channels["inner"] = Array::of(here_ ? inner_ : std::vector<Vec3d>{});
  state.channels["constraints"] = Array::of(state_values());
  return state;
}

void MeshObject::restore(const ObjectState* whole) {
  if (whole == nullptr) return;
  const auto bad = [&] {
    return Error(ExitCode::bad_input,
                 "the checkpoint of " + path() + " does not fit this setup; start again in another folder");
  };
  for (const char* name : {"position", "velocity", "inner", "constraints"})
    if (!whole->channels.contains(name)) throw bad();
  const auto x = whole->channels.find("position")->second.as<Vec3d>();
  const auto v = whole->channels.find("velocity")->second.as<Vec3d>();
  const auto inner = whole->channels.find("inner")->second.as<Vec3d>();
  const auto values = whole->channels.find("constraints")->second.as<double>();
  std::size_t size = 0;
  for (const auto& state : states()) size += state.size();
  if (x.size() != position_.size() || v.size() != x.size() || values.size() != size ||
      inner.size() != (here_ ? inner_.size() : 0))
    throw bad();
  std::copy(x.begin(), x.end(), position_.begin());
  std::copy(v.begin(), v.end(), velocity_.begin());
  std::copy(inner.begin(), inner.end(), inner_.begin());
  set_state(values);
}

std::uint64_t MeshObject::hash() const {
  std::uint64_t h = 0;
  const auto add = [&](std::span<const double> values) { h = hash_bytes(std::as_bytes(values), h); };
  for (const auto* vectors : {&position_, &velocity_, &inner_})
    h = hash_bytes(std::as_bytes(std::span<const Vec3d>(*vectors)), h);
  for (const auto& state : states()) add(state);
  // The mesh is on rank 0; the others have nothing to add.
  return static_cast<std::uint64_t>(communicator_->sum(here_ ? static_cast<std::int64_t>(h) : 0));
}

}  // namespace ymir
