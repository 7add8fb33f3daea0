#include "ymir/solids/cluster.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr double linear_tolerance = 1e-9;
constexpr int patience = 8;  // iterations that Newton's method is left to itself
// Hard gaps below are left by rounding, as of light bodies on stiff ones; wider ones are contradictions [m or 1].
constexpr double small_gap = 1e-6;
// Iterations after which hard rows yield, unless they contradict each other.
constexpr int rigid_for = 16;
// Part of the gap that is judged where a row yields as far as its multiplier says.
constexpr double yielded = 1e-3;
// Clusters with fewer unknowns are advanced by one thread: waking others takes longer.
constexpr std::size_t few_unknowns = 4096;

}  // namespace

int Cluster::add(int object, std::unique_ptr<SolidBlock> block) {
  return add(object, std::make_unique<LocalMember>(std::move(block)));
}

int Cluster::add(int object, std::unique_ptr<LocalMember> local) {
  LocalMember* here = local.get();
  const int number = add(object, std::unique_ptr<ClusterMember>(std::move(local)));
  members_.back().local = here;
  return number;
}

int Cluster::add(int object, std::unique_ptr<ClusterMember> elsewhere) {
  members_.push_back({std::move(elsewhere), nullptr, object});
  return static_cast<int>(members_.size()) - 1;
}

void Cluster::add_element(Coupling& source, std::size_t index, const int (&member)[2], const int (&place)[2]) {
  Element& e = elements_.emplace_back();
  e.source = &source;
  e.index = index;
  for (int end = 0; end < 2; ++end) {
    e.member[end] = member[end];
    e.place[end] = place[end];
    e.port[end] = member[end] < 0 ? -1
                                  : members_[static_cast<std::size_t>(member[end])].seen->add_port(
                                        place[end], source.point(index, end));
  }
}

template <class F>
void Cluster::for_each_local(F&& f) {
  if (rhs_.size() < few_unknowns) {
    for (Member& m : members_)
      if (m.local != nullptr) f(m);
    return;
  }
  parallel_for(static_cast<std::ptrdiff_t>(members_.size()), [&](std::ptrdiff_t m) {
    if (members_[static_cast<std::size_t>(m)].local != nullptr) f(members_[static_cast<std::size_t>(m)]);
  });
}

template <class F>
void Cluster::for_each_entry(const Element& e, F&& f) {
  for (int end = 0; end < 2; ++end)
    for (int local = 0; local < e.dofs[end]; ++local) {
      if (e.at[end][local] < 0) continue;
      for (int r = 0; r < e.term.rows; ++r)
        f(end, r, static_cast<std::size_t>(e.at[end][local]), e.term.j[r][e.term.first[end] + local]);
    }
}

Embedding Cluster::point(const Element& e, int end, bool at_begin) const {
  if (e.member[end] < 0) return e.source->prescribed(e.index, at_begin ? time_ - dt_ : time_);
  return members_[static_cast<std::size_t>(e.member[end])].seen->point(e.port[end]);
}

void Cluster::find_rows(Element& e) const {
  for (int end = 0; end < 2; ++end) {
    e.dofs[end] = point(e, end, true).dofs;
    for (int local = 0; local < e.dofs[end]; ++local) {
      const Member& m = members_[static_cast<std::size_t>(e.member[end])];
      const std::ptrdiff_t row = m.seen->row(e.port[end], local);
      e.at[end][local] = row < 0 ? -1 : row + static_cast<std::ptrdiff_t>(m.offset);
    }
  }
}

void Cluster::begin(const Step& step) {
  dt_ = step.dt;
  time_ = step.time + step.dt;
  outcome_ = {};
  running_ = true;
  yields_ = false;
  relaxation_ = 1;
  step_.clear();
  parallel_for(static_cast<std::ptrdiff_t>(members_.size()), [&](std::ptrdiff_t m) {
    if (LocalMember* local = members_[static_cast<std::size_t>(m)].local) local->begin(step);
  });
}

void Cluster::begin_elements() {
  std::size_t total = 0;
  max_iterations_ = 0;
  for (Member& m : members_) {
    m.offset = total;
    m.last_step = std::numeric_limits<double>::infinity();
    total += m.seen->size();
    max_iterations_ = std::max(max_iterations_, m.seen->settings().max_iterations);
  }
  rhs_.assign(total, 0);
  solution_.assign(total, 0);
  matrix_.forget();
  other_matrix_.forget();
  others_.clear();
  for (Element& e : elements_) {
    find_rows(e);
    e.source->begin(e.index, point(e, 0, true), point(e, 1, true));
  }
  before_[0] = before_[1] = std::numeric_limits<double>::infinity();
}

void Cluster::place() {
  for_each_local([](Member& m) { m.local->block().place(); });
}

