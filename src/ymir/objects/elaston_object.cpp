#include "ymir/objects/elaston_object.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ymir/objects/elaston_block.h"
#include "ymir/objects/surface_channels.h"
#include "ymir/objects/whole_state.h"

namespace ymir {

void ElastonObject::Weights::add(const ElastonPoint& point, double unit) {
  for (std::size_t k = 0; k < point.nodes.size(); ++k) {
    const double* v = point.shapes[k].value;
    nodes.push_back(point.nodes[k]);
    of_slots.push_back({v[0], v[1] / unit, v[2] / unit, v[3] / unit});
  }
  first.push_back(nodes.size());
}

Vec3d ElastonObject::Weights::at(std::size_t k, const std::vector<Vec3d>& slots) const {
  Vec3d sum{0, 0, 0};
  for (std::size_t n = first[k]; n < first[k + 1]; ++n)
    for (std::size_t s = 0; s < 4; ++s) sum += slots[4 * static_cast<std::size_t>(nodes[n]) + s] * of_slots[n][s];
  return sum;
}

ElastonObject::ElastonObject(std::string path, int group, GridDomain& domain, const Description& description,
                             ElastonCloud cloud)
    : Object(std::move(path), group),
      description_(description),
      cloud_(std::move(cloud)),
      communicator_(&domain.communicator()),
      owner_(domain.place_whole(static_cast<double>(cloud_.elastons.size()))),
      here_(communicator_->rank() == owner_) {
  const std::vector<ElastonCloud::Piece> starts = cloud_.sort_pieces();
  for (const ElastonSample& e : cloud_.elastons) {
    mass_.push_back(description.material.density * e.volume);
    radius_.push_back(std::cbrt(e.volume * (3 / (4 * M_PI))));
  }
  reach_.emplace(cloud_);
  skin_pieces_.resize(starts.size() - 1);
  for (std::size_t t = 0; t < cloud_.skin.triangles.size(); ++t) {
    const std::int32_t node = cloud_.skin_nodes[static_cast<std::size_t>(cloud_.skin.triangles[t][0])];
    const auto next =
        std::upper_bound(starts.begin(), starts.end(), node,
                         [](std::int32_t i, const ElastonCloud::Piece& piece) { return i < piece.nodes; });
    skin_pieces_[static_cast<std::size_t>(next - starts.begin() - 1)].push_back(static_cast<std::int32_t>(t));
  }
  if (!here_) return;
  const auto count = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
    ElastonPiece& piece = pieces_.emplace_back();
    piece.first_node = count(starts[p].nodes);
    piece.first_elaston = count(starts[p].elastons);
    piece.first_held = count(starts[p].held);
    piece.first_part = count(starts[p].parts);
    piece.nodes = count(starts[p + 1].nodes) - piece.first_node;
    piece.elastons = count(starts[p + 1].elastons) - piece.first_elaston;
    piece.held = count(starts[p + 1].held) - piece.first_held;
    piece.parts = count(starts[p + 1].parts) - piece.first_part;
    std::vector<ElastonPoint> points;
    std::vector<Mat3d> axes;
    for (std::size_t k = 0; k < piece.elastons; ++k) {
      const ElastonSample& e = cloud_.elastons[piece.first_elaston + k];
      points.push_back(reach_->at(e.centre, e.node));
      axes.push_back(e.axes);
      centre_weights_.add(points.back(), unit());
    }
    for (std::size_t k = 0; k < piece.held; ++k) {
      const ElastonCloud::Held& held = cloud_.held[piece.first_held + k];
      points.push_back(reach_->at(held.at, held.node));
      axes.push_back(identity3());
    }
    piece.elements = ElastonElements(points, axes, starts[p].nodes, static_cast<std::int32_t>(piece.nodes), unit());
  }
  for (std::size_t v = 0; v < cloud_.skin.positions.size(); ++v)
    skin_weights_.add(reach_->at(cloud_.skin.positions[v], cloud_.skin_nodes[v]), unit());
}

ElastonObject::FieldValue ElastonObject::field_at(const std::vector<Vec3d>& slots, Vec3d x, std::int32_t near) const {
  const ElastonPoint point = reach_->at(x, near);
  FieldValue field;
  for (std::size_t k = 0; k < point.nodes.size(); ++k)
    for (std::size_t s = 0; s < 4; ++s) {
      const Vec3d q = slots[4 * static_cast<std::size_t>(point.nodes[k]) + s] / (s == 0 ? 1 : unit());
      field.value += q * point.shapes[k].value[s];
      field.gradient += outer(q, point.shapes[k].first[s]);
    }
  return field;
}

std::vector<Vec3d> ElastonObject::centres(const std::vector<Vec3d>& slots) const {
  std::vector<Vec3d> x;
  for (std::size_t e = 0; e + 1 < centre_weights_.first.size(); ++e) x.push_back(centre_weights_.at(e, slots));
  return x;
}

PointField<double> ElastonObject::drag_coefficients(double coefficient) {
  std::vector<double> values;
  for (std::size_t e = 0; e < radius_.size(); ++e)
    values.push_back(coefficient * cloud_.elastons[e].area / (M_PI * radius_[e] * radius_[e]));
  return [this, values = std::move(values)](const PointBlock& block) {
    return values.data() + pieces_[static_cast<std::size_t>(block.bucket)].first_elaston + block.first;
  };
}

