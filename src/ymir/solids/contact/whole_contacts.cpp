#include "ymir/solids/contact/whole_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/physics/contact/cone.h"
#include "ymir/solids/contact/contact_frames.h"

namespace ymir {
namespace {

// rho over what the lighter body puts against a contact: a round leaves little, round-off stays far below.
constexpr double penalty = 1e4;
// Shares of changes that bounds of friction may take.
constexpr double longest_alone = 1.5, longest_coupled = 20;
constexpr int most_rounds = 40, most_iterations = 40;  // of the bounds of friction; within a round
// Of rho, where states of many stiff contacts, as of hair rooted in what touches cloth, are not found within a round:
// less, and more again from round to round.
constexpr double softer = 0.01, harder = 10, softest = 1e-4;
constexpr int most_in_all = 500;  // iterations, once that was needed
constexpr int hopeful = 15;       // iterations after which less should be left than there was without contact
// Residuals of a round, by the error of the round before.
constexpr double of_error = 1e-3, of_tolerance = 0.1;
constexpr double rough = 1e3;      // what of that is no solution of the round
constexpr double slowest = 1e-12;  // velocities that errors are compared with [m/s]

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void WholeContacts::begin(std::span<const Body> bodies, const ContactList& list, std::span<const SmoothLaw> laws) {
  bodies_.assign(bodies.begin(), bodies.end());
  laws_.assign(laws.begin(), laws.end());
  blocks_of_.clear();
  first_block_.clear();
  first_node_.assign(1, 0);
  for (const Body& body : bodies_) {
    first_block_.push_back(blocks_of_.size());
    for (std::size_t m = 0; m < body.cluster->blocks(); ++m) {
      blocks_of_.push_back(&body.cluster->block(m));
      first_node_.push_back(first_node_.back() + blocks_of_.back()->nodes());
    }
  }
  touches_.assign(list.contacts.size(), {});
  speed_ = 0;
  find_places(list);
  take_couplings(false);
  find_pattern(list);
}

void WholeContacts::take_couplings(bool curvature) {
  couplings_.clear();
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    couplings_.add(bodies_[b].cluster->couplings(curvature, [&](std::size_t member, std::size_t row) {
      const std::size_t k = first_block_[b] + member;
      return 3 * first_node_[k] + blocks_of_[k]->slot(row);
    }));
}

// Rigid bodies turn: what their unknowns move is another in each iteration.
void WholeContacts::find_places(const ContactList& list) {
  places_.clear();
  std::vector<NodeColumn> columns;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& t = touches_[k];
    columns.clear();
    for (const ContactNode& n : list.nodes_of(list.contacts[k])) {
      const std::size_t first = columns.size();
      const std::size_t block =
          first_block_[at(n.body)] + bodies_[at(n.body)].contacts->columns(n.node, n.weight, columns);
      for (std::size_t c = first; c < columns.size(); ++c)
        columns[c].slot = 3 * first_node_[block] + blocks_of_[block]->slot(at(columns[c].slot));
    }
    std::stable_sort(columns.begin(), columns.end(),
                     [](const NodeColumn& a, const NodeColumn& b) { return a.slot < b.slot; });
    t.first = places_.size();  // as many, in the same places, each time
    for (const NodeColumn& c : columns) {
      if (places_.size() == t.first || places_.back().node != c.slot / 3) places_.push_back({c.slot / 3, Mat3d{}});
      places_.back().way.column[c.slot % 3] += c.way;
    }
    t.end = places_.size();
  }
}

void WholeContacts::find_pattern(const ContactList& list) {
  std::vector<std::int32_t> pairs, touched;
  for (std::size_t b = 0; b < blocks_of_.size(); ++b)
    blocks_of_[b]->visit_blocks([&](std::int32_t i, std::int32_t j, const double*) {
      pairs.push_back(first_node_[b] + i);
      pairs.push_back(first_node_[b] + j);
    });
  for (const Place& p : places_) touched.push_back(p.node);
  std::vector<BlockMatrix::Elements> lists{{pairs, 2}};
  for (const Touch& t : touches_)
    if (t.end > t.first)
      lists.push_back({std::span<const std::int32_t>(touched).subspan(t.first, t.end - t.first),
                       static_cast<int>(t.end - t.first)});
  std::vector<std::vector<std::int32_t>> coupled;
  couplings_.nodes(coupled);
  for (const auto& nodes : coupled)
    if (!nodes.empty()) lists.push_back({nodes, static_cast<int>(nodes.size())});
  matrix_ = BlockMatrix(first_node_.back(), lists);
  augmented_ = matrix_;
  slots_.clear();
  for (std::size_t k = 0; k < pairs.size(); k += 2)
    slots_.push_back(matrix_.slot(std::max(pairs[k], pairs[k + 1]), std::min(pairs[k], pairs[k + 1])));
  used_.assign(3 * at(first_node_.back()), 0);
  for (std::size_t b = 0; b < blocks_of_.size(); ++b)
    for (std::size_t row = 0; row < blocks_of_[b]->size(); ++row)
      used_[at(3 * first_node_[b] + blocks_of_[b]->slot(row))] = 1;
  blocks_.clear();
  for (Touch& t : touches_) {
    t.first_block = blocks_.size();
    for (std::size_t p = t.first; p < t.end; ++p)
      for (std::size_t q = t.first; q <= p; ++q) blocks_.push_back(matrix_.slot(places_[p].node, places_[q].node));
  }
  couplings_.find_places(matrix_);
  cholesky_.analyze(matrix_);
  std::vector<NodeMetric> metric;
  std::vector<std::size_t> first{0};
  for (const Body& body : bodies_) {
    metric.resize(first.back() + at(body.contacts->body().nodes()));
    body.contacts->body().describe(std::span(metric).subspan(first.back()));
    first.push_back(metric.size());
  }
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    double compliance = 0;
    for (const ContactNode& n : list.nodes_of(list.contacts[k]))
      compliance += n.weight * n.weight * metric[first[at(n.body)] + at(n.node)].compliance;
    touches_[k].compliance = compliance;
  }
}

