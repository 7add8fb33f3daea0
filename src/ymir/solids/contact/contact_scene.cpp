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
#include "ymir/solids/contact/shown_piece.h"
#include "ymir/solids/detection/passing_time.h"

namespace ymir {
namespace {

constexpr int most_families = 64;
// Cones that are wider are half spaces to all but rounding, and beyond 1e9 rounding lets things through.
constexpr double most_friction = 1e6;

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
    object->roll_from(params.rolls_from);
  }
  detection_.continuous = detection_.continuous || params.continuous;
  detection_.settings.layers = detection_.settings.layers || params.response.reach() > 0;
  tolerance_ = families_ == 0 ? params.tolerance : std::min(tolerance_, params.tolerance);
  ++families_;
}

void ContactScene::add_collider(TouchedCollider collider) {
  for (SolidObject* object : collider.objects) entry(*object);
  detection_.settings.layers = detection_.settings.layers || collider.response.reach() > 0;
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

bool ContactScene::touches(const SolidObject& object) const {
  return std::any_of(objects_.begin(), objects_.end(), [&](const Touching& t) { return t.object == &object; });
}

std::uint64_t ContactScene::families_of(const SolidObject& object) const {
  for (const Touching& t : objects_)
    if (t.object == &object) return t.families;
  return 0;
}

bool ContactScene::gives(const SolidObject& object) const {
  const auto of_family = [&](const Touching& t) {
    return t.object == &object && t.families != 0 && t.params.response.kind != ContactResponse::exact;
  };
  const auto of_collider = [&](const TouchedCollider& c) {
    return c.response.kind != ContactResponse::exact && std::ranges::find(c.objects, &object) != c.objects.end();
  };
  return std::ranges::any_of(objects_, of_family) || std::ranges::any_of(colliders_, of_collider);
}

// Pieces in the order of members; anew when any object has others than before.
void ContactScene::show() {
  const bool same = !boundary_.pieces().empty() && std::all_of(objects_.begin(), objects_.end(), [](const Touching& t) {
    return t.version == t.object->boundary_version();
  });
  if (communicator_->any(!same)) {
    boundary_.clear();
    ends_.clear();
    if (communicator_->size() == 1)
      show_own(boundary_, ends_);
    else
      show_all();
  } else {
    for (const std::int32_t e : entries_)
      if (e >= 0 && objects_[static_cast<std::size_t>(e)].object->loose()) find_seats(e);
  }
  for (std::size_t p = 0; p < boundary_.pieces().size(); ++p)
    boundary_.set_fresh(static_cast<std::int32_t>(p), !started_);
}

// The pieces of this rank.
void ContactScene::show_own(Boundary& boundary, std::vector<End>& ends) {
  for (const std::int32_t e : entries_) {
    if (e < 0) continue;
    Touching& t = objects_[static_cast<std::size_t>(e)];
    t.version = t.object->boundary_version();
    PieceTraits traits;
    traits.self_contact = t.params.self_contact;
    traits.alone = t.families == 0;
    const std::size_t first = boundary.pieces().size(), first_vertex = boundary.vertices.size();
    t.object->show_boundary(boundary, t.member, t.families == 0 ? 0 : t.params.thickness + t.params.response.reach(),
                            traits);
    paint(t, boundary, first_vertex);
    std::vector<std::int64_t> pieces;
    for (std::size_t p = first; p < boundary.pieces().size(); ++p) pieces.push_back(boundary.pieces()[p].id.piece);
    for (const SolidObject::Seat& seat : t.object->seat(pieces))
      ends.push_back({t.member, communicator_->rank(), seat.block, seat.place, t.object->order_of(seat.block)});
  }
}

// Those of all ranks, in the order that they have on one.
void ContactScene::show_all() {
  Boundary own;
  std::vector<End> ends;
  show_own(own, ends);
  Bytes bytes;
  MessageWriter out(bytes);
  for (std::size_t p = 0; p < ends.size(); ++p) {
    ShownPiece(own, static_cast<std::int32_t>(p)).write(out);
    out.put(ends[p]);
  }
  std::vector<std::pair<ShownPiece, End>> all;
  for (const Bytes& message : communicator_->all_gather(bytes))
    for (MessageReader in(message); !in.done();) {
      ShownPiece piece(in);
      all.emplace_back(std::move(piece), in.get<End>());
    }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first.id < b.first.id; });
  for (const auto& [piece, end] : all) {
    piece.add_to(boundary_);
    ends_.push_back(end);
  }
}

