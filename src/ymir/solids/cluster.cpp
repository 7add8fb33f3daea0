#include "ymir/solids/cluster.h"

#include <algorithm>
#include <cmath>

#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr double linear_tolerance = 1e-9;
constexpr int patience = 8;  // iterations that Newton's method is left to itself
// Clusters with fewer unknowns are advanced by one thread: waking others takes longer.
constexpr std::size_t few_unknowns = 4096;

template <class F>  // f(end, row of the term, index, value)
void for_each_entry(const Cluster::Element& e, F&& f) {
  for (int end = 0; end < 2; ++end)
    for (int local = 0; local < e.dofs[end]; ++local) {
      if (e.at[end][local] < 0) continue;
      for (int r = 0; r < e.term.rows; ++r)
        f(end, r, static_cast<std::size_t>(e.at[end][local]), e.term.j[r][e.term.first[end] + local]);
    }
}

}  // namespace

int Cluster::add(std::unique_ptr<SolidBlock> block) {
  members_.emplace_back().block = std::move(block);
  return static_cast<int>(members_.size()) - 1;
}

template <class F>
void Cluster::for_each_member(F&& f) {
  if (rhs_.size() < few_unknowns) {
    for (Member& m : members_) f(m);
    return;
  }
  parallel_for(static_cast<std::ptrdiff_t>(members_.size()),
               [&](std::ptrdiff_t m) { f(members_[static_cast<std::size_t>(m)]); });
}

Embedding Cluster::point(const Element& e, int end, bool at_begin) const {
  if (e.member[end] < 0) return e.source->prescribed(e.index, at_begin);
  const Member& m = members_[static_cast<std::size_t>(e.member[end])];
  return m.block->embedded(e.place[end], e.source->point(e.index, end));
}

void Cluster::find_rows(Element& e) const {
  for (int end = 0; end < 2; ++end) {
    e.dofs[end] = point(e, end, true).dofs;
    for (int local = 0; local < e.dofs[end]; ++local) {
      const Member& m = members_[static_cast<std::size_t>(e.member[end])];
      const std::ptrdiff_t row = m.block->row(e.place[end], e.source->point(e.index, end), local);
      e.at[end][local] = row < 0 ? -1 : row + static_cast<std::ptrdiff_t>(m.offset);
    }
  }
}

void Cluster::begin(const Step& step) {
  parallel_for(static_cast<std::ptrdiff_t>(members_.size()),
               [&](std::ptrdiff_t m) { members_[static_cast<std::size_t>(m)].block->begin(step); });
  std::size_t total = 0;
  for (Member& m : members_) {
    m.offset = total;
    total += m.block->size();
  }
  rhs_.assign(total, 0);
  solution_.assign(total, 0);
  for (Element& e : elements_) {
    find_rows(e);
    e.source->begin(e.index, point(e, 0, true), point(e, 1, true));
  }
  for_each_member([](Member& m) { m.block->place(); });
}

// The forces of couplings join the residual; those of hard ones carry their multiplier. Returns the largest violation
// of a hard row.
double Cluster::evaluate(double dt) {
  double violation = 0;
  for (Element& e : elements_) {
    e.term.pull[0] = e.term.pull[1] = {0, 0, 0};
    e.term.curved = false;
    e.source->evaluate(e.index, point(e, 0, false), point(e, 1, false), dt, e.term);
    for_each_entry(e, [&](int end, int r, std::size_t at, double j) {
      Member& m = members_[static_cast<std::size_t>(e.member[end])];
      m.block->add_force(at - m.offset, j * e.term.force[r], r < e.term.hard ? 0 : j * e.term.stiffness[r] * j);
    });
    for (int end = 0; end < 2; ++end)
      if (e.member[end] >= 0)
        members_[static_cast<std::size_t>(e.member[end])].block->add_lever(e.place[end], e.source->point(e.index, end),
                                                                           e.term.pull[end]);
    for (int r = 0; r < e.term.hard; ++r) violation = worse(violation, std::fabs(e.term.gap[r]));
  }
  return violation;
}

// Every block to the tolerance of its own object.
bool Cluster::converged(double violation, Outcome& outcome) {
  bool all = true;
  outcome.residual = 0;
  for (const Member& m : members_) {
    const double left = m.block->residual(violation), tolerance = m.block->settings().tolerance;
    outcome.residual = worse(outcome.residual, left);
    outcome.piece_iterations += m.block->pieces();
    all = all && left < tolerance && m.last_step < std::sqrt(tolerance);
  }
  return all;
}