void WholeContacts::take(double dt, bool curvature) {
  dt_ = dt;
  matrix_.clear();
  std::size_t k = 0;
  b_.assign(used_.size(), 0);
  std::vector<double> side;
  for (std::size_t b = 0; b < blocks_of_.size(); ++b) {
    const SolidBlock& block = *blocks_of_[b];
    block.visit_blocks([&](std::int32_t, std::int32_t, const double* values) {
      double* to = matrix_.block(slots_[k++]);
      for (int i = 0; i < 9; ++i) to[i] += values[i];
    });
    side.resize(block.size());
    block.right_side(side.data());
    for (std::size_t row = 0; row < side.size(); ++row) b_[at(3 * first_node_[b] + block.slot(row))] = side[row];
  }
  for (std::size_t s = 0; s < used_.size(); ++s)
    if (used_[s] == 0) matrix_.diagonal(static_cast<std::int32_t>(s / 3))[4 * (s % 3)] = 1;
  take_couplings(curvature);
  couplings_.add_soft(matrix_);
  couplings_.start(matrix_);
}

Vec3d WholeContacts::velocity(const Touch& t, Vec3d free, std::span<const double> x) const {
  Vec3d way{0, 0, 0};
  for (std::size_t p = t.first; p < t.end; ++p) {
    const double* v = x.data() + 3 * at(places_[p].node);
    way += places_[p].way * Vec3d{v[0], v[1], v[2]};
  }
  return way / dt_ + free;
}

void WholeContacts::spread(const Touch& t, Vec3d force, std::span<double> b) const {
  for (std::size_t p = t.first; p < t.end; ++p)
    for (std::size_t k = 0; k < 3; ++k) b[3 * at(places_[p].node) + k] += dot(places_[p].way.column[k], force);
}

bool WholeContacts::factor() {
  augmented_ = matrix_;
  for (const Touch& t : touches_) {
    if (t.rho == 0) continue;
    std::size_t block = t.first_block;
    for (std::size_t p = t.first; p < t.end; ++p) {
      const Mat3d left = transposed(places_[p].way) * (t.held * (t.rho / (dt_ * dt_)));
      for (std::size_t q = t.first; q <= p; ++q) {
        const Mat3d value = left * places_[q].way;
        double* to = augmented_.block(blocks_[block++]);
        for (int i = 0; i < 9; ++i) to[i] += value(i / 3, i % 3);
      }
    }
  }
  couplings_.add_hard(augmented_);
  return cholesky_.factor(augmented_);
}

