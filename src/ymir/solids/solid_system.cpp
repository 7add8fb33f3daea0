#include "ymir/solids/solid_system.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "ymir/base/error.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/direct.h"

namespace ymir {
namespace {

constexpr double linear_tolerance = 1e-9;
// Hard constraints may say the same thing twice: this much compliance, relative to a row's own, decides between them.
constexpr double redundancy = 1e-12;
// Clusters with fewer unknowns are advanced by one thread: waking others takes longer.
constexpr std::size_t few_unknowns = 4096;

}  // namespace

// An element between blocks that are here: member and block of its ends; -1 for a prescribed end.
struct SolidSystem::Link {
  Coupling* source;
  std::size_t element;
  int member[2] = {-1, -1};
  SolidObject::Seat seat[2];
};

struct SolidSystem::Member {
  std::unique_ptr<SolidBlock> block;
  std::size_t offset = 0;  // in the cluster's vectors
  double last_step = std::numeric_limits<double>::infinity();
};

struct SolidSystem::Element {
  Coupling* source;
  std::size_t index;
  int member[2], place[2];
  int dofs[2] = {0, 0};
  std::ptrdiff_t at[2][Embedding::max_dofs];  // in the cluster's vectors; -1: given
  CouplingRows term;
};

struct SolidSystem::Cluster {
  std::vector<Member> members;
  std::vector<Element> elements;
  std::vector<double> rhs, solution;
  CgWorkspace workspace;
  // The whole matrix of this Newton step and its factor, made once CG has spent its iterations.
  struct Whole {
    SymmetricMatrix matrix;
    DirectSolver solver;
  };
  std::optional<Whole> whole;
  int cg_left = 0;  // iterations that CG may still take for this Newton step, all its right sides together
  int cg_iterations = 0, cg_limit = 0, direct_solves = 0;