// What data says of the vertices that the object has shown.
void ContactScene::paint(const Touching& t, Boundary& boundary, std::size_t first_vertex) {
  const auto shown = std::span(boundary.vertices).subspan(first_vertex);
  if (t.painted_thickness) {
    const std::vector<double> thickness = t.object->painted_boundary("thickness");
    YMIR_CHECK(thickness.size() == shown.size());
    for (std::size_t k = 0; k < shown.size(); ++k) shown[k].radius += 0.5 * (thickness[k] - t.params.thickness);
  }
  if (!t.painted_friction) return;
  const std::vector<double> friction = t.object->painted_boundary("friction");
  YMIR_CHECK(friction.size() == shown.size());
  for (std::size_t k = 0; k < shown.size(); ++k) shown[k].friction = friction[k];
}

double ContactScene::friction_at(const ContactSide& side, double otherwise) const {
  double sum = 0;
  for (std::size_t k = 0; k < side.vertex.size() && side.vertex[k] >= 0; ++k)
    sum += side.weight[k] * boundary_.vertices[static_cast<std::size_t>(side.vertex[k])].friction;
  return std::isnan(sum) ? otherwise : sum;
}

// Vertices go on with the velocity they have, and may be wrong by the slack.
void ContactScene::move(double dt) {
  parallel_for(std::ssize(ends_), [&](std::ptrdiff_t p) {
    const End& end = ends_[static_cast<std::size_t>(p)];
    if (end.rank == communicator_->rank())
      entry_of(end.member)
          .object->move_boundary(end.block, end.place, dt, boundary_.vertices_of(static_cast<std::int32_t>(p)));
  });
  if (communicator_->size() > 1) share_motion();
  parallel_for(std::ssize(ends_), [&](std::ptrdiff_t p) {
    for (BoundaryVertex& v : boundary_.vertices_of(static_cast<std::int32_t>(p)))
      v.travel = norm(v.way) + detection_.slack;
  });
}