void ElastonObject::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  if (position_.empty()) return;
  const std::vector<Vec3d> x = centres(position_), v = centres(velocity_);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const std::size_t n = pieces_[p].elastons, first = pieces_[p].first_elaston;
    if (n == 0) continue;
    std::vector<double> planes(6 * n);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        planes[static_cast<std::size_t>(k) * n + i] = x[first + i][k];
        planes[static_cast<std::size_t>(3 + k) * n + i] = v[first + i][k];
      }
    const double* at = planes.data();
    visit({nullptr,
           static_cast<int>(p),
           static_cast<int>(n),
           0,
           0,
           {at, at + n, at + 2 * n},
           {at + 3 * n, at + 4 * n, at + 5 * n},
           mass_.data() + first,
           radius_.data() + first});
  }
}

void ElastonObject::ingest() {
  if (!here_) return;
  position_ = rest_slots();
  velocity_.assign(position_.size(), Vec3d{0, 0, 0});
  for (std::size_t i = 0; i < velocity_.size(); i += 4) velocity_[i] = description_.velocity;
  for (ElastonPiece& piece : pieces_) {
    piece.matrix = piece.elements.pattern();
    piece.elements.connect(piece.matrix);
    piece.solver.analyze(piece.matrix);
  }
}

void ElastonObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::function<void(const Step&)> run) {
    timeline.add({stage, group(), Role::object, path(), std::move(what), {}, {"*"}, std::move(run)});
  };
  own(Stage::ingest, "take the plants of the input", [this](const Step&) { ingest(); });
  own(Stage::substep_begin, "fix the state to advance", [this](const Step& step) { begin_substep(step); });
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what) {
    timeline.add({stage, group(), Role::action, owner, what + " on " + path(), {"position"}, {"force", "matrix"}, {}});
  };
  for (const PointForce& force : forces_) action(Stage::solid_forces, force.owner, force.what);
  action(Stage::solid_constraints, path(), "elasticity of elastons");
  for (const auto& constraint : constraints_) action(Stage::solid_constraints, constraint->owner(), constraint->what());
}

void ElastonObject::begin_substep(const Step& step) {
  last_dt_ = step.dt;
  if (!here_) return;
  for (ElastonPiece& piece : pieces_) {
    const auto first = static_cast<std::ptrdiff_t>(4 * piece.first_node),
               end = first + static_cast<std::ptrdiff_t>(4 * piece.nodes);
    piece.begin.assign(position_.begin() + first, position_.begin() + end);
    piece.begin_velocity.assign(velocity_.begin() + first, velocity_.begin() + end);
  }
  for (const auto& constraint : constraints_) constraint->prepare(step.time, step.time + step.dt);
}

void ElastonObject::take(const ElastonPiece& piece, double dt) {
  for (std::size_t i = 0; i < piece.position.size(); ++i) {
    position_[4 * piece.first_node + i] = piece.position[i];
    velocity_[4 * piece.first_node + i] = (piece.position[i] - piece.begin[i]) / dt;
  }
}

std::unique_ptr<SolidBlock> ElastonObject::make_block(int block) {
  return std::make_unique<ElastonBlock>(*this, static_cast<std::size_t>(block));
}

std::vector<int> ElastonObject::lone_blocks() const {
  std::vector<int> all(pieces_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

ObjectReport ElastonObject::report() const {
  ObjectReport report;
  for (std::size_t i = 0; i < velocity_.size(); i += 4) report.speed = std::max(report.speed, norm(velocity_[i]));
  report.courant = report.speed * last_dt_ / unit();
  for (const auto& constraint : constraints_)
    report.penetration = std::max(report.penetration, constraint->penetration());
  return report;
}

void ElastonObject::save() { saved_ = {position_, velocity_, kept().values()}; }

void ElastonObject::rollback() {
  position_ = saved_.position;
  velocity_ = saved_.velocity;
  restart();
}

std::optional<std::string> ElastonObject::non_finite() const {
  for (std::size_t i = 0; i < position_.size(); ++i) {
    if (!is_finite(position_[i])) return i % 4 == 0 ? "position" : "gradient";
    if (!is_finite(velocity_[i])) return "velocity";
  }
  return std::nullopt;
}

Box ElastonObject::extent() const {
  Box box;
  for (std::size_t i = 0; i < position_.size(); i += 4) box.include(position_[i]);
  return box;
}

std::vector<Channel> ElastonObject::list(ElastonObject* plants) {
  const auto skin = [=] { return plants->skin_now(); };
  std::vector<Channel> all =
      surface_channels({skin, [=] { return plants->here_ ? &plants->cloud_.skin.triangles : nullptr; }});
  all.push_back(stored(described<Vec3d>("position", Place::vertex, "m",
                                        "Of nodes, four each: place, and the columns of the gradient times the "
                                        "spacing.",
                                        Use::kept),
                       plants, &ElastonObject::position_));
  all.push_back(stored(described<Vec3d>("velocity", Place::vertex, "m/s", "The same by time.", Use::kept), plants,
                       &ElastonObject::velocity_));
  all.push_back(constraint_channel([=] { return plants->kept(); }));
  return all;
}

void ElastonObject::restore(const ObjectState* whole) {
  if (const auto state = brought_to(owner_, whole, *communicator_)) Object::restore(&*state);
}

std::uint64_t ElastonObject::hash() const {
  // Ranks that do not have the plants have nothing to add.
  return static_cast<std::uint64_t>(communicator_->sum(here_ ? static_cast<std::int64_t>(hash_kept()) : 0));
}

}  // namespace ymir
