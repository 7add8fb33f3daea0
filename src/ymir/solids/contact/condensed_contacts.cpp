#include "ymir/solids/contact/condensed_contacts.h"

#include <algorithm>

#include "ymir/physics/contact/contact_frame.h"

namespace ymir {
namespace {

// The nodes of a contact on one body.
struct Touch {
  std::int32_t contact;
  std::vector<ContactNode> nodes;
};

Vec3d velocity(const Touch& touch, std::span<const NodeVector> v) {
  Vec3d u{0, 0, 0};
  for (const ContactNode& n : touch.nodes)
    for (int k = 0; k < 3; ++k) u[k] += n.weight * v[static_cast<std::size_t>(n.node)][k];
  return u;
}

}  // namespace

Vec3d CondensedContacts::to_frame(std::size_t contact, Vec3d v) const {
  const Frame& f = frames_[contact];
  return {dot(f.normal, v), dot(f.tangent, v), dot(f.other, v)};
}

Vec3d CondensedContacts::to_world(std::size_t contact, Vec3d v) const {
  const Frame& f = frames_[contact];
  return f.normal * v.x + f.tangent * v.y + f.other * v.z;
}

CondensedContacts::CondensedContacts(const ContactList& list, std::span<NodalBody* const> bodies) {
  const std::size_t count = list.contacts.size();
  std::vector<std::vector<Touch>> touches(bodies.size());
  std::vector<Vec3d> q;
  std::vector<double> mu, adhesion;
  for (std::size_t i = 0; i < count; ++i) {
    const NodeContact& c = list.contacts[i];
    const Vec3d tangent = any_normal(c.normal);
    frames_.push_back({c.normal, tangent, cross(c.normal, tangent)});
    q.push_back(to_frame(i, c.free));
    mu.push_back(c.friction);
    adhesion.push_back(c.cohesion);
    for (const ContactNode& n : list.nodes_of(c)) {
      auto& own = touches[static_cast<std::size_t>(n.body)];
      if (own.empty() || own.back().contact != static_cast<std::int32_t>(i))
        own.push_back({static_cast<std::int32_t>(i), {}});
      own.back().nodes.push_back(n);
    }
  }
  std::vector<CoulombBlock> blocks;
  std::vector<NodeVector> still, moved;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (touches[b].empty()) continue;
    const auto nodes = static_cast<std::size_t>(bodies[b]->nodes());
    still.assign(nodes, NodeVector::all(0));
    bodies[b]->solve(still.data());
    for (const Touch& t : touches[b]) {
      const auto i = static_cast<std::size_t>(t.contact);
      q[i] += to_frame(i, velocity(t, still));
    }
    // A unit impulse along each axis of each contact; not of too many at once.
    constexpr std::size_t most_vectors = std::size_t{1} << 18;
    const std::size_t at_once = std::max<std::size_t>(1, most_vectors / (3 * nodes));
    for (std::size_t begin = 0; begin < touches[b].size(); begin += at_once) {
      const auto pushed = std::span(touches[b]).subspan(begin, std::min(at_once, touches[b].size() - begin));
      moved.assign(3 * pushed.size() * nodes, NodeVector::all(0));
      const auto column = [&](std::size_t p, std::size_t k) {
        return std::span(moved).subspan((3 * p + k) * nodes, nodes);
      };
      for (std::size_t p = 0; p < pushed.size(); ++p) {
        const Frame& f = frames_[static_cast<std::size_t>(pushed[p].contact)];
        const Vec3d directions[3] = {f.normal, f.tangent, f.other};
        for (std::size_t k = 0; k < 3; ++k)
          for (const ContactNode& n : pushed[p].nodes)
            for (int a = 0; a < 3; ++a) {
              NodeVector& g = column(p, k)[static_cast<std::size_t>(n.node)];
              g.set(a, g[a] + n.weight * directions[k][a]);
            }
      }
      bodies[b]->solve_many(moved.data(), static_cast<int>(3 * pushed.size()));
      for (std::size_t p = 0; p < pushed.size(); ++p) {
        const std::size_t first = blocks.size();
        for (const Touch& t : touches[b]) blocks.push_back({t.contact, pushed[p].contact, Mat3d{}});
        for (std::size_t k = 0; k < 3; ++k) {
          const auto way = column(p, k);
          for (std::size_t v = 0; v < nodes; ++v) way[v] = way[v] - still[v];
          for (std::size_t j = 0; j < touches[b].size(); ++j) {
            const Touch& t = touches[b][j];
            blocks[first + j].value.column[static_cast<int>(k)] =
                to_frame(static_cast<std::size_t>(t.contact), velocity(t, way));
          }
        }
      }
    }
  }
  problem_ = coulomb_problem(std::move(blocks), std::move(q), std::move(mu));
  if (std::any_of(adhesion.begin(), adhesion.end(), [](double c) { return c > 0; }))
    problem_.adhesion = std::move(adhesion);
}

