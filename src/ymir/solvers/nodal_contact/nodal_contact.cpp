#include "ymir/solvers/nodal_contact/nodal_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/cone.h"
#include "ymir/solvers/nodal_contact/compliance_sweeps.h"

namespace ymir {
namespace {

using Real = ContactLanes::Real;
constexpr int lanes = ContactLanes::lanes;

NodeVector with_fourth(NodeVector a, double fourth) {
  a.set(3, fourth);
  return a;
}

double squared(const NodeVector& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

}  // namespace

struct NodalContact::Progress {
  NodalReport report;
  double speed = 0;  // |q|
  double rms = 0;    // of |q_i|
  double relaxation = 0;
  double best = std::numeric_limits<double>::infinity();
  // The error that was last halved, and when.
  double mark = std::numeric_limits<double>::infinity();
  int marked = 0;
  // Of the check at half as many iterations.
  struct Check {
    int iteration;
    double error, impulse;
  };
  std::vector<Check> checks;
  bool stalled = false;
};

template <class F>
void NodalContact::for_each_body(F&& body) const {
  constexpr std::ptrdiff_t block = 4;
  for (const std::int32_t b : alone_) body(static_cast<std::size_t>(b));
  parallel_blocks(static_cast<std::ptrdiff_t>(side_by_side_.size()), block,
                  [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                    for (std::ptrdiff_t i = begin; i < end; ++i)
                      body(static_cast<std::size_t>(side_by_side_[static_cast<std::size_t>(i)]));
                  });
}

void NodalContact::begin(std::span<NodalBody* const> bodies, const ContactList& list) {
  bodies_.assign(bodies.begin(), bodies.end());
  first_.assign(1, 0), alone_.clear(), side_by_side_.clear();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    first_.push_back(first_.back() + bodies_[b]->nodes());
    (bodies_[b]->threaded() ? alone_ : side_by_side_).push_back(static_cast<std::int32_t>(b));
  }
  const auto nodes = static_cast<std::size_t>(first_.back());
  metric_.assign(nodes, {});
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    bodies_[b]->describe(std::span(metric_).subspan(first(b), first(b + 1) - first(b)));
  std::vector<std::uint8_t> moves(nodes);
  for (std::size_t i = 0; i < nodes; ++i) moves[i] = metric_[i].mass > 0;
  contacts_.build(list, first_, moves);
  const NodeVector zero = NodeVector::all(0);
  const std::size_t all = nodes + static_cast<std::size_t>(contacts_.spare_nodes());
  y_.assign(all, zero), z_.assign(all, zero), v_.assign(all, zero), before_.assign(nodes, zero);
  changed_.assign(bodies_.size(), 0);
  best_ = contacts_.impulse;
  // Scales of errors: the metric with compliances in place of 1/D.
  for (std::size_t i = 0; i < nodes; ++i) y_[i].set(3, metric_[i].compliance);
  refresh_metric(contacts_, y_.data());
  for (std::size_t g = 0; g < contacts_.scale.size(); ++g) {
    const Real w = contacts_.inverse_w[g];
    contacts_.scale[g] = select(w > 0.0, 1.0 / select(w > 0.0, w, 1.0), 0.0);
  }
}

// Impulses are kept with the cohesion added, r + c n, which turns its law into that without; -c n acts as a load.
void NodalContact::take(const ContactList& list) {
  YMIR_CHECK(list.contacts.size() * lanes <= 4 * static_cast<std::size_t>(contacts_.groups()) * lanes);
  cohesive_ = std::any_of(list.contacts.begin(), list.contacts.end(), [](const Contact& c) { return c.cohesion > 0; });
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
    const Contact& c = list.contacts[i];
    put(contacts_.free, i, c.free);
    const Vec3d guess = project_on_cone(c.impulse + c.normal * c.cohesion, c.normal, c.friction);
    put(contacts_.impulse, i, is_finite(guess) ? guess : Vec3d{0, 0, 0});
  }
}

void NodalContact::give(ContactList& list) const {
  for (std::size_t i = 0; i < list.contacts.size(); ++i) {
    Contact& c = list.contacts[i];
    const std::int32_t place = contacts_.place_of(i);
    const ContactLanes::Vector& r = contacts_.impulse[static_cast<std::size_t>(place / lanes)];
    const int lane = place % lanes;
    c.impulse = Vec3d{r.x[lane], r.y[lane], r.z[lane]} - c.normal * c.cohesion;
  }
}

std::span<const NodeVector> NodalContact::velocities(int body) const {
  const auto b = static_cast<std::size_t>(body);
  return std::span(v_).subspan(first(b), first(b + 1) - first(b));
}