  template <class F>
  void for_each_member(F&& f) {
    if (rhs.size() < few_unknowns) {
      for (Member& m : members) f(m);
      return;
    }
    parallel_for(static_cast<std::ptrdiff_t>(members.size()),
                 [&](std::ptrdiff_t m) { f(members[static_cast<std::size_t>(m)]); });
  }
  Embedding point(const Element& e, int end, bool at_begin) const {
    if (e.member[end] < 0) return e.source->prescribed(e.index, at_begin);
    const Member& m = members[static_cast<std::size_t>(e.member[end])];
    return m.block->embedded(e.place[end], e.source->point(e.index, end));
  }
  void find_rows(Element& e) const {
    for (int end = 0; end < 2; ++end) {
      e.dofs[end] = point(e, end, true).dofs;
      for (int local = 0; local < e.dofs[end]; ++local) {
        const Member& m = members[static_cast<std::size_t>(e.member[end])];
        const std::ptrdiff_t row = m.block->row(e.place[end], e.source->point(e.index, end), local);
        e.at[end][local] = row < 0 ? -1 : row + static_cast<std::ptrdiff_t>(m.offset);
      }
    }
  }
  template <class F>  // f(end, row of the term, index, value)
  static void for_each_entry(const Element& e, F&& f) {
    for (int end = 0; end < 2; ++end)
      for (int local = 0; local < e.dofs[end]; ++local) {
        if (e.at[end][local] < 0) continue;
        for (int r = 0; r < e.term.rows; ++r)
          f(end, r, static_cast<std::size_t>(e.at[end][local]), e.term.j[r][e.term.first[end] + local]);
      }
  }
  void block_solve(std::span<const double> r, std::span<double> z) {
    for_each_member([&](const Member& m) { m.block->solve(r.data() + m.offset, z.data() + m.offset); });
  }
  void product(std::span<const double> x, std::span<double> y) {
    for_each_member([&](const Member& m) { m.block->product(x.data() + m.offset, y.data() + m.offset); });
    for (const Element& e : elements) {
      if (e.term.rows == e.term.hard) continue;
      double jx[CouplingRows::max_rows] = {};
      for_each_entry(e, [&](int, int r, std::size_t at, double j) { jx[r] += j * x[at]; });
      for (int r = 0; r < e.term.rows; ++r) jx[r] = r < e.term.hard ? 0 : e.term.stiffness[r] * jx[r];
      for_each_entry(e, [&](int, int r, std::size_t at, double j) { y[at] += j * jx[r]; });
    }
  }
};

bool SolidObject::in_cluster(int block) const { return system_ != nullptr && system_->in_cluster(this, block); }

void SolidSystem::add(SolidObject& object) {
  if (object.system() == this) return;
  object.join(this);
  members_.insert(std::upper_bound(members_.begin(), members_.end(), object.name(),
                                   [](const std::string& name, const SolidObject* m) { return name < m->name(); }),
                  &object);
}

void SolidSystem::add(std::unique_ptr<Coupling> coupling) {
  const std::string owner = coupling->owner();
  couplings_.insert(std::upper_bound(couplings_.begin(), couplings_.end(), owner,
                                     [](const std::string& name, const auto& c) { return name < c->owner(); }),
                    std::move(coupling));
}

bool SolidSystem::in_cluster(const SolidObject* object, int block) const {
  return std::binary_search(taken_.begin(), taken_.end(), std::pair(object, block));
}

void SolidSystem::schedule(Timeline& timeline) {
  timeline.add({Stage::detection,
                group(),
                Role::object,
                path(),
                "couplings of the substep and the clusters they make",
                {"position"},
                {},
                [this](const Step& step) { detect(step); }});
  timeline.add({Stage::solid_solve,
                group(),
                Role::object,
                path(),
                "backward Euler of what is coupled, Newton with one system per cluster",
                {"position", "velocity"},
                {"position", "velocity"},
                [this](const Step& step) { advance(step); }});
}

std::vector<SolidSystem::Link> SolidSystem::find_links() const {
  const auto number_of = [&](const SolidObject* object) {
    return static_cast<std::size_t>(std::find(members_.begin(), members_.end(), object) - members_.begin());
  };
  std::vector<std::vector<std::int64_t>> pieces(members_.size());
  for (const auto& source : couplings_)
    for (std::size_t e = 0; e < source->size(); ++e)
      for (int end = 0; end < 2; ++end)
        if (const MaterialPoint& p = source->point(e, end); p.object != nullptr)
          pieces[number_of(p.object)].push_back(p.piece);
  std::vector<std::vector<SolidObject::Seat>> seats;
  for (std::size_t o = 0; o < members_.size(); ++o) {
    std::sort(pieces[o].begin(), pieces[o].end());
    pieces[o].erase(std::unique(pieces[o].begin(), pieces[o].end()), pieces[o].end());
    seats.push_back(members_[o]->seat(pieces[o]));
  }
  std::vector<Link> links;
  for (const auto& source : couplings_)
    for (std::size_t e = 0; e < source->size(); ++e) {
      Link link{source.get(), e, {-1, -1}, {}};
      bool present = true, ended = false, any = false;
      for (int end = 0; end < 2; ++end) {
        const MaterialPoint& p = source->point(e, end);
        if (p.object == nullptr) continue;
        const std::size_t object = number_of(p.object);
        const auto found = std::lower_bound(pieces[object].begin(), pieces[object].end(), p.piece);
        link.member[end] = static_cast<int>(object);
        link.seat[end] = seats[object][static_cast<std::size_t>(found - pieces[object].begin())];
        present = present && link.seat[end].block >= 0;
        any = any || link.seat[end].block >= 0;
        ended = ended || (link.seat[end].block < 0 && p.object->pieces_leave());
      }
      if (present) links.push_back(link);
      if (any && !present && !ended)
        throw Error(ExitCode::bad_input, "strands attached to each other are on different ranks; run on fewer ranks");
    }
  return links;
}

void SolidSystem::detect(const Step& step) {
  for (const auto& source : couplings_) source->prepare(step.time + step.dt, step.dt);
  const std::vector<Link> links = find_links();
  // Blocks joined by elements.
  std::map<std::pair<int, int>, int> nodes;  // member and block
  std::vector<int> parent;
  const auto find = [&](int a) {
    while (parent[static_cast<std::size_t>(a)] != a) {
      int& above = parent[static_cast<std::size_t>(a)];
      above = parent[static_cast<std::size_t>(above)];
      a = above;
    }
    return a;
  };
  const auto node_of = [&](const Link& link, int end) {
    if (link.member[end] < 0) return -1;
    const auto [it, added] =
        nodes.try_emplace({link.member[end], link.seat[end].block}, static_cast<int>(parent.size()));
    if (added) parent.push_back(it->second);
    return it->second;
  };
  for (std::size_t m = 0; m < members_.size(); ++m)
    for (const int block : members_[m]->lone_blocks()) {
      const auto [it, added] = nodes.try_emplace({static_cast<int>(m), block}, static_cast<int>(parent.size()));
      if (added) parent.push_back(it->second);
    }
  for (const Link& link : links) {
    const int a = node_of(link, 0), b = node_of(link, 1);
    if (b >= 0) parent[static_cast<std::size_t>(find(b))] = find(a);
  }
  clusters_.clear();
  taken_.clear();
  std::vector<int> cluster_of(parent.size(), -1), slot(parent.size(), 0);
  for (const auto& [key, node] : nodes) {
    int& cluster = cluster_of[static_cast<std::size_t>(find(node))];
    if (cluster < 0) {
      cluster = static_cast<int>(clusters_.size());
      clusters_.push_back(std::make_shared<Cluster>());
      clusters_.back()->cg_limit = cg_limit_;
    }
    Cluster& c = *clusters_[static_cast<std::size_t>(cluster)];
    slot[static_cast<std::size_t>(node)] = static_cast<int>(c.members.size());
    SolidObject* object = members_[static_cast<std::size_t>(key.first)];
    c.members.emplace_back().block = object->make_block(key.second);
    taken_.emplace_back(object, key.second);
  }
  std::sort(taken_.begin(), taken_.end());
  for (const Link& link : links) {
    const int a = node_of(link, 0), b = node_of(link, 1);
    Cluster& c = *clusters_[static_cast<std::size_t>(cluster_of[static_cast<std::size_t>(find(a))])];
    Element& e = c.elements.emplace_back();
    e.source = link.source;
    e.index = link.element;
    e.member[0] = slot[static_cast<std::size_t>(a)];
    e.member[1] = b < 0 ? -1 : slot[static_cast<std::size_t>(b)];
    for (int end = 0; end < 2; ++end) e.place[end] = link.seat[end].place;
  }
}

void SolidSystem::advance(const Step& step) {
  const bool again =
      std::any_of(members_.begin(), members_.end(), [](const SolidObject* m) { return m->every_iteration(); });
  if (step.iteration > 0 && !again) return;  // solved to the end in the first iteration
  std::vector<Outcome> outcomes(clusters_.size());
  const auto one = [&](std::ptrdiff_t c) {
    outcomes[static_cast<std::size_t>(c)] = advance_cluster(*clusters_[static_cast<std::size_t>(c)], step);
  };
  // A single cluster is parallel inside.
  if (clusters_.size() == 1)
    one(0);
  else
    parallel_for(static_cast<std::ptrdiff_t>(clusters_.size()), one);
  report_ = {};
  if (step.iteration == 0) solves_ = {};
  cg_iterations_ = direct_solves_ = 0;
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    report_.iterations = std::max(report_.iterations, outcomes[c].iterations);
    report_.residual = worse(report_.residual, outcomes[c].residual);
    if (!outcomes[c].converged) report_.status = SolveReport::Status::failed;
    solves_.iterations += outcomes[c].piece_iterations;
    cg_iterations_ = std::max(cg_iterations_, clusters_[c]->cg_iterations);
    direct_solves_ += clusters_[c]->direct_solves;
  }
  if (report_.status == SolveReport::Status::failed) {
    report_.worst_object = "what is coupled:";
    for (const SolidObject* member : members_) report_.worst_object += " " + member->name();
  }
  solves_.solves += static_cast<std::int64_t>(clusters_.size());
  solves_.residual = report_.residual;
}

