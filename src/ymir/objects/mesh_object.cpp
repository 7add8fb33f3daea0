#include "ymir/objects/mesh_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/log.h"
#include "ymir/data/mesh_values.h"
#include "ymir/objects/mesh_block.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/objects/surface_channels.h"
#include "ymir/objects/whole_state.h"
#include "ymir/parallel/bytes.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

MeshObject::MeshObject(std::string path, int group, GridDomain& domain, const Description& description, SolidMesh mesh)
    : Object(std::move(path), group),
      description_(description),
      mesh_(std::move(mesh)),
      communicator_(&domain.communicator()),
      owner_(domain.place_whole(static_cast<double>(mesh_.positions.size()))),
      here_(communicator_->rank() == owner_),
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
  if (!here_ || n == 0) return;
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

bool MeshObject::keep_on(int rank) {
  owner_ = rank;
  here_ = communicator_->rank() == rank;
  return kept_ = true;
}

// Why ranks cannot share it, or "".
std::string MeshObject::why_whole() const {
  if (kept_) return "it touches others (`collision`, or a collider with `response: exact`)";
  if (description_.solver == LinearSolver::direct) return "its `solver:` is direct";
  if (const SolidObject* other = system() == nullptr ? nullptr : system()->larger(*this))
    return fmt::format("it is attached to {}, which is no smaller", other->name());
  for (const auto& constraint : constraints_)
    if (!constraint->divisible()) return fmt::format("of {} ({})", constraint->owner(), constraint->what());
  return "";
}

void MeshObject::divide() {
  constexpr std::size_t many_nodes = 20000;  // from which on ranks gain from it
  const bool wanted = description_.ranks == MeshRanks::all ||
                      (description_.ranks == MeshRanks::automatic && mesh_.positions.size() >= many_nodes);
  if (communicator_->size() == 1 || !wanted || cloth()) return;
  if (const std::string reason = why_whole(); !reason.empty()) {
    if (communicator_->root())
      log::warn(
          fmt::format("{}: one rank has all of its {} nodes, because {}", path(), mesh_.positions.size(), reason));
    return;
  }
  share_ = std::make_unique<MeshShare>(share_among(*communicator_, owner_, mesh_));
  for (const auto& constraint : constraints_) constraint->restrict_to(share_->cells);
  const auto own = static_cast<std::int64_t>(share_->nodes().size());
  const std::int64_t fewest = communicator_->min(own), most = communicator_->max(own),
                     cells = communicator_->sum(static_cast<std::int64_t>(share_->cells.size()));
  if (communicator_->root())
    log::info(fmt::format("{}: {} ranks share its {} nodes, {} to {} each; {} cells are gone through instead of {}",
                          path(), communicator_->size(), mesh_.positions.size(), fewest, most, cells,
                          mesh_.cell_count()));
}

void MeshObject::ingest() {
  divide();
  if (!works()) return;
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
  work_.solver.prepare(work_.step.matrix, cloth() || !inner_.empty() ? LinearSolver::direct : description_.solver,
                       share_.get());
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
  begin_state_ = kept().values();
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

// What constraints remember of cells is known to the ranks that have them; afterwards to all.
void MeshObject::share_outcome() {
  if (!share_) return;
  struct Change {
    std::size_t index;
    double value;
  };
  std::vector<double> now = kept().values();
  std::vector<Change> changes;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] != begin_state_[i]) changes.push_back({i, now[i]});
  for (const Bytes& bytes : communicator_->all_gather(std::as_bytes(std::span<const Change>(changes))))
    for (const Change& change : from_bytes<Change>(bytes)) now[change.index] = change.value;
  kept().set(now);
}