std::vector<Vec3d> CondensedContacts::impulses(const ContactList& list) const {
  std::vector<Vec3d> r;
  for (std::size_t i = 0; i < list.contacts.size(); ++i) r.push_back(to_frame(i, list.contacts[i].impulse));
  return r;
}

CoulombReport CondensedContacts::solve(ContactList& list, double tolerance) const {
  std::vector<Vec3d> r = impulses(list);
  CoulombOptions options;
  options.tolerance = tolerance;
  const CoulombReport report = solve_coulomb(problem_, r, options);
  for (std::size_t i = 0; i < r.size(); ++i) list.contacts[i].impulse = to_world(i, r[i]);
  return report;
}

namespace {

// u_N of all contacts under their impulses.
std::vector<double> closing_speeds(const ContactList& list, std::span<NodalBody* const> bodies) {
  std::vector<std::vector<NodeVector>> moved(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b)
    moved[b].assign(static_cast<std::size_t>(bodies[b]->nodes()), NodeVector::all(0));
  const auto at = [&](const ContactNode& n) -> NodeVector& {
    return moved[static_cast<std::size_t>(n.body)][static_cast<std::size_t>(n.node)];
  };
  for (const NodeContact& c : list.contacts)
    for (const ContactNode& n : list.nodes_of(c))
      for (int k = 0; k < 3; ++k) at(n).set(k, at(n)[k] + n.weight * c.impulse[k]);
  for (std::size_t b = 0; b < bodies.size(); ++b) bodies[b]->solve(moved[b].data());
  std::vector<double> speeds;
  for (const NodeContact& c : list.contacts) {
    double& along = speeds.emplace_back(dot(c.normal, c.free));
    for (const ContactNode& n : list.nodes_of(c))
      for (int k = 0; k < 3; ++k) along += n.weight * c.normal[k] * at(n)[k];
  }
  return speeds;
}

}  // namespace

std::optional<CoulombReport> solve_active(ContactList& list, std::span<NodalBody* const> bodies, double tolerance) {
  constexpr std::size_t most = 150;
  constexpr int most_rounds = 4;
  const std::vector<NodeContact> before = list.contacts;
  std::vector<char> active(list.contacts.size(), 0);
  std::vector<double> speeds = closing_speeds(list, bodies);
  CoulombReport report;
  double scale = 0;
  for (int round = 0; round < most_rounds; ++round) {
    ContactList some;
    std::vector<std::size_t> which;
    bool more = false;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const NodeContact& c = list.contacts[i];
      const bool joins = c.impulse != Vec3d{0, 0, 0} || c.cohesion > 0 || speeds[i] < -tolerance * scale;
      more = more || (joins && active[i] == 0);
      if (joins) active[i] = 1;
      if (active[i] == 0) continue;
      which.push_back(i);
      NodeContact& own = some.add(c.normal, c.friction);
      own.free = c.free, own.impulse = c.impulse, own.cohesion = c.cohesion;
      for (const ContactNode& n : list.nodes_of(c)) some.touch(n.body, n.node, n.weight);
    }
    if (!more) return report;
    if (which.size() > most) break;
    const CondensedContacts condensed(some, bodies);
    report = condensed.solve(some, tolerance);
    scale = 0;
    for (const Vec3d& q : condensed.problem().q) scale = std::max(scale, norm(q));
    for (std::size_t k = 0; k < which.size(); ++k) list.contacts[which[k]].impulse = some.contacts[k].impulse;
    for (std::int32_t& worst : report.errors.worst)
      worst = static_cast<std::int32_t>(which[static_cast<std::size_t>(worst)]);
    speeds = closing_speeds(list, bodies);
  }
  list.contacts = before;
  return std::nullopt;
}

}  // namespace ymir
