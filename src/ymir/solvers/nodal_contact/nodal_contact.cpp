#include "ymir/solvers/nodal_contact/nodal_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/cone.h"
#include "ymir/solvers/nodal_contact/compliance_sweeps.h"
#include "ymir/solvers/nodal_contact/contact_blocks.h"

namespace ymir {
namespace {

using Real = ContactLanes::Real;
constexpr int lanes = ContactLanes::lanes;

NodeVector with_fourth(NodeVector a, double fourth) {
  a.set(3, fourth);
  return a;
}

// Tolerances within which sweeps on compliances are tried.
constexpr double near = 30;

double squared(const NodeVector& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

}  // namespace

template <class F>
void NodalContact::for_each_body(F&& body) const {
  constexpr std::ptrdiff_t block = 4;
  constexpr std::size_t worth_threads = 4096;  // nodes
  for (const std::int32_t b : alone_) body(static_cast<std::size_t>(b));
  if (metric_.size() < worth_threads)
    for (const std::int32_t b : side_by_side_) body(static_cast<std::size_t>(b));
  else
    parallel_blocks(static_cast<std::ptrdiff_t>(side_by_side_.size()), block,
                    [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                      for (std::ptrdiff_t i = begin; i < end; ++i)
                        body(static_cast<std::size_t>(side_by_side_[static_cast<std::size_t>(i)]));
                    });
  for (const std::int32_t b : elsewhere_) body(static_cast<std::size_t>(b));
}

template <class F>
void NodalContact::announce(NodalBody::Question question, F&& values) {
  for (const std::int32_t b : elsewhere_)
    if (const double* with = values(static_cast<std::size_t>(b)); with != nullptr)
      bodies_[static_cast<std::size_t>(b)]->announce(question, with);
  for (const std::int32_t b : elsewhere_) bodies_[static_cast<std::size_t>(b)]->send();
}

void NodalContact::begin(std::span<NodalBody* const> bodies, const ContactList& list) {
  bodies_.assign(bodies.begin(), bodies.end());
  first_.assign(1, 0), alone_.clear(), side_by_side_.clear(), elsewhere_.clear();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    first_.push_back(first_.back() + bodies_[b]->nodes());
    (bodies_[b]->elsewhere()  ? elsewhere_
     : bodies_[b]->threaded() ? alone_
                              : side_by_side_)
        .push_back(static_cast<std::int32_t>(b));
  }
  const auto nodes = static_cast<std::size_t>(first_.back());
  metric_.assign(nodes, {});
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    bodies_[b]->describe(std::span(metric_).subspan(first(b), first(b + 1) - first(b)));
  std::vector<std::uint8_t> moves(nodes);
  for (std::size_t i = 0; i < nodes; ++i) moves[i] = metric_[i].mass > 0;
  std::vector<std::int32_t> pieces;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int k = 0; k < bodies_[b]->pieces(); ++k) pieces.push_back(first_[b] + bodies_[b]->first_node(k));
  pieces.push_back(first_.back());
  contacts_.build(list, first_, moves, contact_blocks(list, first_, pieces));
  const NodeVector zero = NodeVector::all(0);
  const std::size_t all = nodes + static_cast<std::size_t>(contacts_.spare_nodes());
  y_.assign(all, zero), z_.assign(all, zero), exact_.assign(all, zero), given_.assign(all, zero),
      v_.assign(nodes, zero), before_.assign(nodes, zero);
  changed_.assign(bodies_.size(), 0);
  best_ = contacts_.impulse;
  measured_.clear();
}

// Metric and scales of errors, when bodies can be asked for the first time. They stay until the next begin().
void NodalContact::measure() {
  measured_.resize(bodies_.size());
  for_each_body([&](std::size_t b) {
    measured_[b] = bodies_[b]->measure(std::span(metric_).subspan(first(b), first(b + 1) - first(b)));
  });
  // Scales of errors: the metric with compliances in place of 1/D.
  for (std::size_t i = 0; i < metric_.size(); ++i) y_[i].set(3, metric_[i].compliance);
  refresh_metric(contacts_, y_.data());
  for (std::size_t g = 0; g < contacts_.scale.size(); ++g) {
    const Real w = contacts_.inverse_w[g];
    contacts_.scale[g] = select(w > 0.0, 1.0 / select(w > 0.0, w, 1.0), 0.0);
  }
}