bool NodalContact::factor() {
  std::vector<std::uint8_t> good(bodies_.size(), 1);
  for_each_body([&](std::size_t b) {
    if (!bodies_[b]->exact())
      good[b] = bodies_[b]->factor(std::span(d_).subspan(first(b), first(b + 1) - first(b)));
  });
  return std::find(good.begin(), good.end(), 0) == good.end();
}

void NodalContact::exact_velocities() {
  if (cohesive_)
    v_ = pull_;
  else
    std::fill(v_.begin(), v_.end(), NodeVector::all(0));
  add_impulses(contacts_, v_.data());
  for_each_body([&](std::size_t b) { bodies_[b]->solve(v_.data() + first(b)); });
}

ContactError NodalContact::check() {
  exact_velocities();
  return contact_error(contacts_, v_.data());
}

// y = v of the guess, which is what check() has left.
void NodalContact::start() {
  const auto nodes = static_cast<std::size_t>(first_.back());
  for (std::size_t i = 0; i < nodes; ++i) y_[i] = with_fourth(v_[i], d_[i] > 0 ? 1 / d_[i] : 0);
  refresh_metric(contacts_, y_.data());
  std::fill(z_.begin(), z_.end(), NodeVector::all(0));
  add_impulses(contacts_, z_.data());
  for (std::size_t i = 0; i < nodes; ++i) z_[i] = y_[i] - z_[i] * y_[i][3];
}

void NodalContact::update_body(std::size_t b, double relaxation) {
  if (bodies_[b]->exact()) return;
  const std::size_t begin = first(b), end = first(b + 1);
  const NodeVector *y = y_.data(), *z = z_.data();
  NodeVector* x = v_.data();
  for (std::size_t i = begin; i < end; ++i) x[i] = NodeVector::all(d_[i]) * (y[i] + y[i] - z[i]);
  if (cohesive_)
    for (std::size_t i = begin; i < end; ++i) x[i] += pull_[i];
  bodies_[b]->solve_metric(x + begin);
  for (std::size_t i = begin; i < end; ++i) {
    const NodeVector step = with_fourth((x[i] - y[i]) * relaxation, 0);
    y_[i] += step, z_[i] += step;
  }
}

void NodalContact::iterate(const NodalOptions& options) {
  for_each_body([&](std::size_t b) { update_body(b, options.relaxation); });
  for (int s = 0; s < options.sweeps; ++s) sweep_contacts(contacts_, y_.data());
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
    const double factor = std::clamp(std::sqrt(split / moved), 1 / most, most);
    if (!(split > 0 && moved > 0) || (factor < worth && factor > 1 / worth)) continue;
    changed = true;
    for (std::size_t i = begin; i < end; ++i) {
      const double inverse = y_[i][3] / factor;
      d_[i] *= factor;
      z_[i] = y_[i] - (y_[i] - z_[i]) * (1 / factor);  // H'r = D (y - z) stays
      y_[i].set(3, inverse);
    }
  }
  return changed && bodies_[b]->factor(std::span(d_).subspan(first(b), first(b + 1) - first(b)));
}

bool NodalContact::adapt(int iteration, Progress& progress) {
  const bool seldom = iteration == 50 || iteration == 100 || iteration == 200 || iteration == 400;
  for_each_body([&](std::size_t b) {
    const NodalBody::Adapt when = bodies_[b]->adapt();
    const bool now = when == NodalBody::Adapt::often || (when == NodalBody::Adapt::seldom && seldom);
    changed_[b] = !bodies_[b]->exact() && now && adapt_body(b);
  });
  if (std::find(changed_.begin(), changed_.end(), 1) == changed_.end()) return false;
  refresh_metric(contacts_, y_.data());
  ++progress.report.factorisations;
  return true;
}

// Whether to stop, after a check.
bool NodalContact::finished(int iteration, const NodalOptions& options, Progress& p) {
  const ContactError error = check();
  const double relative = std::sqrt(error.squared) / p.speed;
  if (!(relative < std::numeric_limits<double>::infinity())) return true;
  if (relative < p.best) {
    p.best = relative;
    best_ = contacts_.impulse;
    p.report.error = relative, p.report.largest = error.largest / p.rms, p.report.impulse = error.impulse / p.rms;
  }
  constexpr double bound = 1e6;  // of w |r| over q: larger ones solve nothing
  if (relative <= options.tolerance && error.impulse <= bound * p.rms) return true;
  if (relative < p.mark / 2) p.mark = relative, p.marked = iteration;
  if (iteration - p.marked >= 50) p.relaxation = 1;
  // Without a solution impulses grow in proportion to the iterations while the error stays.
  p.checks.push_back({iteration, relative, error.impulse});
  for (const Progress::Check& c : p.checks)
    if (iteration >= 200 && 2 * c.iteration == iteration && error.impulse > 1.6 * c.impulse && relative > 0.8 * c.error)
      p.report.status = ContactStatus::diverging;
  p.stalled = iteration - p.marked >= 200;
  return p.report.status == ContactStatus::diverging || p.stalled;
}