void Cluster::assemble() {
  for_each_local([](Member& m) { m.local->block().assemble(); });
}

// The forces of couplings join the residual; those of hard ones carry their multiplier.
double Cluster::evaluate() {
  violation_ = 0;
  for (Member& m : members_) m.seen->forget_forces();
  for (Element& e : elements_) {
    CouplingRows& term = e.term;
    term.pull[0] = term.pull[1] = {0, 0, 0};
    term.curved = false;
    term.bounded = 0;
    e.source->evaluate(e.index, point(e, 0, false), point(e, 1, false), dt_, term);
    for (int end = 0; end < 2; ++end) {
      if (e.member[end] < 0) continue;
      ClusterMember& seen = *members_[static_cast<std::size_t>(e.member[end])].seen;
      for (int local = 0; local < e.dofs[end]; ++local) {
        if (e.at[end][local] < 0) continue;
        double force = 0, stiffness = 0;
        for (int r = 0; r < term.rows; ++r) {
          const double j = term.j[r][term.first[end] + local];
          force += j * term.force[r];
          stiffness += r < term.hard ? 0 : j * term.stiffness[r] * j;
        }
        seen.add_force(e.port[end], local, force, stiffness);
      }
      seen.add_lever(e.port[end], term.pull[end]);
    }
    for (int r = 0; r < term.hard; ++r)
      violation_ = worse(violation_, opening(static_cast<std::size_t>(&e - elements_.data()), r));
  }
  return violation_;
}

// What counts of the gap of a hard row.
double Cluster::opening(std::size_t element, int row) const {
  const CouplingRows& term = elements_[element].term;
  const auto r = static_cast<std::size_t>(row);
  double whole = std::fabs(term.gap[row]);
  if (row >= term.hard - term.bounded) {
    // At a bound only one side is closed.
    if (term.force[row] >= term.high[row])
      whole = std::max(0.0, -term.gap[row]);
    else if (term.force[row] <= term.low[row])
      whole = std::max(0.0, term.gap[row]);
    if (whole == 0) return 0;
  }
  if (!yields_ || coupled_[element].yield.size() <= r || coupled_[element].yield[r] == 0) return whole;
  return worse(std::fabs(term.gap[row] - coupled_[element].yield[r] * term.force[row]), yielded * whole);
}

// Every block to the tolerance of its own object.
bool Cluster::judge() {
  bool all = true;
  outcome_.residual = 0;
  outcome_.worst_object = -1;
  for (const Member& m : members_) {
    const double tolerance = std::max(m.seen->settings().tolerance, noise_);
    double left = m.seen->residual(violation_);
    if (alone() && m.last_step < still_) left = std::min(left, m.last_step);
    if (outcome_.worst_object < 0 || worse(outcome_.residual, left) != outcome_.residual) {
      outcome_.worst_object = m.object;
      outcome_.worst_piece = m.seen->piece_of(0);
    }
    outcome_.residual = worse(outcome_.residual, left);
    outcome_.piece_iterations += m.seen->pieces();
    all = all && left < tolerance && m.last_step < std::sqrt(tolerance);
  }
  if (all) return running_ = false;
  falling_ = outcome_.residual <= 0.9 * before_[1];
  before_[1] = before_[0];
  before_[0] = outcome_.residual;
  if (outcome_.iterations == max_iterations_ || std::isnan(outcome_.residual)) fail();
  return running_;
}

void Cluster::remember(std::span<const double> step) {
  step_before_.swap(step_);
  step_.assign(step.begin(), step.end());
}

// Whether the step points back to where the one before came from.
bool Cluster::turns_back() const {
  if (step_.size() != step_before_.size()) return false;  // the other solver had that one
  double along = 0;
  for (std::size_t i = 0; i < step_.size(); ++i) along += step_[i] * step_before_[i];
  return along < 0;
}

// Couplings that contradict each other share what cannot be: each of them is left with a part of the gap, which no
// solution of the linear system closes. Gaps that it closes, and that are there again, are Newton's method's alone.
void Cluster::fail() {
  outcome_.converged = running_ = false;
  constexpr double share = 0.1;
  double without = 0, with = 0;
  for (const Member& m : members_) {
    without = worse(without, m.seen->residual(0));
    with = worse(with, m.seen->residual(violation_));
  }
  std::vector<std::pair<double, std::string>> left;
  double widest = 0;
  for (const Element& e : elements_) {
    double gap = 0;
    const auto number = static_cast<std::size_t>(&e - elements_.data());
    if (number >= coupled_.size()) break;
    for (const double open : coupled_[number].open) gap = std::max(gap, open);
    if (gap > share * violation_) left.emplace_back(-gap, e.source->owner());
    widest = std::max(widest, gap);
  }
  // Multipliers may have grown so far that rounding in the residuals of blocks outweighs the gaps.
  const bool gaps_decide = with > 2 * without || widest > 0.5 * violation_;
  if (!(gaps_decide && violation_ > small_gap)) return;
  std::sort(left.begin(), left.end());
  for (const auto& [gap, owner] : left)
    if (std::find(outcome_.at_odds.begin(), outcome_.at_odds.end(), owner) == outcome_.at_odds.end())
      outcome_.at_odds.push_back(owner);
  outcome_.gap = violation_;
}