std::vector<SolidObject::Seat> MeshObject::seat(std::span<const std::int64_t> pieces) {
  std::vector<Seat> seats(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (here_ && pieces[p] == 0) seats[p] = {0, 0};
  return seats;
}

std::unique_ptr<SolidBlock> MeshObject::make_block(int) { return std::make_unique<MeshBlock>(*this); }

std::vector<int> MeshObject::lone_blocks() const { return here_ ? std::vector<int>{0} : std::vector<int>{}; }

double MeshObject::step_limit() const {
  double speed = 0, volume = 0;
  for (const Vec3d& v : velocity_) speed = std::max(speed, norm(v));
  for (const double v : volume_) volume += v;
  const double size = cloth() ? 4 * mean_edge_ : std::cbrt(volume);
  return communicator_->min(speed > 0 ? size / speed : std::numeric_limits<double>::infinity());
}

ObjectReport MeshObject::report() const {
  ObjectReport report;
  for (const auto& constraint : constraints_)
    report.penetration = std::max(report.penetration, constraint->penetration());
  if (!here_) return report;
  for (const Vec3d& v : velocity_) report.speed = std::max(report.speed, norm(v));
  report.courant = report.speed * last_dt_ / mean_edge_;
  if (!position_.empty())
    report.stretch = largest_stretch(mesh_.skin.triangles, skin(mesh_.positions), skin(position_));
  report.crushed = static_cast<double>(crushed_cells(mesh_, position_));
  report.cg_iterations = work_.solver.cg_iterations();
  report.direct_solves = work_.solver.direct_solves();
  return report;
}

void MeshObject::save() {
  saved_.position = position_;
  saved_.velocity = velocity_;
  saved_.inner = inner_;
  saved_.state = kept().values();
}

void MeshObject::rollback() {
  position_ = saved_.position;
  velocity_ = saved_.velocity;
  inner_ = saved_.inner;
  kept().set(saved_.state);
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

std::vector<Channel> MeshObject::list(MeshObject* mesh) {
  std::vector<Channel> all =
      surface_channels({[=] { return mesh->here_ ? mesh->skin(mesh->position_) : std::vector<Vec3d>{}; },
                        [=] { return mesh->here_ ? &mesh->mesh_.skin.triangles : nullptr; },
                        [=] { return mesh->here_ ? mesh->skin(mesh->velocity_) : std::vector<Vec3d>{}; },
                        [=] { return mesh->skin(mesh->mesh_.positions); }});
  // Other ranks may know it too, but one speaks.
  const auto add = [&](ChannelInfo info, std::vector<Vec3d> MeshObject::*values) {
    all.push_back(stored(std::move(info), mesh, values));
    all.back().read = [=] { return Array::of(mesh->here_ ? mesh->*values : std::vector<Vec3d>{}); };
  };
  add(described<Vec3d>("position", Place::vertex, "m", "Where the nodes are.", Use::kept), &MeshObject::position_);
  add(described<Vec3d>("velocity", Place::vertex, "m/s", "Of the nodes.", Use::kept), &MeshObject::velocity_);
  add(described<Vec3d>("inner", Place::object, "m",
                       "Unknowns that are no place in space, such as turns of edges, as lengths.", Use::kept),
      &MeshObject::inner_);
  all.push_back(constraint_channel([=] { return ConstraintState(mesh->constraints_, mesh->here_); }));
  all.push_back({described<double>("density", Place::element, "kg/m^3", "Of the material of a cell.", Use::writable),
                 {},
                 {},
                 {}});
  return all;
}

void MeshObject::restore(const ObjectState* whole) {
  if (const auto state = brought_to(owner_, whole, *communicator_)) Object::restore(&*state);
  if (!share_) return;
  const auto bring = [&]<class T>(std::vector<T> values) {
    Bytes bytes = to_bytes(values);
    communicator_->broadcast(bytes, owner_);
    return from_bytes<T>(bytes);
  };
  position_ = bring(position_);
  velocity_ = bring(velocity_);
  kept().set(bring(kept().values()));
}

std::uint64_t MeshObject::hash() const {
  // Ranks that do not have the mesh have nothing to add.
  return static_cast<std::uint64_t>(communicator_->sum(here_ ? static_cast<std::int64_t>(hash_kept()) : 0));
}

}  // namespace ymir
