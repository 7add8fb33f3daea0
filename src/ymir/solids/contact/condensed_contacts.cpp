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

// The ladder from r, and from nothing where that leads astray.
CoulombReport solve_from(const CoulombProblem& problem, std::vector<Vec3d>& r, const CoulombOptions& options) {
  const bool guessed = std::any_of(r.begin(), r.end(), [](Vec3d x) { return dot(x, x) > 0; });
  CoulombReport report = solve_coulomb(problem, r, options);
  if (!guessed || report.errors.scaled <= std::max(options.tolerance, options.enough)) return report;
  std::vector<Vec3d> anew;
  CoulombReport again = solve_coulomb(problem, anew, options);
  const int iterations = report.iterations + again.iterations;
  if (again.errors.scaled < report.errors.scaled) {
    report = std::move(again);
    r = std::move(anew);
  }
  report.iterations = iterations;
  return report;
}

// Some contacts of a problem, as if there were no others.
CoulombProblem part_of(const CoulombProblem& whole, std::span<const std::int32_t> some) {
  std::vector<std::int32_t> place(whole.q.size(), -1);
  for (std::size_t k = 0; k < some.size(); ++k) place[static_cast<std::size_t>(some[k])] = static_cast<std::int32_t>(k);
  CoulombProblem part;
  for (const std::int32_t contact : some) {
    const auto i = static_cast<std::size_t>(contact);
    for (auto k = static_cast<std::size_t>(whole.starts[i]); k < static_cast<std::size_t>(whole.starts[i + 1]); ++k)
      if (const std::int32_t column = place[static_cast<std::size_t>(whole.columns[k])]; column >= 0) {
        part.columns.push_back(column);
        part.blocks.push_back(whole.blocks[k]);
      }
    part.starts.push_back(static_cast<std::int64_t>(part.columns.size()));
    part.q.push_back(whole.q[i]);
    part.mu.push_back(whole.mu[i]);
  }
  return part;
}

// Most contacts of a ball that flies at a box stay open, and a dense matrix of them is expensive: those that would
// close deepest first, then those that this leaves closing. False: too many times.
bool solve_by_parts(const CoulombProblem& whole, std::vector<Vec3d>& r, const CoulombOptions& options,
                    CoulombReport& report) {
  constexpr int most_rounds = 12;
  constexpr double deep = 0.5;  // of the deepest
  std::vector<char> taken(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) taken[i] = dot(r[i], r[i]) > 0 ? 1 : 0;
  std::vector<Vec3d> u = whole.q;
  double fastest = 0;
  for (const Vec3d& q : whole.q) fastest = std::max(fastest, norm(q));
  int iterations = 0;
  for (int round = 0; round < most_rounds; ++round) {
    double deepest = 0;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (taken[i] == 0) deepest = std::min(deepest, u[i].x);
    if (round > 0 && deepest >= -options.tolerance * fastest) {
      report.errors = coulomb_errors(whole, r);
      report.iterations = iterations;
      return true;
    }
    std::vector<std::int32_t> some;
    std::vector<Vec3d> guess;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (taken[i] == 0 && u[i].x < 0 && u[i].x <= deep * deepest) taken[i] = 1;
      if (taken[i] == 0) continue;
      some.push_back(static_cast<std::int32_t>(i));
      guess.push_back(r[i]);
    }
    if (some.empty() || some.size() == r.size()) return false;
    report = solve_from(part_of(whole, some), guess, options);
    iterations += report.iterations;
    for (std::size_t k = 0; k < some.size(); ++k) r[static_cast<std::size_t>(some[k])] = guess[k];
    u = whole.velocities(r);
  }
  return false;
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
  constexpr std::size_t worth_parts = 32;
  CoulombReport report;
  if (r.size() < worth_parts || !problem_.adhesion.empty() || !solve_by_parts(problem_, r, options, report))
    report = solve_from(problem_, r, options);
  for (std::size_t i = 0; i < r.size(); ++i) list.contacts[i].impulse = frames_.to_world(i, r[i]);
  return report;
}

}  // namespace ymir