// Cloth that buckles leaves one equilibrium for another: residuals grow while steps agree, and shorter ones would only
// take longer. Steps that go round in circles turn back.
double Cluster::choose_share() {
  if (outcome_.iterations >= patience) {
    if (falling_)
      relaxation_ = std::min(1.5 * relaxation_, 1.0);
    else if (turns_back())
      relaxation_ = std::max(0.7 * relaxation_, 0.1);
  }
  double share = relaxation_;
  for (Member& m : members_) {
    m.last_step = m.seen->step_size();
    share = std::min(share, m.seen->reach());
  }
  return share;
}

void Cluster::move(double share) {
  for_each_local([&](Member& m) { m.local->move(share); });
  ++outcome_.iterations;
  // Multipliers may be beyond all measure by now.
  const bool anew = outcome_.iterations == rigid_for && violation_ < small_gap;
  yields_ = yields_ || anew;
  for (Element& e : elements_)
    if (e.term.hard > 0) {
      double change[CouplingRows::max_rows];
      for (int r = 0; r < e.term.hard; ++r)
        change[r] = anew ? -e.term.force[r] : e.term.gap[r] * share;  // solve_whole left the step there
      e.source->advance(e.index, change, e.term.hard);
    }
}

void Cluster::end() {
  for (const Element& e : elements_) e.source->end(e.index, point(e, 0, false), point(e, 1, false));
  for_each_local([](Member& m) { m.local->block().end(); });
}

Cluster::Outcome Cluster::advance(const Step& step, int cg_limit) {
  begin(step);
  begin_elements();
  place();
  const auto forces = [this] {
    assemble();
    evaluate();
  };
  for (forces(); judge();) {
    if (!solve_linear(cg_limit)) {
      fail();
      break;
    }
    descend(forces);
  }
  end();
  return outcome_;
}

bool Cluster::factor_blocks() {
  std::vector<char> good(members_.size());
  for_each_local([&](const Member& m) {
    good[static_cast<std::size_t>(&m - members_.data())] = m.local->block().factor() ? 1 : 0;
  });
  return std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
}

// The Newton step of the whole cluster; false when no solver manages.
bool Cluster::solve_linear(int cg_limit) {
  const auto any = [&](auto&& is) { return std::any_of(elements_.begin(), elements_.end(), is); };
  if (any([](const Element& e) { return e.term.hard > 0; }) || (!elements_.empty() && any_large()))
    return solve_directly();
  if (!factor_blocks()) return false;
  for_each_local([&](const Member& m) { m.local->block().right_side(rhs_.data() + m.offset); });
  block_solve(rhs_, solution_);
  if (any([](const Element& e) { return e.term.rows > 0; })) {
    const CgReport report =
        conjugate_gradient([&](std::span<const double> in, std::span<double> out) { product(in, out); },
                           [&](std::span<const double> in, std::span<double> out) { block_solve(in, out); }, rhs_,
                           solution_, workspace_, CgOptions{linear_tolerance, 0, cg_limit});
    outcome_.cg_iterations = std::max(outcome_.cg_iterations, report.iterations);
    if (!report.converged && report.status != CgStatus::stagnated) return solve_directly();
  }
  for_each_local([&](Member& m) { m.local->block().set_step(solution_.data() + m.offset); });
  remember(solution_);
  return true;
}

void Cluster::block_solve(std::span<const double> r, std::span<double> z) {
  for_each_local([&](const Member& m) { m.local->block().solve(r.data() + m.offset, z.data() + m.offset); });
}

void Cluster::product(std::span<const double> x, std::span<double> y) {
  for_each_local([&](const Member& m) { m.local->block().product(x.data() + m.offset, y.data() + m.offset); });
  for (const Element& e : elements_) {
    double jx[CouplingRows::max_rows] = {};
    for_each_entry(e, [&](int, int r, std::size_t at, double j) { jx[r] += j * x[at]; });
    for (int r = 0; r < e.term.rows; ++r) jx[r] *= e.term.stiffness[r];
    for_each_entry(e, [&](int, int r, std::size_t at, double j) { y[at] += j * jx[r]; });
  }
}