// Every block to the tolerance of its own object.
bool SolidSystem::converged(const Cluster& c, double violation, Outcome& report) {
  bool all = true;
  report.residual = 0;
  for (const Member& m : c.members) {
    const double left = m.block->residual(violation), tolerance = m.block->settings().tolerance;
    report.residual = worse(report.residual, left);
    report.piece_iterations += m.block->pieces();
    all = all && left < tolerance && m.last_step < std::sqrt(tolerance);
  }
  return all;
}

SolidSystem::Outcome SolidSystem::advance_cluster(Cluster& c, const Step& step) {
  parallel_for(static_cast<std::ptrdiff_t>(c.members.size()),
               [&](std::ptrdiff_t m) { c.members[static_cast<std::size_t>(m)].block->begin(step); });
  std::size_t total = 0;
  int max_iterations = 0;
  for (Member& m : c.members) {
    m.offset = total;
    total += m.block->size();
    max_iterations = std::max(max_iterations, m.block->settings().max_iterations);
  }
  c.rhs.assign(total, 0);
  c.solution.assign(total, 0);
  for (Element& e : c.elements) {
    c.find_rows(e);
    e.source->begin(e.index, c.point(e, 0, true), c.point(e, 1, true));
  }
  c.for_each_member([](Member& m) { m.block->place(); });

  Outcome report;
  for (;; ++report.iterations) {
    c.for_each_member([](Member& m) { m.block->assemble(); });
    double violation = 0;
    for (Element& e : c.elements) {
      e.source->evaluate(e.index, c.point(e, 0, false), c.point(e, 1, false), step.dt, e.term);
      // The forces of constraints between blocks join the residual; those of hard ones carry their multiplier.
      Cluster::for_each_entry(e, [&](int end, int r, std::size_t at, double j) {
        Member& m = c.members[static_cast<std::size_t>(e.member[end])];
        m.block->add_force(at - m.offset, j * e.term.force[r], r < e.term.hard ? 0 : j * e.term.stiffness[r] * j);
      });
      for (int r = 0; r < e.term.hard; ++r) violation = std::max(violation, std::abs(e.term.gap[r]));
    }
    if (converged(c, violation, report)) break;
    if (report.iterations == max_iterations || std::isnan(report.residual) || !solve_linear(c)) {
      report.converged = false;
      break;
    }
    double share = 1;
    for (Member& m : c.members) {
      m.last_step = m.block->step_size();
      share = std::min(share, m.block->reach());
    }
    c.for_each_member([&](Member& m) { m.block->move(share); });
    for (Element& e : c.elements)
      if (e.term.hard > 0) {
        double change[CouplingRows::max_rows];
        for (int r = 0; r < e.term.hard; ++r) change[r] = e.term.gap[r] * share;  // solve_hard left the step there
        e.source->advance(e.index, change, e.term.hard);
      }
  }
  c.for_each_member([](Member& m) { m.block->end(); });
  return report;
}