// Impulses are kept with the cohesion added, r + c n, which turns its law into that without; -c n acts as a load.
void NodalContact::take(const ContactList& list) {
  cohesive_ =
      std::any_of(list.contacts.begin(), list.contacts.end(), [](const NodeContact& c) { return c.cohesion > 0; });
  const auto put = [&](auto& to, std::size_t contact, Vec3d value) {
    const std::int32_t place = contacts_.place_of(contact);
    for (int k = 0; k < 3; ++k) to[static_cast<std::size_t>(place / lanes)][k].set(place % lanes, value[k]);
  };
  pull_.clear();
  if (cohesive_) {
    for (std::size_t i = 0; i < list.contacts.size(); ++i)
      put(contacts_.impulse, i, list.contacts[i].normal * -list.contacts[i].cohesion);
    pull_.assign(y_.size(), NodeVector::all(0));
    add_impulses(contacts_, pull_.data());
  }
  for (std::size_t i = 0; i < list.contacts.size(); ++i) {
    const NodeContact& c = list.contacts[i];
    put(contacts_.free, i, c.free);
    const Vec3d guess = project_on_cone(c.impulse + c.normal * c.cohesion, c.normal, c.friction);
    put(contacts_.impulse, i, is_finite(guess) ? guess : Vec3d{0, 0, 0});
  }
}

void NodalContact::give(ContactList& list) const {
  for (std::size_t i = 0; i < list.contacts.size(); ++i) {
    NodeContact& c = list.contacts[i];
    const std::int32_t place = contacts_.place_of(i);
    const ContactLanes::Vector& r = contacts_.impulse[static_cast<std::size_t>(place / lanes)];
    const int lane = place % lanes;
    c.impulse = Vec3d{r.x[lane], r.y[lane], r.z[lane]} - c.normal * c.cohesion;
  }
}

std::span<const NodeVector> NodalContact::of_body(const std::vector<NodeVector>& nodes, int body) const {
  const auto b = static_cast<std::size_t>(body);
  return std::span(nodes).subspan(first(b), first(b + 1) - first(b));
}

