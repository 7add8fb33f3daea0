#include "ymir/solids/contact/contact_scene.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "ymir/base/check.h"
#include "ymir/base/timer.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr int most_families = 64;

template <class Record>
void append(const std::vector<Record>& records, std::vector<double>& to) {
  static_assert(sizeof(Record) % sizeof(double) == 0);
  const std::size_t begin = to.size(), words = records.size() * sizeof(Record) / sizeof(double);
  to.resize(begin + words);
  if (words > 0) std::memcpy(to.data() + begin, records.data(), words * sizeof(double));
}

template <class Record>
bool extract(std::span<const double>& from, std::size_t count, std::vector<Record>& records) {
  constexpr std::size_t words = sizeof(Record) / sizeof(double);
  if (count > from.size() / words) return false;
  records.resize(count);
  if (count > 0) std::memcpy(static_cast<void*>(records.data()), from.data(), count * sizeof(Record));
  from = from.subspan(count * words);
  return true;
}

}  // namespace

ContactScene::Touching& ContactScene::entry(SolidObject& object) {
  for (Touching& t : objects_)
    if (t.object == &object) return t;
  Touching& added = objects_.emplace_back();
  added.object = &object;
  added.painted_friction = object.brings("friction");
  return added;
}

void ContactScene::add_family(std::span<SolidObject* const> objects, const TouchParams& params, int level) {
  YMIR_CHECK(families_ < most_families);
  for (SolidObject* object : objects) {
    Touching& t = entry(*object);
    t.families |= std::uint64_t{1} << families_;
    t.painted_thickness = object->brings("thickness");
    if (level < t.level) continue;
    t.level = level;
    t.params = params;
  }
  tolerance_ = families_ == 0 ? params.tolerance : std::min(tolerance_, params.tolerance);
  ++families_;
}

void ContactScene::add_collider(TouchedCollider collider) {
  for (SolidObject* object : collider.objects) entry(*object);
  colliders_.push_back(std::move(collider));
}

const ContactScene::Touching& ContactScene::entry_of(std::int32_t member) const {
  return objects_[static_cast<std::size_t>(entries_[static_cast<std::size_t>(member)])];
}

const ContactScene::Touching& ContactScene::entry_of(const ContactSide& side) const {
  return entry_of(boundary_.piece(side.piece).id.object);
}

// Once: who is who, in numbers.
void ContactScene::number(std::span<SolidObject* const> members) {
  if (entries_.size() == members.size()) return;
  entries_.assign(members.size(), -1);
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    const auto found = std::find(members.begin(), members.end(), objects_[k].object);
    YMIR_CHECK(found != members.end());
    objects_[k].member = static_cast<int>(found - members.begin());
    entries_[static_cast<std::size_t>(objects_[k].member)] = static_cast<std::int32_t>(k);
  }
  touched_.assign(colliders_.size(), std::vector<char>(members.size(), 0));
  for (std::size_t c = 0; c < colliders_.size(); ++c)
    for (SolidObject* object : colliders_[c].objects) touched_[c][static_cast<std::size_t>(entry(*object).member)] = 1;
  detection_.filter.objects = [this](std::int32_t a, std::int32_t b) {
    return (entry_of(a).families & entry_of(b).families) != 0;
  };
  detection_.filter.colliders = [this](std::int32_t object, std::int32_t collider) {
    return touched_[static_cast<std::size_t>(collider)][static_cast<std::size_t>(object)] != 0;
  };
}

// Pieces in the order of members; anew when any object has others than before.
void ContactScene::show() {
  const bool same = !boundary_.pieces().empty() && std::all_of(objects_.begin(), objects_.end(), [](const Touching& t) {
    return t.version == t.object->boundary_version();
  });
  if (!same) {
    boundary_.clear();
    ends_.clear();
    friction_.clear();
    for (const std::int32_t e : entries_) {
      if (e < 0) continue;
      Touching& t = objects_[static_cast<std::size_t>(e)];
      t.version = t.object->boundary_version();
      PieceTraits traits;
      traits.self_contact = t.params.self_contact;
      traits.alone = t.families == 0;
      const std::size_t first = boundary_.pieces().size(), first_vertex = boundary_.vertices.size();
      t.object->show_boundary(boundary_, t.member, t.families == 0 ? 0 : t.params.thickness, traits);
      paint(t, first_vertex);
      std::vector<std::int64_t> pieces;
      for (std::size_t p = first; p < boundary_.pieces().size(); ++p) pieces.push_back(boundary_.pieces()[p].id.piece);
      for (const SolidObject::Seat& seat : t.object->seat(pieces)) ends_.push_back({t.member, seat.block, seat.place});
    }
  }
  for (std::size_t p = 0; p < boundary_.pieces().size(); ++p)
    boundary_.set_fresh(static_cast<std::int32_t>(p), !started_);
}

// What data says of the vertices that the object has shown.
void ContactScene::paint(const Touching& t, std::size_t first_vertex) {
  const std::size_t count = boundary_.vertices.size() - first_vertex;
  if (t.painted_thickness) {
    const std::vector<double> thickness = t.object->painted_boundary("thickness");
    YMIR_CHECK(thickness.size() == count);
    for (std::size_t k = 0; k < count; ++k)
      boundary_.vertices[first_vertex + k].radius += 0.5 * (thickness[k] - t.params.thickness);
  }
  if (!t.painted_friction) return;
  friction_.resize(first_vertex, std::numeric_limits<double>::quiet_NaN());
  std::ranges::copy(t.object->painted_boundary("friction"), std::back_inserter(friction_));
  YMIR_CHECK(friction_.size() == boundary_.vertices.size());
}