// The Newton step of the whole cluster into every block; false when no solver manages.
bool SolidSystem::solve_linear(Cluster& c) {
  std::vector<char> good(c.members.size());
  c.for_each_member([&](const Member& m) {
    good[static_cast<std::size_t>(&m - c.members.data())] = m.block->factor();
    m.block->right_side(c.rhs.data() + m.offset);
  });
  if (!std::all_of(good.begin(), good.end(), [](char g) { return g != 0; })) return false;
  c.whole.reset();
  c.cg_left = c.cg_limit;
  if (!solve_soft(c, c.rhs, c.solution) || !solve_hard(c)) return false;
  for (Member& m : c.members) m.block->set_step(c.solution.data() + m.offset);
  return true;
}

// All but the hard rows, each of which asks for a solution of its own.
bool SolidSystem::solve_soft(Cluster& c, std::span<const double> b, std::span<double> x) {
  if (std::none_of(c.elements.begin(), c.elements.end(), [](const Element& e) { return e.term.rows > e.term.hard; })) {
    c.block_solve(b, x);
    return true;
  }
  if (c.cg_left > 0) {
    c.block_solve(b, x);
    const CgReport report =
        conjugate_gradient([&](std::span<const double> in, std::span<double> out) { c.product(in, out); },
                           [&](std::span<const double> in, std::span<double> out) { c.block_solve(in, out); }, b, x,
                           c.workspace, CgOptions{linear_tolerance, 0, c.cg_left});
    c.cg_iterations = std::max(c.cg_iterations, report.iterations);
    c.cg_left -= report.iterations;
    if (report.converged || report.status == CgStatus::stagnated) return true;
    c.cg_left = 0;
  }
  ++c.direct_solves;
  if (!c.whole && !factor_whole(c)) return false;
  c.whole->solver.solve_refined(c.whole->matrix, b, x);
  return true;
}