bool NodalContact::begin_masses(double factor) {
  mass_factor_ = factor;
  d_.resize(metric_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (std::size_t i = first(b); i < first(b + 1); ++i) d_[i] = bodies_[b]->exact() ? metric_[i].mass : first_mass(i);
  announce(NodalBody::Question::factor,
           [&](std::size_t b) { return bodies_[b]->exact() ? nullptr : masses(b).data(); });
  for_each_body([&](std::size_t b) { changed_[b] = bodies_[b]->exact() || bodies_[b]->factor(masses(b)); });
  return std::find(changed_.begin(), changed_.end(), 0) == changed_.end();
}

void NodalContact::exact_velocities() {
  if (cohesive_)
    given_ = pull_;
  else
    std::fill(given_.begin(), given_.end(), NodeVector::all(0));
  add_impulses(contacts_, given_.data());
  std::copy(given_.begin(), given_.end(), exact_.begin());
  announce(NodalBody::Question::solve,
           [&](std::size_t b) { return reinterpret_cast<const double*>(exact_.data() + first(b)); });
  for_each_body([&](std::size_t b) { bodies_[b]->solve(exact_.data() + first(b)); });
}

double NodalContact::check(int iteration, ContactProgress& progress) {
  exact_velocities();
  const ContactError error = contact_error(contacts_, exact_.data());
  const double relative = std::sqrt(error.squared) / speed_;

  if (!progress.note(iteration, relative, error.largest / rms_, error.impulse / rms_)) return relative;
  best_ = contacts_.impulse;
  report_.error = relative, report_.largest = error.largest / rms_, report_.impulse = error.impulse / rms_;
  return relative;
}

// y = v of the impulses, which is what exact_velocities() has left.
void NodalContact::start() {
  const auto nodes = static_cast<std::size_t>(first_.back());
  for (std::size_t i = 0; i < nodes; ++i) y_[i] = with_fourth(exact_[i], d_[i] > 0 ? 1 / d_[i] : 0);
  refresh_metric(contacts_, y_.data());
  std::fill(z_.begin(), z_.end(), NodeVector::all(0));
  add_impulses(contacts_, z_.data());
  for (std::size_t i = 0; i < nodes; ++i) z_[i] = y_[i] - z_[i] * y_[i][3];
}

// What M + D is solved for.
void NodalContact::load(std::size_t b, NodeVector* x) const {
  const std::size_t begin = first(b), count = first(b + 1) - begin;
  const NodeVector *y = y_.data() + begin, *z = z_.data() + begin;
  const double* d = d_.data() + begin;
  for (std::size_t i = 0; i < count; ++i) x[i] = (y[i] + y[i] - z[i]) * d[i];
  if (cohesive_)
    for (std::size_t i = 0; i < count; ++i) x[i] += pull_[begin + i];
}

void NodalContact::update_body(std::size_t b, double relaxation, bool keep) {
  if (bodies_[b]->exact()) return;
  const std::size_t begin = first(b), count = first(b + 1) - begin;
  // v is wanted where D may be adapted; else it need not travel through memory.
  thread_local std::vector<NodeVector> scratch;
  if (!keep) scratch.resize(std::max(scratch.size(), count));
  NodeVector *y = y_.data() + begin, *z = z_.data() + begin, *x = keep ? v_.data() + begin : scratch.data();
  load(b, x);
  bodies_[b]->solve_metric(x);
  for (std::size_t i = 0; i < count; ++i) {
    const NodeVector step = with_fourth((x[i] - y[i]) * relaxation, 0);
    y[i] += step, z[i] += step;
  }
}

void NodalContact::iterate(int sweeps, double relaxation, bool keep) {
  announce(NodalBody::Question::solve_metric, [&](std::size_t b) -> const double* {
    if (bodies_[b]->exact()) return nullptr;
    load(b, v_.data() + first(b));
    return reinterpret_cast<const double*>(v_.data() + first(b));
  });
  for_each_body([&](std::size_t b) { update_body(b, relaxation, keep); });
  for (int s = 0; s < sweeps; ++s) sweep_contacts(contacts_, y_.data());
}

// H'r = D (y - z) stays.
void NodalContact::change_mass(std::size_t i, double factor) {
  d_[i] *= factor;
  z_[i] = y_[i] - (y_[i] - z_[i]) * (1 / factor);
  y_[i].set(3, d_[i] > 0 ? 1 / d_[i] : 0);
}

// D of a piece follows the ratio of what splits its nodes to what moves them in an iteration, so that neither lags.
bool NodalContact::adapt_body(std::size_t b) {
  constexpr double most = 3, worth = 1.5;
  bool changed = false;
  for (int piece = 0; piece < bodies_[b]->pieces(); ++piece) {
    const std::size_t begin = first(b) + static_cast<std::size_t>(bodies_[b]->first_node(piece));
    const std::size_t end = first(b) + static_cast<std::size_t>(bodies_[b]->first_node(piece + 1));
    double split = 0, moved = 0;
    for (std::size_t i = begin; i < end; ++i) {
      split += d_[i] * squared(v_[i] - y_[i]);
      moved += d_[i] * squared(y_[i] - before_[i]);
    }
    if (!(split > 0 && moved > 0)) continue;
    const double factor = std::clamp(std::sqrt(split / moved), 1 / most, most);
    if (factor < worth && factor > 1 / worth) continue;
    changed = true;
    for (std::size_t i = begin; i < end; ++i) change_mass(i, factor);
  }
  return changed;
}

bool NodalContact::adapt(bool all) {
  for_each_body([&](std::size_t b) {
    const NodalBody::Adapt when = bodies_[b]->adapt();
    const bool now = when == NodalBody::Adapt::often || (when == NodalBody::Adapt::seldom && all && !measured_[b]);
    changed_[b] = !bodies_[b]->exact() && now && adapt_body(b);
  });
  return refactor();
}

// D of nodes becomes what f(node) says.
template <class F>
bool NodalContact::set_masses(F&& f) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    changed_[b] = !bodies_[b]->exact();
    for (std::size_t i = first(b); i < first(b + 1) && changed_[b]; ++i)
      if (d_[i] > 0) change_mass(i, f(i) / d_[i]);
  }
  return refactor();
}

