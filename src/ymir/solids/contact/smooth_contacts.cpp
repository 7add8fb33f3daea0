#include "ymir/solids/contact/smooth_contacts.h"

#include <algorithm>
#include <cmath>

#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr int most_rounds = 12, most_iterations = 30, most_products = 200;
constexpr std::size_t few_contacts = 400;
constexpr double slowest = 1e-12;      // velocities that errors are compared with [m/s]
constexpr double longest_share = 1.5;  // of changes of bounds of friction

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

double sum_of_products(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

}  // namespace

template <class F>
void SmoothContacts::for_each_body(F&& f) const {
  constexpr std::ptrdiff_t block = 4;
  constexpr std::size_t worth_threads = 4096;  // nodes
  const auto run = [&](std::size_t b, bool threaded) {
    if (bodies_[b]->threaded() == threaded && first_touch_[b] < first_touch_[b + 1]) f(b);
  };
  for (std::size_t b = 0; b < bodies_.size(); ++b) run(b, true);
  if (moved_.size() < worth_threads) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) run(b, false);
    return;
  }
  parallel_blocks(std::ssize(bodies_), block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t b = begin; b < end; ++b) run(static_cast<std::size_t>(b), false);
  });
}

template <class F>
void SmoothContacts::for_each_contact(F&& f) const {
  constexpr std::ptrdiff_t block = 512;
  const auto run = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t k = begin; k < end; ++k) f(static_cast<std::size_t>(k));
  };
  if (std::ssize(laws_) <= block) return run(0, std::ssize(laws_));
  parallel_blocks(std::ssize(laws_), block, run);
}

void SmoothContacts::begin(std::span<NodalBody* const> bodies, const ContactList& list, std::span<const SmoothLaw> laws,
                           double dt) {
  bodies_.assign(bodies.begin(), bodies.end());
  laws_.assign(laws.begin(), laws.end());
  dt_ = dt;
  first_node_.assign(1, 0);
  for (const NodalBody* body : bodies_) first_node_.push_back(first_node_.back() + at(body->nodes()));
  first_touch_.assign(bodies_.size() + 1, 0);
  for (const ContactNode& n : list.nodes) ++first_touch_[at(n.body) + 1];
  for (std::size_t b = 0; b < bodies_.size(); ++b) first_touch_[b + 1] += first_touch_[b];
  touches_.resize(list.nodes.size());
  std::vector<std::size_t> next(first_touch_.begin(), first_touch_.end() - 1);
  std::vector<NodeMetric> metric(first_node_.back());
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    bodies_[b]->describe(std::span(metric).subspan(first_node_[b], first_node_[b + 1] - first_node_[b]));
  const std::size_t count = list.contacts.size();
  compliance_.assign(count, 0);
  bound_.assign(count, {});
  for (std::size_t k = 0; k < count; ++k) {
    const NodeContact& c = list.contacts[k];
    for (const ContactNode& n : list.nodes_of(c)) {
      touches_[next[at(n.body)]++] = {static_cast<std::int32_t>(k), n.node, n.weight};
      compliance_[k] += n.weight * n.weight * metric[first_node_[at(n.body)] + at(n.node)].compliance;
    }
    bound_[k].start(c.friction * std::max(0.0, dot(c.impulse, c.normal)) / dt);
  }
  still_.assign(first_node_.back(), NodeVector::all(0));
  moved_ = still_;
  force_.assign(count, {});
  for (auto* v : {&impulse_, &u_, &left_, &step_, &du_, &y_, &r_, &p_, &product_, &along_})
    v->assign(count, Vec3d{0, 0, 0});
}