// Every rank goes through the pieces in the same order.
void ContactScene::share_motion() {
  Bytes bytes;
  MessageWriter out(bytes);
  const auto for_each_vertex = [&](std::size_t p, auto&& f) {
    for (BoundaryVertex& v : boundary_.vertices_of(static_cast<std::int32_t>(p))) f(v);
  };
  for (std::size_t p = 0; p < ends_.size(); ++p)
    if (ends_[p].rank == communicator_->rank())
      for_each_vertex(p, [&](const BoundaryVertex& v) {
        out.put(v.x);
        out.put(v.way);
      });
  const std::vector<Bytes> all = communicator_->all_gather(bytes);
  std::vector<MessageReader> messages(all.begin(), all.end());
  for (std::size_t p = 0; p < ends_.size(); ++p)
    for_each_vertex(p, [&](BoundaryVertex& v) {
      MessageReader& in = messages[static_cast<std::size_t>(ends_[p].rank)];
      v.x = in.get<Vec3d>();
      v.way = in.get<Vec3d>();
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
  for (const TouchedCollider& c : colliders_) {
    colliders.push_back(c.during(step.time, step.time + step.dt));
    colliders.back().thickness += c.response.reach();
    colliders.back().swept = c.continuous || detection_.continuous;
  }
  detection_.find(boundary_, colliders, step.dt);
  seconds_ = timer.seconds();
}

double ContactScene::passing_time(std::span<SolidObject* const> members, double longest) {
  number(members);
  show();
  move(longest);
  return ymir::passing_time(boundary_, detection_.filter, longest);
}

void ContactScene::accept() {
  if (empty()) return;
  detection_.accept(boundary_);
  started_ = true;
}

ContactScene::Place ContactScene::place(const ContactSide& side) const {
  if (side.kind == SideKind::collider) return {};
  const PieceId& id = boundary_.piece(side.piece).id;
  return {id.object, id.piece};
}

double ContactScene::friction(const Contact& c) const {
  if (c.b.kind == SideKind::collider)
    return std::min(friction_at(c.a, colliders_[static_cast<std::size_t>(c.b.piece)].friction), most_friction);
  const double a = friction_at(c.a, entry_of(c.a).params.friction), b = friction_at(c.b, entry_of(c.b).params.friction);
  return std::min(std::sqrt(a) * std::sqrt(b), most_friction);
}

double ContactScene::adhesion(const Contact& c) const {
  if (c.b.kind == SideKind::collider) {
    // What takes part in no `collision` has no adhesion of its own.
    const double of_collider = colliders_[static_cast<std::size_t>(c.b.piece)].adhesion;
    return entry_of(c.a).families == 0 ? of_collider : 0.5 * (entry_of(c.a).params.adhesion + of_collider);
  }
  return 0.5 * (entry_of(c.a).params.adhesion + entry_of(c.b).params.adhesion);
}

Vec3d ContactScene::point(const ContactSide& side) const {
  Vec3d x{0, 0, 0};
  for (std::size_t k = 0; k < side.vertex.size() && side.vertex[k] >= 0; ++k)
    x += boundary_.vertices[static_cast<std::size_t>(side.vertex[k])].x * side.weight[k];
  return x;
}

double ContactScene::radius_at(const ContactSide& side) const {
  double radius = 0;
  for (std::size_t k = 0; k < side.vertex.size() && side.vertex[k] >= 0; ++k)
    radius += boundary_.vertices[static_cast<std::size_t>(side.vertex[k])].radius * side.weight[k];
  return radius;
}

bool ContactScene::rolls(const ContactSide& side) const {
  return side.kind == SideKind::fiber && boundary_.piece(side.piece).traits.rolls;
}

// One point of space for both sides: between two that roll where their radii, with half of what is kept free, meet; the
// other side's own point, where that has no arm. Of exact contact a gap is closed by then; the layer of penalties and
// barriers, and what overlaps, is shared.
Vec3d ContactScene::arm(const Contact& c, int side) const {
  const ContactSide &own = side == 0 ? c.a : c.b, &other = side == 0 ? c.b : c.a;
  if (!rolls(own)) return {0, 0, 0};
  const Vec3d towards = side == 0 ? -c.normal : c.normal;
  const double radius = radius_at(own) - layer_of(own), layer = layer_of(own) + layer_of(other), gap = c.gap + layer;
  if (other.kind == SideKind::collider) return towards * std::max(radius + std::min(gap, 0.0), 0.0);
  const double apart = radius + radius_at(other) - layer_of(other),
               length = std::max(apart + std::min(gap, layer), 0.0);
  return towards * (rolls(other) ? radius * length / apart : length);
}

double ContactScene::edge_at(const Contact& contact) const {
  const auto apart = [&](std::int32_t a, std::int32_t b) {
    return norm(boundary_.vertices[static_cast<std::size_t>(a)].x - boundary_.vertices[static_cast<std::size_t>(b)].x);
  };
  double longest = 0;
  // A ball is as long as it is thick.
  for (const ContactSide* side : {&contact.a, &contact.b})
    if (side->kind == SideKind::point && side->vertex[0] >= 0 && boundary_.piece(side->piece).kind == PieceKind::points)
      longest = std::max(longest, 2 * boundary_.vertices[static_cast<std::size_t>(side->vertex[0])].radius);
  for (const ContactSide* side : {&contact.a, &contact.b}) {
    const auto& v = side->vertex;
    if (side->kind == SideKind::fiber) return std::max(longest, apart(v[0], v[1]));
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