// Of the bodies that changed.
bool NodalContact::refactor() {
  if (std::find(changed_.begin(), changed_.end(), 1) == changed_.end()) return true;
  ++report_.factorisations;
  refresh_metric(contacts_, y_.data());
  announce(NodalBody::Question::factor, [&](std::size_t b) { return changed_[b] == 0 ? nullptr : masses(b).data(); });
  for_each_body([&](std::size_t b) { changed_[b] = changed_[b] == 0 || bodies_[b]->factor(masses(b)); });
  return std::find(changed_.begin(), changed_.end(), 0) == changed_.end();
}

bool NodalContact::change(MetricPolicy::Change change) {
  switch (change) {
    case MetricPolicy::Change::none:
    case MetricPolicy::Change::more_sweeps: return true;
    case MetricPolicy::Change::adapt_often: return adapt(false);
    case MetricPolicy::Change::adapt_all: kept_ = d_; return adapt(true);
    case MetricPolicy::Change::take_back: return set_masses([&](std::size_t i) { return kept_[i]; });
    case MetricPolicy::Change::enlarge: return set_masses([&](std::size_t i) { return 2 * d_[i]; });
    case MetricPolicy::Change::restart:
      contacts_.impulse = best_;
      exact_velocities();
      if (!set_masses([&](std::size_t i) { return first_mass(i); })) return false;
      start();
      return true;
  }
  return true;
}

void NodalContact::run(const NodalOptions& options, ContactProgress& progress) {
  const bool deformable = std::any_of(bodies_.begin(), bodies_.end(),
                                      [](const NodalBody* b) { return b->adapt() == NodalBody::Adapt::seldom; });
  MetricPolicy policy(options.adapt, deformable, options.relaxation, options.sweeps);
  start();
  bool polished = !options.compliances;
  for (int it = 1; it <= options.max_iterations; ++it) {
    const bool looks = it % options.check_every == 0;
    if (looks) std::copy_n(y_.begin(), before_.size(), before_.begin());
    iterate(policy.sweeps(), policy.relaxation(), looks);
    report_.iterations = it;
    if (!looks) continue;
    const double error = check(it, progress);
    if (progress.solved() || progress.diverging() || progress.broken() || progress.stalled()) return;
    if (!polished && policy.thorough() && progress.slow() && progress.best() <= near * options.tolerance) {
      polished = true;
      if (polish(options, progress)) return;
      continue;
    }
    const MetricPolicy::Change what = policy.next(it, error, progress);
    if (what != MetricPolicy::Change::none && what != MetricPolicy::Change::adapt_often) progress.changed(it);
    if (!change(what)) return;
  }
}

// A few sweeps on compliances where not much is left: contacts next to each other, or to a clamp, whose impulses the
// splitting hardly moves, are solved by them at once. False: they did not; the splitting goes on from the best
// impulses.
bool NodalContact::polish(const NodalOptions& options, ContactProgress& progress) {
  NodalOptions few = options;
  few.max_sweeps = std::min(options.max_sweeps, report_.compliance_sweeps + 50);
  constexpr double worth = 0.5;
  sweep_compliances(few, worth, progress);
  if (progress.solved() || progress.broken()) return true;
  contacts_.impulse = best_;
  exact_velocities();
  start();
  progress.changed(report_.iterations);
  return false;
}

