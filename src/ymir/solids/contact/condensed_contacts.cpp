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

CoulombReport CondensedContacts::solve(ContactList& list, double tolerance, double enough) const {
  std::vector<Vec3d> r = impulses(list);
  CoulombOptions options;
  options.tolerance = tolerance;
  options.enough = enough;
  constexpr std::size_t worth_parts = 32;
  CoulombReport report;
  if (r.size() < worth_parts || !problem_.adhesion.empty() || !solve_by_parts(problem_, r, options, report))
    report = solve_from(problem_, r, options);
  for (std::size_t i = 0; i < r.size(); ++i) list.contacts[i].impulse = to_world(i, r[i]);
  return report;
}

}  // namespace ymir