bool WholeContacts::measure(const ContactList& list) {
  for (Touch& t : touches_) t.held = Mat3d{};
  if (!factor()) return false;
  x_.assign(b_.size(), 0);
  residual_ = b_;
  couplings_.resist(x_, residual_);
  cholesky_.solve(residual_.data(), x_.data());
  constexpr double least = 1e-2;
  double closing = 0, all = 0;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    const Vec3d u = velocity(touches_[k], list.contacts[k].free, x_);
    all += dot(u, u);
    if (dot(u, list.contacts[k].normal) < 0) closing += dot(u, u);
  }
  if (!std::isfinite(all)) return false;
  speed_ = std::max({std::sqrt(closing), least * std::sqrt(all), slowest});
  return true;
}

CoulombProblem WholeContacts::condense(const ContactList& list) {
  const ContactFrames frames(list);
  std::vector<Vec3d> q;
  for (std::size_t i = 0; i < touches_.size(); ++i)
    q.push_back(frames.to_frame(i, velocity(touches_[i], list.contacts[i].free, x_)));
  std::vector<CoulombBlock> blocks;
  std::vector<double> moved(x_.size());
  for (std::size_t j = 0; j < touches_.size(); ++j) {
    const std::size_t first = blocks.size();
    for (std::size_t i = 0; i < touches_.size(); ++i)
      blocks.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), Mat3d{}});
    for (int k = 0; k < 3; ++k) {
      std::fill(residual_.begin(), residual_.end(), 0.0);
      spread(touches_[j], frames.axis(j, k) / dt_, residual_);
      cholesky_.solve(residual_.data(), moved.data());
      for (std::size_t i = 0; i < touches_.size(); ++i)
        blocks[first + i].value.column[k] = frames.to_frame(i, velocity(touches_[i], {0, 0, 0}, moved));
    }
    // Those on other bodies.
    const auto none = [](const CoulombBlock& b) {
      return b.row != b.column && b.value.column[0] == Vec3d{0, 0, 0} && b.value.column[1] == Vec3d{0, 0, 0} &&
             b.value.column[2] == Vec3d{0, 0, 0};
    };
    blocks.erase(std::remove_if(blocks.begin() + static_cast<std::ptrdiff_t>(first), blocks.end(), none), blocks.end());
  }
  return frames.problem(list, std::move(blocks), std::move(q));
}

// Impulse of a contact in the metric, friction bounded by what is given.
Vec3d WholeContacts::respond(const Touch& t, const NodeContact& c, Vec3d u) const {
  if (law_of(t).smooth()) return force_of(t, c, u).force * dt_;
  const Vec3d s = c.impulse + c.normal * c.cohesion - u * t.rho;
  const double sn = dot(s, c.normal);
  const Vec3d st = s - c.normal * sn;
  const double size = norm(st);
  const double bound = t.bound.value;
  return c.normal * (std::max(sn, 0.0) - c.cohesion) + st * (size > bound ? bound / size : 1);
}

// True: some contact is in another state than before.
bool WholeContacts::hold(const ContactList& list) {
  bool changed = false;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& t = touches_[k];
    const NodeContact& c = list.contacts[k];
    if (law_of(t).smooth()) {
      // Its matrix turns and hardens on the way; small changes are left to the residual.
      constexpr double little = 0.01;
      const Mat3d held = force_of(t, c, u_[k]).matrix(), change = held - t.held;
      if (trace(transposed(change) * change) <= little * little * trace(transposed(held) * held)) continue;
      t.held = held;
      changed = true;
      continue;
    }
    const Vec3d s = c.impulse + c.normal * c.cohesion - u_[k] * t.rho;
    const double sn = dot(s, c.normal), bound = t.bound.value;
    const Vec3d st = s - c.normal * sn;
    const double size = norm(st);
    const bool closed = sn > 0, sticks = bound > 0 && size <= bound;
    const Mat3d nn = outer(c.normal, c.normal);
    t.held = nn * (closed ? 1.0 : 0.0);
    if (sticks)
      t.held += identity3() - nn;
    else if (bound > 0)
      t.held += (identity3() - nn - outer(st, st) * (1 / (size * size))) * (bound / size);
    const auto state = static_cast<unsigned char>((closed ? 1 : 0) + (sticks ? 2 : 0));
    changed = changed || state != t.state;
    t.state = state;
  }
  return changed;
}