// (J A^-1 J' + 1/W) dlambda = C + J dq0, dq = dq0 - A^-1 J' dlambda.
bool SolidSystem::solve_hard(Cluster& c) {
  std::vector<std::pair<Element*, int>> rows;
  for (Element& e : c.elements)
    for (int r = 0; r < e.term.hard; ++r) rows.emplace_back(&e, r);
  if (rows.empty()) return true;
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd schur(n, n);
  Eigen::VectorXd gap(n);
  std::vector<std::vector<double>> columns(rows.size(), std::vector<double>(c.rhs.size()));
  std::vector<double> unit(c.rhs.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::fill(unit.begin(), unit.end(), 0.0);
    Cluster::for_each_entry(*rows[k].first, [&](int, int r, std::size_t at, double j) {
      if (r == rows[k].second) unit[at] += j;
    });
    if (!solve_soft(c, unit, columns[k])) return false;
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto at_k = static_cast<Eigen::Index>(k);
    std::vector<double> along(rows.size(), 0.0);
    double dq = 0;
    Cluster::for_each_entry(*rows[k].first, [&](int, int r, std::size_t at, double j) {
      if (r != rows[k].second) return;
      dq += j * c.solution[at];
      for (std::size_t l = 0; l < rows.size(); ++l) along[l] += j * columns[l][at];
    });
    for (std::size_t l = 0; l < rows.size(); ++l) schur(at_k, static_cast<Eigen::Index>(l)) = along[l];
    schur(at_k, at_k) *= 1 + redundancy;
    schur(at_k, at_k) += 1 / rows[k].first->term.stiffness[rows[k].second];
    gap[at_k] = rows[k].first->term.gap[rows[k].second] + dq;
  }
  const Eigen::VectorXd change = schur.ldlt().solve(gap);
  if (!change.allFinite()) return false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double dl = change[static_cast<Eigen::Index>(k)];
    for (std::size_t i = 0; i < c.solution.size(); ++i) c.solution[i] -= columns[k][i] * dl;
    rows[k].first->term.gap[rows[k].second] = dl;
  }
  return true;
}

// The fail-safe: the whole matrix, factored. Lanes without a strand have unit rows and take part unharmed.
bool SolidSystem::factor_whole(Cluster& c) {
  std::vector<Triplet> entries;
  for (const Member& m : c.members) m.block->entries(static_cast<std::int32_t>(m.offset), entries);
  for (const Element& e : c.elements) {
    if (e.term.rows == e.term.hard) continue;
    std::map<std::size_t, std::array<double, CouplingRows::max_rows>> columns;
    Cluster::for_each_entry(
        e, [&](int, int r, std::size_t at, double j) { columns[at][static_cast<std::size_t>(r)] += j; });
    for (auto p = columns.begin(); p != columns.end(); ++p)
      for (auto q = columns.begin(); q != std::next(p); ++q) {
        double value = 0;
        for (int r = e.term.hard; r < e.term.rows; ++r)
          value +=
              p->second[static_cast<std::size_t>(r)] * e.term.stiffness[r] * q->second[static_cast<std::size_t>(r)];
        entries.push_back({static_cast<std::int32_t>(p->first), static_cast<std::int32_t>(q->first), value});
      }
  }
  const bool multipliers =
      std::any_of(c.members.begin(), c.members.end(), [](const Member& m) { return m.block->indefinite(); });
  c.whole.emplace(
      SymmetricMatrix(static_cast<std::int32_t>(c.rhs.size()), entries),
      DirectSolver(DirectBackend::automatic, multipliers ? Definiteness::indefinite : Definiteness::positive));
  c.whole->solver.analyze(c.whole->matrix);
  return c.whole->solver.factor(c.whole->matrix);
}

}  // namespace ymir