double ContactScene::friction_at(const ContactSide& side, double otherwise) const {
  double sum = 0;
  for (std::size_t k = 0; k < side.vertex.size() && side.vertex[k] >= 0; ++k) {
    const auto v = static_cast<std::size_t>(side.vertex[k]);
    if (v >= friction_.size() || std::isnan(friction_[v])) return otherwise;
    sum += side.weight[k] * friction_[v];
  }
  return sum;
}

// Vertices go on with the velocity they have, and may be wrong by the slack.
void ContactScene::move(double dt) {
  parallel_for(std::ssize(ends_), [&](std::ptrdiff_t p) {
    const auto piece = static_cast<std::int32_t>(p);
    const End& end = ends_[static_cast<std::size_t>(p)];
    const std::span<BoundaryVertex> vertices = boundary_.vertices_of(piece);
    entry_of(end.member).object->move_boundary(end.block, end.place, dt, vertices);
    for (BoundaryVertex& v : vertices) v.travel = norm(v.way) + detection_.slack;
  });
}

void ContactScene::find(const Step& step, std::span<SolidObject* const> members) {
  const Timer timer;
  number(members);
  show();
  // What an acceleration as that of the Earth may add to a way.
  constexpr double acceleration = 10;  // [m/s^2]
  detection_.slack = 0.5 * acceleration * step.dt * step.dt;
  move(step.dt);
  std::vector<ContactCollider> colliders;
  for (const TouchedCollider& c : colliders_) colliders.push_back(c.during(step.time, step.time + step.dt));
  detection_.find(boundary_, colliders, step.dt);
  seconds_ = timer.seconds();
}

void ContactScene::accept() {
  if (empty()) return;
  detection_.accept(boundary_);
  started_ = true;
}

ContactScene::End ContactScene::end(const ContactSide& side) const {
  return side.kind == SideKind::collider ? End{} : ends_[static_cast<std::size_t>(side.piece)];
}

ContactScene::Place ContactScene::place(const ContactSide& side) const {
  if (side.kind == SideKind::collider) return {};
  const PieceId& id = boundary_.piece(side.piece).id;
  return {id.object, id.piece};
}

double ContactScene::friction(const Contact& c) const {
  if (c.b.kind == SideKind::collider) return friction_at(c.a, colliders_[static_cast<std::size_t>(c.b.piece)].friction);
  return std::sqrt(friction_at(c.a, entry_of(c.a).params.friction) * friction_at(c.b, entry_of(c.b).params.friction));
}

double ContactScene::adhesion(const Contact& c) const {
  if (c.b.kind == SideKind::collider) return 0;
  return 0.5 * (entry_of(c.a).params.adhesion + entry_of(c.b).params.adhesion);
}

Vec3d ContactScene::point(const ContactSide& side) const {
  Vec3d x{0, 0, 0};
  for (std::size_t k = 0; k < side.vertex.size() && side.vertex[k] >= 0; ++k)
    x += boundary_.vertices[static_cast<std::size_t>(side.vertex[k])].x * side.weight[k];
  return x;
}

double ContactScene::edge_at(const Contact& contact) const {
  const auto apart = [&](std::int32_t a, std::int32_t b) {
    return norm(boundary_.vertices[static_cast<std::size_t>(a)].x - boundary_.vertices[static_cast<std::size_t>(b)].x);
  };
  double longest = 0;
  for (const ContactSide* side : {&contact.a, &contact.b}) {
    const auto& v = side->vertex;
    if (side->kind == SideKind::fiber) return apart(v[0], v[1]);
    for (std::size_t k = 1; k < v.size() && v[k] >= 0; ++k) longest = std::max(longest, apart(v[k - 1], v[k]));
    if (side->kind != SideKind::point || v[0] < 0) continue;
    for (const std::int32_t t : boundary_.around(v[0])) {
      const auto& corner = boundary_.triangles[static_cast<std::size_t>(t)];
      for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, apart(corner[k], corner[(k + 1) % 3]));
    }
  }
  return longest;
}

std::vector<double> ContactScene::state() const {
  if (empty()) return {};
  std::vector<double> values{started_ ? 1.0 : 0.0};
  const ContactMemory& memory = detection_.memory();
  for (std::size_t f = 0; f < memory.contacts.size(); ++f) {
    values.push_back(static_cast<double>(memory.overlaps[f].size()));
    values.push_back(static_cast<double>(memory.contacts[f].size()));
  }
  for (std::size_t f = 0; f < memory.contacts.size(); ++f) {
    append(memory.overlaps[f], values);
    append(memory.contacts[f], values);
  }
  return values;
}

bool ContactScene::set_state(std::span<const double> values) {
  if (empty()) return values.empty();
  constexpr std::size_t head = 1 + 2 * static_cast<std::size_t>(contact_families);
  constexpr double most = 1e12;
  if (values.size() < head) return false;
  std::span<const double> rest = values.subspan(head);
  ContactMemory memory;
  for (std::size_t f = 0; f < memory.contacts.size(); ++f)
    for (const std::size_t which : {1 + 2 * f, 2 + 2 * f}) {
      if (!(values[which] >= 0 && values[which] < most)) return false;
      const auto count = static_cast<std::size_t>(values[which]);
      if (!(which % 2 == 1 ? extract(rest, count, memory.overlaps[f]) : extract(rest, count, memory.contacts[f])))
        return false;
    }
  if (!rest.empty()) return false;
  detection_.restore(memory);
  started_ = values[0] != 0;
  return true;
}

}  // namespace ymir