// As long as the error falls to `worth` of what it was with every check; 1: whatever it does.
void NodalContact::sweep_compliances(const NodalOptions& options, double worth, ContactProgress& progress) {
  ComplianceSweeps sweeps;
  contacts_.impulse = best_;
  if (!sweeps.build(*this)) return;
  progress.changed(report_.iterations);
  double before = progress.best();
  while (report_.compliance_sweeps < options.max_sweeps && !progress.solved() && !progress.broken()) {
    sweeps.run(*this, options.check_every);
    report_.compliance_sweeps += options.check_every;
    const double now = check(report_.iterations + report_.compliance_sweeps, progress);
    if (worth < 1 && now > worth * before) return;
    before = now;
  }
}

void NodalContact::cut_impulses() {
  constexpr double most = 10;
  for (std::size_t g = 0; g < contacts_.impulse.size(); ++g) {
    const ContactLanes::Vector a = contacts_.impulse[g] * contacts_.scale[g];
    const Real size = sqrt(dot(a, a)), limit = Real::all(most * rms_);
    contacts_.impulse[g] = contacts_.impulse[g] * select(size > limit, limit / size, 1.0);
  }
}

void NodalContact::name_worst() {
  constexpr std::size_t named = 8;
  std::vector<std::pair<double, std::int32_t>> errors;
  for (std::int32_t g = 0; g < contacts_.groups(); ++g) {
    const Real e = group_error(contacts_, g, exact_.data());
    for (int lane = 0; lane < lanes; ++lane)
      if (const std::int32_t c = contacts_.contact_at(lanes * g + lane); c >= 0) errors.emplace_back(-e[lane], c);
  }
  const std::size_t count = std::min(errors.size(), named);
  std::partial_sort(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(count), errors.end());
  for (std::size_t i = 0; i < count; ++i) report_.worst.push_back(errors[i].second);
}

void NodalContact::finish(const ContactProgress& progress) {
  report_.status = progress.status();
  contacts_.impulse = best_;
  if (report_.status == ContactStatus::diverging) cut_impulses();
  exact_velocities();
  if (report_.status != ContactStatus::solved) name_worst();
}

NodalReport NodalContact::solve(ContactList& list, const NodalOptions& options) {
  report_ = {};
  if (list.contacts.empty()) return report_;
  if (measured_.empty()) measure();
  take(list);
  best_ = contacts_.impulse;
  // q: velocities without contact.
  const Real zero = Real::all(0);
  std::fill(contacts_.impulse.begin(), contacts_.impulse.end(), ContactLanes::Vector{zero, zero, zero});
  exact_velocities();
  const ContactError without = contact_error(contacts_, exact_.data());
  // Those that graze are not asked for more than the rest of them is worth.
  constexpr double least = 1e-2;
  speed_ = std::max(std::sqrt(without.closing), least * std::sqrt(without.speed));
  rms_ = speed_ / std::sqrt(std::max(without.approach, 1.0));
  ContactProgress progress(options.tolerance);
  if (!std::isfinite(speed_)) {  // bodies gave no velocities
    report_.status = ContactStatus::failed, report_.error = std::numeric_limits<double>::infinity();
    for (NodeContact& c : list.contacts) c.impulse = {0, 0, 0};
    std::fill(given_.begin(), given_.end(), NodeVector::all(0));
    return report_;
  }
  if (without.approach > 0 && speed_ > 0) {
    std::swap(contacts_.impulse, best_);
    if (check(0, progress); !(progress.solved() && report_.error <= options.guess * options.tolerance)) {
      if (begin_masses(options.masses)) run(options, progress);
      if (options.compliances && !progress.solved() && !progress.diverging()) sweep_compliances(options, 1, progress);
    }
    finish(progress);
  }
  give(list);
  return report_;
}

std::size_t NodalContact::memory() const {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return contacts_.memory() + bytes(metric_) + bytes(d_) + bytes(y_) + bytes(z_) + bytes(v_) + bytes(exact_) +
         bytes(given_) + bytes(before_) + bytes(pull_) + bytes(best_) + bytes(kept_);
}

}  // namespace ymir