// W times impulses.
void SmoothContacts::answer(const ContactList& list, std::span<const Vec3d> impulses, std::span<Vec3d> velocities) {
  for_each_body([&](std::size_t b) {
    NodeVector* nodes = moved_.data() + first_node_[b];
    const std::size_t count = first_node_[b + 1] - first_node_[b];
    std::fill_n(nodes, count, NodeVector::all(0));
    for (std::size_t t = first_touch_[b]; t < first_touch_[b + 1]; ++t) {
      NodeVector& g = nodes[at(touches_[t].node)];
      const Vec3d& r = impulses[at(touches_[t].contact)];
      for (int k = 0; k < 3; ++k) g.set(k, g[k] + touches_[t].weight * r[k]);
    }
    bodies_[b]->solve(nodes);
    for (std::size_t i = 0; i < count; ++i) nodes[i] = nodes[i] - still_[first_node_[b] + i];
  });
  for_each_contact([&](std::size_t k) {
    Vec3d u{0, 0, 0};
    for (const ContactNode& n : list.nodes_of(list.contacts[k])) {
      const NodeVector& v = moved_[first_node_[at(n.body)] + at(n.node)];
      u += Vec3d{v[0], v[1], v[2]} * n.weight;
    }
    velocities[k] = u;
  });
}

// Velocities without contact, which errors are compared with; then with the impulses there are.
void SmoothContacts::start(const ContactList& list) {
  std::ranges::fill(still_, NodeVector::all(0));
  std::ranges::fill(impulse_, Vec3d{0, 0, 0});
  answer(list, impulse_, u_);
  for_each_body([&](std::size_t b) {
    std::copy(moved_.begin() + static_cast<std::ptrdiff_t>(first_node_[b]),
              moved_.begin() + static_cast<std::ptrdiff_t>(first_node_[b + 1]),
              still_.begin() + static_cast<std::ptrdiff_t>(first_node_[b]));
  });
  constexpr double least = 1e-2;
  double closing = 0, all = 0;
  for (std::size_t k = 0; k < u_.size(); ++k) {
    const NodeContact& c = list.contacts[k];
    u_[k] += c.free;
    all += dot(u_[k], u_[k]);
    if (laws_[k].normal(dot(u_[k], c.normal) * dt_).force > 0) closing += dot(u_[k], u_[k]);
    impulse_[k] = c.impulse;
  }
  speed_ = std::max({std::sqrt(closing), least * std::sqrt(all), slowest});
  answer(list, impulse_, du_);
  for (std::size_t k = 0; k < u_.size(); ++k) u_[k] += du_[k];
}

// What impulses are off from the law, as a velocity by that without contact.
double SmoothContacts::balance(const ContactList& list, std::size_t& worst) {
  for_each_contact([&](std::size_t k) {
    force_[k] = force_at(list, k, u_[k]);
    left_[k] = force_[k].force * dt_ - impulse_[k];
  });
  double sum = 0, largest = -1;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    const double square = compliance_[k] * compliance_[k] * dot(left_[k], left_[k]);
    sum += square;
    if (!(square <= largest)) largest = square, worst = k;
  }
  return std::sqrt(sum) / speed_;
}

// (1 + dt^2 L'WL) y
void SmoothContacts::multiply(const ContactList& list, std::span<const Vec3d> y, std::span<Vec3d> to) {
  for_each_contact([&](std::size_t k) {
    const SmoothForce& f = force_[k];
    along_[k] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) along_[k] += f.axis[i] * (dt_ * std::sqrt(f.stiffness[i]) * y[k][i]);
  });
  answer(list, along_, to);
  for_each_contact([&](std::size_t k) {
    const SmoothForce& f = force_[k];
    const Vec3d u = to[k];
    for (int i = 0; i < 3; ++i) to[k][i] = y[k][i] + dt_ * std::sqrt(f.stiffness[i]) * dot(f.axis[i], u);
  });
}

