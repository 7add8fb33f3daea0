#include "ymir/solids/contact/active_contacts.h"

#include <algorithm>

#include "ymir/solids/contact/condensed_contacts.h"

namespace ymir {
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
    report = condensed.solve(some, tolerance, 0);
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
