#include "ymir/solids/contact/condensed_contacts.h"

#include <algorithm>

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

// Nodes that are held have no mass: what a body answers there is nothing that moves.
std::vector<std::vector<NodeMetric>> metric_of(std::span<NodalBody* const> bodies) {
  std::vector<std::vector<NodeMetric>> metric(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    metric[b].resize(static_cast<std::size_t>(bodies[b]->nodes()));
    bodies[b]->describe(metric[b]);
  }
  return metric;
}

}  // namespace

Vec3d CondensedContacts::velocity(const Touch& touch, std::span<const NodeVector> v) {
  Vec3d u{0, 0, 0};
  for (const ContactNode& n : touch.nodes)
    for (int k = 0; k < 3; ++k) u[k] += n.weight * v[static_cast<std::size_t>(n.node)][k];
  return u;
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
      q[i] += frames_.to_frame(i, velocity(t, still));
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
      for (std::size_t p = begin; p < std::min(end, touches.size()); ++p)
        for (std::size_t k = 0; k < 3; ++k) {
          const Vec3d& axis = frames_.axis(static_cast<std::size_t>(touches[p].contact), static_cast<int>(k));
          for (const ContactNode& n : touches[p].nodes)
            for (int a = 0; a < 3; ++a) {
              NodeVector& g = column(p, k)[static_cast<std::size_t>(n.node)];
              g.set(a, g[a] + n.weight * axis[a]);
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
                frames_.to_frame(static_cast<std::size_t>(t.contact), velocity(t, column(p, k)));
        }
  }
}

CondensedContacts::CondensedContacts(const ContactList& list, std::span<NodalBody* const> bodies) : frames_(list) {
  const std::size_t count = list.contacts.size();
  std::vector<std::map<int, std::vector<Touch>>> touches(bodies.size());  // by piece
  const std::vector<std::vector<NodeMetric>> metric = metric_of(bodies);
  std::vector<Vec3d> q;
  std::vector<CoulombBlock> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const NodeContact& c = list.contacts[i];
    q.push_back(frames_.to_frame(i, c.free));
    bool moves = false;
    for (const ContactNode& n : list.nodes_of(c)) {
      const auto b = static_cast<std::size_t>(n.body);
      if (metric[b][static_cast<std::size_t>(n.node)].mass == 0) continue;
      moves = true;
      auto& own = touches[b][piece_of(*bodies[b], n.node)];
      if (own.empty() || own.back().contact != static_cast<std::int32_t>(i))
        own.push_back({static_cast<std::int32_t>(i), {}});
      own.back().nodes.push_back(n);
    }
    if (moves) continue;
    q[i] = {0, 0, 0};  // no impulse changes anything
    blocks.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i), identity3()});
  }
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (!touches[b].empty()) condense(*bodies[b], touches[b], q, blocks);
  problem_ = frames_.problem(list, std::move(blocks), std::move(q));
}

CoulombReport CondensedContacts::solve(ContactList& list, double tolerance, double enough) const {
  std::vector<Vec3d> r = frames_.impulses(list);
  CoulombOptions options;
  options.tolerance = tolerance;
  options.enough = enough;
  CoulombReport report = solve_coulomb(problem_, r, options);
  // Impulses of the substep before may lead astray.
  if (report.errors.scaled > enough && std::any_of(list.contacts.begin(), list.contacts.end(), [](const NodeContact& c) {
        return dot(c.impulse, c.impulse) > 0;
      })) {
    std::vector<Vec3d> anew;
    const CoulombReport again = solve_coulomb(problem_, anew, options);
    const int before = report.iterations;
    if (again.errors.scaled < report.errors.scaled) {
      report = again;
      r = anew;
      report.iterations += before;
    } else {
      report.iterations += again.iterations;
    }
  }
  for (std::size_t i = 0; i < r.size(); ++i) list.contacts[i].impulse = frames_.to_world(i, r[i]);
  return report;
}

}  // namespace ymir