double WholeContacts::error(const ContactList& list, std::size_t& worst) const {
  double sum = 0, largest = -1;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    const NodeContact& c = list.contacts[k];
    if (touches_[k].compliance == 0) continue;  // nothing moves
    const Vec3d e = law_of(touches_[k]).smooth()
                        ? c.normal * (touches_[k].bound.off * touches_[k].compliance)
                        : coulomb_residual((c.impulse + c.normal * c.cohesion) * touches_[k].compliance, u_[k],
                                           c.normal, c.friction);
    const double square = dot(e, e);
    sum += square;
    if (!(square <= largest)) largest = square, worst = k;
  }
  return std::sqrt(sum) / speed_;
}

// What is left of the balance of forces, in residual_; as a velocity, by that of contacts.
double WholeContacts::balance(const ContactList& list) {
  matrix_.multiply(x_.data(), residual_.data());
  for (std::size_t s = 0; s < b_.size(); ++s) residual_[s] = b_[s] - residual_[s];
  for (std::size_t k = 0; k < touches_.size(); ++k)
    spread(touches_[k], respond(touches_[k], list.contacts[k], u_[k]) / dt_, residual_);
  couplings_.resist(x_, residual_);
  double left = 0;
  for (std::size_t s = 0; s < b_.size(); ++s)
    left = std::max(
        left, std::fabs(residual_[s]) / std::fabs(matrix_.diagonal(static_cast<std::int32_t>(s / 3))[4 * (s % 3)]));
  const double rms = speed_ / std::sqrt(std::max(1.0, static_cast<double>(touches_.size())));
  return left / (dt_ * rms);
}

// Along step_ as far as the energy of bodies and contacts falls: its slope grows all the way.
void WholeContacts::descend(const ContactList& list) {
  matrix_.multiply(step_.data(), product_.data());
  double square = 0, linear = 0;
  for (std::size_t s = 0; s < b_.size(); ++s) square += product_[s] * step_[s];
  matrix_.multiply(x_.data(), product_.data());
  for (std::size_t s = 0; s < b_.size(); ++s) linear += (product_[s] - b_[s]) * step_[s];
  for (std::size_t k = 0; k < touches_.size(); ++k) du_[k] = velocity(touches_[k], {0, 0, 0}, step_);
  couplings_.set_line(x_, step_);
  const auto slope = [&](double share) {
    double sum = linear + share * square + couplings_.slope(share);
    for (std::size_t k = 0; k < touches_.size(); ++k)
      sum -= dot(respond(touches_[k], list.contacts[k], u_[k] + du_[k] * share), du_[k]);
    return sum;
  };
  double share = 1;
  if (slope(1) > 0) {
    constexpr int halvings = 30;
    double low = 0;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + share);
      (slope(middle) > 0 ? share : low) = middle;
    }
  }
  for (std::size_t s = 0; s < x_.size(); ++s) x_[s] += share * step_[s];
  for (std::size_t k = 0; k < touches_.size(); ++k) u_[k] = velocity(touches_[k], list.contacts[k].free, x_);
}

// Newton's method at given bounds of friction. False: there is no factor.
bool WholeContacts::settle(const ContactList& list, double enough, Report& report, double& left) {
  double before = std::numeric_limits<double>::infinity();
  for (int it = 0; it < most_iterations; ++it) {
    left = balance(list);
    if ((it > 0 && left < enough) || (it >= hopeful && left > 1 && !couplings_.empty())) break;
    // Directions in which contacts slide turn little once their states are found: the factor lasts.
    const bool other = couplings_.hold(x_);
    if (hold(list) || other || report.factorisations == 0 || left > 0.1 * before) {
      if (!factor()) return false;
      ++report.factorisations;
      before = std::numeric_limits<double>::infinity();
    } else {
      before = left;
    }
    cholesky_.solve(residual_.data(), step_.data());
    descend(list);
    ++report.iterations;
  }
  return true;
}