// dr by conjugate gradients, as well as the error wants it.
void SmoothContacts::find_step(const ContactList& list, double enough) {
  answer(list, left_, du_);
  const auto scale = [&](std::size_t k, int i) {
    return 1 / (1 + dt_ * dt_ * force_[k].stiffness[i] * compliance_[k]);
  };
  for_each_contact([&](std::size_t k) {
    const SmoothForce& f = force_[k];
    y_[k] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
      r_[k][i] = dt_ * std::sqrt(f.stiffness[i]) * dot(f.axis[i], du_[k]);
      p_[k][i] = scale(k, i) * r_[k][i];
    }
  });
  double rz = sum_of_products(r_, p_);
  const double until = rz * enough * enough;
  for (int it = 0; it < most_products && rz > until; ++it) {
    multiply(list, p_, product_);
    const double curvature = sum_of_products(p_, product_);
    if (!(curvature > 0)) break;
    const double alpha = rz / curvature;
    for_each_contact([&](std::size_t k) {
      y_[k] += p_[k] * alpha;
      r_[k] -= product_[k] * alpha;
      for (int i = 0; i < 3; ++i) product_[k][i] = scale(k, i) * r_[k][i];
    });
    const double next = sum_of_products(r_, product_), beta = next / rz;
    rz = next;
    for_each_contact([&](std::size_t k) { p_[k] = product_[k] + p_[k] * beta; });
  }
  for_each_contact([&](std::size_t k) {
    const SmoothForce& f = force_[k];
    step_[k] = left_[k];
    for (int i = 0; i < 3; ++i) step_[k] -= f.axis[i] * (dt_ * std::sqrt(f.stiffness[i]) * y_[k][i]);
  });
  answer(list, step_, du_);
}

// Along the step as far as the energy of bodies and contacts falls: its slope grows all the way.
void SmoothContacts::descend(const ContactList& list) {
  const auto slope = [&](double share) {
    for_each_contact([&](std::size_t k) {
      const Vec3d off = impulse_[k] + step_[k] * share - force_at(list, k, u_[k] + du_[k] * share).force * dt_;
      product_[k] = {dot(du_[k], off), 0, 0};
    });
    double sum = 0;
    for (const Vec3d& p : product_) sum += p.x;
    return sum;
  };
  constexpr double enough = 0.1;  // of the slope at the start
  constexpr int halvings = 30;
  const double most = enough * std::fabs(slope(0));
  double share = 1, low = 0, high = 1;
  for (int i = 0; i < halvings; ++i) {
    const double now = slope(share);
    if (now <= most && (share == 1 || now >= -most)) break;
    (now > 0 ? high : low) = share;
    share = 0.5 * (low + high);
  }
  for_each_contact([&](std::size_t k) {
    impulse_[k] += step_[k] * share;
    u_[k] += du_[k] * share;
  });
}

// Newton's method at given bounds of friction.
void SmoothContacts::settle(const ContactList& list, double enough, Report& report) {
  // Errors that are this small and fall no more are those of round-off.
  constexpr double small = 1e-4;
  constexpr int patience = 3;
  double before = 1, least = small;
  int since = 0;
  for (int it = 0; it < most_iterations; ++it) {
    report.error = balance(list, report.worst);
    if (!(report.error > enough)) return;
    since = report.error < 0.5 * least ? 0 : since + 1;
    least = std::min(least, report.error);
    if (report.error < small && since > patience) return;
    // Of few contacts that hang together closely, as of rigid bodies, small errors of the step make large ones of
    // forces.
    constexpr double sharpest = 1e-12, safety = 1e-3;
    const double loosest = laws_.size() <= few_contacts ? 1e-6 : 1e-2;
    find_step(list, std::clamp(safety * std::min(enough, before) / report.error, sharpest, loosest));
    descend(list);
    before = report.error;
    ++report.iterations;
  }
  report.error = balance(list, report.worst);
}

// By how much friction is that of another normal force, as a velocity by that without contact.
double SmoothContacts::follow_bounds() {
  double sum = 0;
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    bound_[k].follow(laws_[k].friction * force_[k].normal, longest_share);
    const double off = compliance_[k] * bound_[k].off * dt_;
    sum += off * off;
  }
  return std::sqrt(sum) / speed_;
}

SmoothContacts::Report SmoothContacts::solve(ContactList& list, double tolerance) {
  Report report;
  start(list);
  for (int round = 0; round < most_rounds; ++round) {
    settle(list, tolerance, report);
    const double off = follow_bounds();
    report.error = std::max(report.error, off);
    if (off <= tolerance || std::isnan(report.error)) break;
  }
  for (std::size_t k = 0; k < impulse_.size(); ++k) list.contacts[k].impulse = impulse_[k];
  return report;
}

void SmoothContacts::evaluate(ContactList& list) {
  for_each_contact([&](std::size_t k) {
    NodeContact& c = list.contacts[k];
    c.impulse = force_at(list, k, c.free).force * dt_;
  });
}

}  // namespace ymir