void NodalContact::cut_impulses(double speed) {
  constexpr double most = 10;
  for (std::size_t g = 0; g < contacts_.impulse.size(); ++g) {
    const ContactLanes::Vector a = contacts_.impulse[g] * contacts_.scale[g];
    const Real size = sqrt(dot(a, a));
    contacts_.impulse[g] = contacts_.impulse[g] * select(size > most * speed, most * speed / size, 1.0);
  }
}

void NodalContact::finish(const NodalOptions& options, Progress& p) {
  NodalReport& report = p.report;
  contacts_.impulse = best_;
  if (report.status != ContactStatus::diverging)
    report.status = report.error <= options.tolerance         ? ContactStatus::solved
                    : report.error <= 100 * options.tolerance ? ContactStatus::inaccurate
                                                              : ContactStatus::failed;
  if (report.status == ContactStatus::diverging) cut_impulses(p.rms);
  exact_velocities();
  if (report.status == ContactStatus::solved) return;
  std::vector<std::pair<double, std::int32_t>> errors;
  for (std::int32_t g = 0; g < contacts_.groups(); ++g) {
    const Real e = group_error(contacts_, g, v_.data());
    for (int lane = 0; lane < lanes; ++lane)
      if (const std::int32_t c = contacts_.contact_at(lanes * g + lane); c >= 0) errors.emplace_back(-e[lane], c);
  }
  const std::size_t named = std::min<std::size_t>(errors.size(), 8);
  std::partial_sort(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(named), errors.end());
  for (std::size_t i = 0; i < named; ++i) report.worst.push_back(errors[i].second);
}

NodalReport NodalContact::solve(ContactList& list, const NodalOptions& options) {
  Progress p;
  p.relaxation = options.relaxation;
  if (list.contacts.empty()) return p.report;
  take(list);
  // q: velocities without contact.
  best_ = contacts_.impulse;
  std::fill(contacts_.impulse.begin(), contacts_.impulse.end(), ContactLanes::Vector{});
  const ContactError none = check();
  p.speed = std::sqrt(none.speed), p.rms = p.speed / std::sqrt(static_cast<double>(list.contacts.size()));
  if (!std::isfinite(p.speed)) {  // bodies gave no velocities: nothing to solve for
    p.report.status = ContactStatus::failed, p.report.error = std::numeric_limits<double>::infinity();
    for (Contact& c : list.contacts) c.impulse = {0, 0, 0};
    return p.report;
  }
  if (p.speed > 0) contacts_.impulse = best_;
  const bool guessed = p.speed > 0 && !finished(0, options, p);
  if (guessed) {
    d_.resize(metric_.size());
    for (std::size_t i = 0; i < d_.size(); ++i) d_[i] = metric_[i].mass;
    if (factor()) {
      start();
      NodalOptions now = options;
      for (int it = 1; it <= options.max_iterations; ++it) {
        const bool looks = it % options.check_every == 0;
        if (looks) std::copy_n(y_.begin(), before_.size(), before_.begin());
        now.relaxation = p.relaxation;
        iterate(now);
        p.report.iterations = it;
        if (!looks) continue;
        if (options.adapt) adapt(it, p);
        if (finished(it, options, p)) break;
      }
    } else {
      p.stalled = true;
    }
    if (p.stalled && options.compliances && p.report.error > options.tolerance &&
        p.report.status != ContactStatus::diverging) {
      contacts_.impulse = best_;
      ComplianceSweeps sweeps;
      if (sweeps.build(*this)) {
        double before = p.report.error;
        while (p.report.compliance_sweeps < options.max_sweeps && p.report.error > options.tolerance) {
          sweeps.run(*this, options.check_every);
          p.report.compliance_sweeps += options.check_every;
          if (finished(p.report.iterations + p.report.compliance_sweeps, options, p) && p.best > before) break;
          before = p.best;
        }
      }
    }
  }
  finish(options, p);
  give(list);
  return p.report;
}

std::size_t NodalContact::memory() const {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return contacts_.memory() + bytes(metric_) + bytes(d_) + bytes(y_) + bytes(z_) + bytes(v_) + bytes(before_) +
         bytes(pull_) + bytes(best_);
}

}  // namespace ymir