// What Newton's method starts from.
void WholeContacts::start(const ContactList& list) {
  find_places(list);
  for (auto* values : {&x_, &residual_, &step_, &product_}) values->assign(b_.size(), 0);
  u_.resize(touches_.size());
  du_.resize(touches_.size());
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& t = touches_[k];
    const NodeContact& c = list.contacts[k];
    double answer = 0;  // of the bodies, as if their unknowns were not connected [m/N]
    for (std::size_t p = t.first; p < t.end; ++p)
      for (int a = 0; a < 3; ++a)
        answer += dot(places_[p].way.column[a], places_[p].way.column[a]) /
                  std::fabs(matrix_.diagonal(places_[p].node)[4 * a]);
    t.rho = answer > 0 ? penalty * dt_ * dt_ * 3 / answer : 0;
    if (laws_[k].smooth()) t.rho = dt_ * dt_;
    t.whole_rho = t.rho;
    t.bound.start(c.friction * std::max(0.0, dot(c.impulse, c.normal) + c.cohesion));
    u_[k] = c.free;
  }
}

void WholeContacts::harden(double share) {
  for (std::size_t k = 0; k < touches_.size(); ++k)
    if (!laws_[k].smooth()) touches_[k].rho = touches_[k].whole_rho * share;
}

WholeContacts::Solved WholeContacts::solve(ContactList& list, double tolerance, Report& report) {
  report = {};
  report.error = std::numeric_limits<double>::infinity();
  start(list);
  std::vector<Vec3d> best(touches_.size());
  for (std::size_t k = 0; k < best.size(); ++k) best[k] = list.contacts[k].impulse;
  std::vector<double> best_x = x_;
  double least = std::numeric_limits<double>::infinity(), last = 1;
  double share = 1;
  for (int round = 0; round < most_rounds; ++round) {
    double left = 0;
    const double enough = std::max(of_tolerance * tolerance, of_error * std::min(last, 1.0));
    if (!settle(list, enough, report, left)) return Solved::indefinite;
    if (share < 1 && report.iterations > most_in_all) break;
    if (left > rough * enough && share > softest && !couplings_.empty()) {
      harden(share = std::max(softest, softer * share));
      continue;
    }
    for (std::size_t k = 0; k < touches_.size(); ++k) {
      NodeContact& c = list.contacts[k];
      c.impulse = respond(touches_[k], c, u_[k]);
      const double normal = dot(c.impulse, c.normal) + c.cohesion;
      if (normal <= 0) c.impulse = c.normal * -c.cohesion;
      touches_[k].bound.follow(c.friction * std::max(0.0, normal),
                               couplings_.empty() ? longest_alone : longest_coupled);
    }
    couplings_.advance(x_);
    std::size_t worst = 0;
    last = error(list, worst);
    if (last < least) {
      least = report.error = last, report.worst = worst;
      couplings_.keep();
      for (std::size_t k = 0; k < best.size(); ++k) best[k] = list.contacts[k].impulse;
      best_x = x_;
    }
    if (least <= tolerance && left < tolerance / of_tolerance) break;
    if (share < 1) harden(share = std::min(1.0, harder * share));
  }
  for (std::size_t k = 0; k < best.size(); ++k) list.contacts[k].impulse = best[k];
  x_ = best_x;
  couplings_.give();
  return Solved::yes;
}

void WholeContacts::evaluate(ContactList& list) const {
  for (std::size_t k = 0; k < touches_.size(); ++k)
    if (laws_[k].smooth()) list.contacts[k].impulse = respond(touches_[k], list.contacts[k], list.contacts[k].free);
}

void WholeContacts::step_of(std::size_t body, std::vector<double>& step) const {
  const Cluster& cluster = *bodies_[body].cluster;
  step.resize(cluster.rows());
  for (std::size_t m = 0; m < cluster.blocks(); ++m) {
    const std::size_t k = first_block_[body] + m;
    for (std::size_t row = 0; row < blocks_of_[k]->size(); ++row)
      step[cluster.first_row(m) + row] = x_[at(3 * first_node_[k] + blocks_of_[k]->slot(row))];
  }
}

}  // namespace ymir