// As it is; or, where that is indefinite, definite block by block and without the curvature of couplings.
bool Cluster::solve_directly() {
  if (!prepare(false)) return false;
  Solved solved = solve_whole(false);
  if (solved == Solved::indefinite && prepare(true)) solved = solve_whole(true);
  if (solved != Solved::yes) return false;
  set_steps();
  return true;
}

void Cluster::set_steps() {
  for_each_local([](Member& m) { m.local->set_step(); });
}

bool Cluster::prepare(bool definite) {
  std::vector<char> good(members_.size());
  for_each_local(
      [&](Member& m) { good[static_cast<std::size_t>(&m - members_.data())] = m.local->prepare(definite) ? 1 : 0; });
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (members_[m].local == nullptr) good[m] = members_[m].seen->prepare(definite) ? 1 : 0;
  return std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
}

bool Cluster::any_large() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& m) { return m.local != nullptr && m.local->block().large() != nullptr; });
}

void Cluster::order_parts() {
  if (matrix_.ordered()) return;
  std::vector<ClusterMatrix::Member> members;
  for (const Member& m : members_) members.push_back({m.seen.get(), m.object});
  matrix_.order(members);
}

Solved Cluster::solve_whole(bool definite) {
  order_parts();
  gather(!definite);
  const Solved solved = matrix_.solve(coupled_);
  outcome_.cg_iterations = std::max(outcome_.cg_iterations, matrix_.cg_iterations());
  outcome_.direct_solves += matrix_.factored() && !definite ? 1 : 0;
  if (solved != Solved::yes) return definite ? Solved::no : solved;
  take_multipliers(matrix_.solution());
  return Solved::yes;
}

// Where hard rows had their gaps are the steps of their multipliers from now on.
void Cluster::take_multipliers(std::span<const double> step) {
  for (std::size_t k = 0; k < elements_.size(); ++k)
    for (int r = 0; r < elements_[k].term.hard; ++r)
      elements_[k].term.gap[r] = coupled_[k].change[static_cast<std::size_t>(r)];
  remember(step);
}

// Couplings, as the whole system wants them.
void Cluster::gather(bool curvature) {
  gather(curvature, [this](std::size_t member, std::size_t row) { return matrix_.slot_of(member, row); });
}

void Cluster::gather(bool curvature, const SlotOf& slot_of) {
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
        column[c.slots.size()] = e.term.first[end] + dof;
        local[c.slots.size()] = {end, dof};
        const auto m = static_cast<std::size_t>(e.member[end]);
        c.slots.push_back(slot_of(m, static_cast<std::size_t>(e.at[end][dof]) - members_[m].offset));
      }
    const std::size_t n = c.slots.size();
    c.rows = e.term.rows;
    c.hard = e.term.hard;
    c.j.resize(static_cast<std::size_t>(c.rows) * n);
    for (int r = 0; r < c.rows; ++r)
      for (std::size_t p = 0; p < n; ++p) c.j[static_cast<std::size_t>(r) * n + p] = e.term.j[r][column[p]];
    c.stiffness.assign(e.term.stiffness, e.term.stiffness + c.rows);
    c.bounded = e.term.bounded;
    c.gap.assign(e.term.gap, e.term.gap + c.hard);
    c.low.assign(e.term.low + c.hard - c.bounded, e.term.low + c.hard);
    c.high.assign(e.term.high + c.hard - c.bounded, e.term.high + c.hard);
    c.yields = yields_;
    c.force.assign(e.term.force, e.term.force + c.hard);
    c.curvature.clear();
    if (!curvature || !e.term.curved) continue;
    // T' K T: each unknown moves and turns its own end.
    constexpr int twists = CouplingRows::twists, own = twists / 2;
    const Embedding ends[2] = {point(e, 0, false), point(e, 1, false)};
    double half[2 * Embedding::max_dofs][twists];
    const auto twist = [&](std::size_t p, int t) {
      const Embedding& at = ends[local[p].end];
      return t < 3 ? at.shift[local[p].dof][t] : at.turn[local[p].dof][t - 3];
    };
    for (std::size_t p = 0; p < n; ++p) {
      std::fill_n(half[p], twists, 0.0);
      for (int u = 0; u < own; ++u)
        for (int t = 0; t < twists; ++t) half[p][t] += twist(p, u) * e.term.curvature[own * local[p].end + u][t];
    }
    c.curvature.assign(n * n, 0);
    for (std::size_t q = 0; q < n; ++q) {
      double moved[own];
      for (int u = 0; u < own; ++u) moved[u] = twist(q, u);
      for (std::size_t p = 0; p < n; ++p)
        for (int u = 0; u < own; ++u) c.curvature[p * n + q] += half[p][own * local[q].end + u] * moved[u];
    }
  }
}

}  // namespace ymir