Cluster::Outcome Cluster::advance(const Step& step, int cg_limit) {
  begin(step);
  int max_iterations = 0;
  for (const Member& m : members_) max_iterations = std::max(max_iterations, m.block->settings().max_iterations);
  Outcome outcome;
  // Contacts that come and go, and friction that sticks and slips, may send full steps round in circles.
  double relaxation = 1, before[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (;; ++outcome.iterations) {
    for_each_member([](Member& m) { m.block->assemble(); });
    if (converged(evaluate(step.dt), outcome)) break;
    if (outcome.iterations >= patience)
      relaxation =
          outcome.residual > 0.9 * before[1] ? std::max(0.7 * relaxation, 0.1) : std::min(1.5 * relaxation, 1.0);
    before[1] = before[0];
    before[0] = outcome.residual;
    if (outcome.iterations == max_iterations || std::isnan(outcome.residual) || !solve_linear(outcome, cg_limit)) {
      outcome.converged = false;
      break;
    }
    double share = relaxation;
    for (Member& m : members_) {
      m.block->set_step(solution_.data() + m.offset);
      m.last_step = m.block->step_size();
      share = std::min(share, m.block->reach());
    }
    for_each_member([&](Member& m) { m.block->move(share); });
    for (Element& e : elements_)
      if (e.term.hard > 0) {
        double change[CouplingRows::max_rows];
        for (int r = 0; r < e.term.hard; ++r) change[r] = e.term.gap[r] * share;  // solve_whole left the step there
        e.source->advance(e.index, change, e.term.hard);
      }
  }
  for (const Element& e : elements_) e.source->end(e.index, point(e, 0, false), point(e, 1, false));
  for_each_member([](Member& m) { m.block->end(); });
  return outcome;
}

bool Cluster::factor_blocks() {
  std::vector<char> good(members_.size());
  for_each_member([&](const Member& m) { good[static_cast<std::size_t>(&m - members_.data())] = m.block->factor(); });
  return std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
}

// The Newton step of the whole cluster; false when no solver manages.
bool Cluster::solve_linear(Outcome& outcome, int cg_limit) {
  const auto any = [&](auto&& is) { return std::any_of(elements_.begin(), elements_.end(), is); };
  if (any([](const Element& e) { return e.term.hard > 0; })) {
    for_each_member([&](const Member& m) { m.block->right_side(rhs_.data() + m.offset); });
    return solve_whole(outcome);
  }
  if (!factor_blocks()) return false;
  for_each_member([&](const Member& m) { m.block->right_side(rhs_.data() + m.offset); });
  block_solve(rhs_, solution_);
  if (!any([](const Element& e) { return e.term.rows > 0; })) return true;
  const CgReport report =
      conjugate_gradient([&](std::span<const double> in, std::span<double> out) { product(in, out); },
                         [&](std::span<const double> in, std::span<double> out) { block_solve(in, out); }, rhs_,
                         solution_, workspace_, CgOptions{linear_tolerance, 0, cg_limit});
  outcome.cg_iterations = std::max(outcome.cg_iterations, report.iterations);
  if (report.converged || report.status == CgStatus::stagnated) return true;
  return solve_whole(outcome);
}

void Cluster::block_solve(std::span<const double> r, std::span<double> z) {
  for_each_member([&](const Member& m) { m.block->solve(r.data() + m.offset, z.data() + m.offset); });
}

void Cluster::product(std::span<const double> x, std::span<double> y) {
  for_each_member([&](const Member& m) { m.block->product(x.data() + m.offset, y.data() + m.offset); });
  for (const Element& e : elements_) {
    double jx[CouplingRows::max_rows] = {};
    for_each_entry(e, [&](int, int r, std::size_t at, double j) { jx[r] += j * x[at]; });
    for (int r = 0; r < e.term.rows; ++r) jx[r] *= e.term.stiffness[r];
    for_each_entry(e, [&](int, int r, std::size_t at, double j) { y[at] += j * jx[r]; });
  }
}

bool Cluster::solve_whole(Outcome& outcome) {
  ++outcome.direct_solves;
  if (!whole_) whole_ = std::make_shared<WholeSystem>();
  gather(true);
  // Definite block by block, and without the curvature of couplings, the whole is definite.
  if (!whole_->factor(coupled_)) {
    if (!factor_blocks()) return false;
    for_each_member([&](const Member& m) { m.block->right_side(rhs_.data() + m.offset); });
    gather(false);
    if (!whole_->factor(coupled_)) return false;
  }
  std::vector<double> b, x;
  std::vector<std::int32_t> slot_of(rhs_.size());
  std::int32_t first = 0;
  for (const Member& m : members_) {
    for (std::size_t row = 0; row < m.block->size(); ++row) slot_of[m.offset + row] = first + m.block->slot(row);
    first += 3 * m.block->nodes();
  }
  b.assign(static_cast<std::size_t>(first), 0);
  x.resize(b.size());
  for (std::size_t i = 0; i < rhs_.size(); ++i) b[static_cast<std::size_t>(slot_of[i])] = rhs_[i];
  if (!whole_->solve(coupled_, b, x)) return false;
  for (std::size_t i = 0; i < rhs_.size(); ++i) solution_[i] = x[static_cast<std::size_t>(slot_of[i])];
  for (std::size_t k = 0; k < elements_.size(); ++k)
    for (int r = 0; r < elements_[k].term.hard; ++r)
      elements_[k].term.gap[r] = coupled_[k].change[static_cast<std::size_t>(r)];
  return true;
}

// Blocks and couplings, as the whole system wants them.
void Cluster::gather(bool curvature) {
  std::vector<WholeSystem::Part> parts;
  std::int32_t nodes = 0;
  for (const Member& m : members_) {
    parts.push_back({m.block.get(), nodes});
    nodes += m.block->nodes();
  }
  coupled_.resize(elements_.size());
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Element& e = elements_[k];
    WholeSystem::Coupled& c = coupled_[k];
    c.slots.clear();
    int column[2 * Embedding::max_dofs];
    struct Local {
      int end, dof;
    } local[2 * Embedding::max_dofs];
    for (int end = 0; end < 2; ++end)
      for (int dof = 0; dof < e.dofs[end]; ++dof) {
        if (e.at[end][dof] < 0) continue;
        const Member& m = members_[static_cast<std::size_t>(e.member[end])];
        const WholeSystem::Part& part = parts[static_cast<std::size_t>(e.member[end])];
        column[c.slots.size()] = e.term.first[end] + dof;
        local[c.slots.size()] = {end, dof};
        c.slots.push_back(3 * part.first_node + m.block->slot(static_cast<std::size_t>(e.at[end][dof]) - m.offset));
      }
    const std::size_t n = c.slots.size();
    c.rows = e.term.rows;
    c.hard = e.term.hard;
    c.j.resize(static_cast<std::size_t>(c.rows) * n);
    for (int r = 0; r < c.rows; ++r)
      for (std::size_t p = 0; p < n; ++p) c.j[static_cast<std::size_t>(r) * n + p] = e.term.j[r][column[p]];
    c.stiffness.assign(e.term.stiffness, e.term.stiffness + c.rows);
    c.gap.assign(e.term.gap, e.term.gap + c.hard);
    c.curvature.clear();
    if (!curvature || !e.term.curved) continue;
    const Embedding ends[2] = {point(e, 0, false), point(e, 1, false)};
    std::vector<double> half(n * CouplingRows::twists);  // twists of each unknown, times the curvature
    const auto twist = [&](std::size_t p, int t) {
      const Embedding& at = ends[local[p].end];
      if (t / 6 != local[p].end) return 0.0;
      return t % 6 < 3 ? at.shift[local[p].dof][t % 3] : at.turn[local[p].dof][t % 3];
    };
    for (std::size_t p = 0; p < n; ++p)
      for (int t = 0; t < CouplingRows::twists; ++t)
        for (int u = 0; u < CouplingRows::twists; ++u)
          half[p * CouplingRows::twists + static_cast<std::size_t>(t)] += twist(p, u) * e.term.curvature[u][t];
    c.curvature.resize(n * n);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q < n; ++q)
        for (int t = 0; t < CouplingRows::twists; ++t)
          c.curvature[p * n + q] += half[p * CouplingRows::twists + static_cast<std::size_t>(t)] * twist(q, t);
  }
  whole_->gather(parts, coupled_);
}

}  // namespace ymir
