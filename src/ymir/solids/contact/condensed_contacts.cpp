#include "ymir/solids/contact/condensed_contacts.h"

#include <algorithm>

#include "ymir/physics/contact/contact_frame.h"

namespace ymir {
namespace {

int piece_of(const NodalBody& body, std::int32_t node) {
  int low = 0, high = body.pieces();
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (body.first_node(middle) <= node ? low : high) = middle;
  }
  return low;
}

}  // namespace

Vec3d CondensedContacts::velocity(const Touch& touch, std::span<const NodeVector> v) {
  Vec3d u{0, 0, 0};
  for (const ContactNode& n : touch.nodes)
    for (int k = 0; k < 3; ++k) u[k] += n.weight * v[static_cast<std::size_t>(n.node)][k];
  return u;
}

Vec3d CondensedContacts::to_frame(std::size_t contact, Vec3d v) const {
  const Frame& f = frames_[contact];
  return {dot(f.normal, v), dot(f.tangent, v), dot(f.other, v)};
}

Vec3d CondensedContacts::to_world(std::size_t contact, Vec3d v) const {
  const Frame& f = frames_[contact];
  return f.normal * v.x + f.tangent * v.y + f.other * v.z;
}

// Each piece of a body answers to impulses on it alone: one contact of each is pushed at a time.
void CondensedContacts::condense(NodalBody& body, const std::map<int, std::vector<Touch>>& pieces, std::span<Vec3d> q,
                                 std::vector<CoulombBlock>& blocks) const {
  const auto nodes = static_cast<std::size_t>(body.nodes());
  std::vector<NodeVector> still(nodes, NodeVector::all(0)), moved;
  body.solve(still.data());
  std::size_t most = 0;
  for (const auto& [piece, touches] : pieces) {
    for (const Touch& t : touches) {
      const auto i = static_cast<std::size_t>(t.contact);
      q[i] += to_frame(i, velocity(t, still));
    }
    most = std::max(most, touches.size());
  }
  // A unit impulse along each axis of each contact; not of too many at once.
  constexpr std::size_t most_vectors = std::size_t{1} << 18;
  const std::size_t at_once = std::max<std::size_t>(1, most_vectors / (3 * nodes));
  for (std::size_t begin = 0; begin < most; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, most);
    moved.assign(3 * (end - begin) * nodes, NodeVector::all(0));
    const auto column = [&](std::size_t p, std::size_t k) {
      return std::span(moved).subspan((3 * (p - begin) + k) * nodes, nodes);
    };
    for (const auto& [piece, touches] : pieces)
      for (std::size_t p = begin; p < std::min(end, touches.size()); ++p) {
        const Frame& f = frames_[static_cast<std::size_t>(touches[p].contact)];
        const Vec3d directions[3] = {f.normal, f.tangent, f.other};
        for (std::size_t k = 0; k < 3; ++k)
          for (const ContactNode& n : touches[p].nodes)
            for (int a = 0; a < 3; ++a) {
              NodeVector& g = column(p, k)[static_cast<std::size_t>(n.node)];
              g.set(a, g[a] + n.weight * directions[k][a]);
            }
      }
    body.solve_many(moved.data(), static_cast<int>(3 * (end - begin)));
    for (std::size_t c = 0; c < 3 * (end - begin); ++c)
      for (std::size_t v = 0; v < nodes; ++v) moved[c * nodes + v] = moved[c * nodes + v] - still[v];
    for (const auto& [piece, touches] : pieces)
      for (std::size_t p = begin; p < std::min(end, touches.size()); ++p)
        for (const Touch& t : touches) {
          CoulombBlock& block = blocks.emplace_back(CoulombBlock{t.contact, touches[p].contact, Mat3d{}});
          for (std::size_t k = 0; k < 3; ++k)
            block.value.column[static_cast<int>(k)] =
                to_frame(static_cast<std::size_t>(t.contact), velocity(t, column(p, k)));
        }
  }
}

CondensedContacts::CondensedContacts(const ContactList& list, std::span<NodalBody* const> bodies) {
  const std::size_t count = list.contacts.size();
  std::vector<std::map<int, std::vector<Touch>>> touches(bodies.size());  // by piece
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
      auto& own =
          touches[static_cast<std::size_t>(n.body)][piece_of(*bodies[static_cast<std::size_t>(n.body)], n.node)];
      if (own.empty() || own.back().contact != static_cast<std::int32_t>(i))
        own.push_back({static_cast<std::int32_t>(i), {}});
      own.back().nodes.push_back(n);
    }
  }
  std::vector<CoulombBlock> blocks;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (!touches[b].empty()) condense(*bodies[b], touches[b], q, blocks);
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

}  // namespace ymir
