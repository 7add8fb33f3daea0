#include "ymir/objects/strand_touches.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/strand_newton.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/contact/enumerative_contact.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir {
namespace {

constexpr int lane_count = StrandSystem::lanes;
constexpr double sharp = 1e-9;    // tolerance of a contact by itself
constexpr double sharper = 1e-2;  // of the tolerance, what several go to, which costs them little
// Residuals of Newton's method above which contacts need not be sharp yet, and tolerances that they may be wrong by.
constexpr double sharp_below = 1e-3, loosest = 100;
constexpr int patience = 100;  // iterations of a level of their solver
// What overlaps is parted at this speed at most: faster, and it would fly apart [m/s].
constexpr double push_out = 0.1;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vec3d in_frame(const Vec3d (&axis)[3], Vec3d v) { return {dot(axis[0], v), dot(axis[1], v), dot(axis[2], v)}; }

// f(vertex of the group, weight); the first vertex of a strand is its ghost, which pieces do not count.
template <class F>
void for_each_vertex(const LoneContact& c, F&& f) {
  f(c.vertex[0] + 1, c.weight[0]);
  if (c.vertex[1] >= 0) f(c.vertex[1] + 1, c.weight[1]);
}

}  // namespace

void StrandTouches::set(std::span<LoneContact> touches, double time, double dt, double tolerance) {
  touches_ = touches;
  time_ = time;
  dt_ = dt;
  tolerance_ = tolerance;
  iterations_ = 0;
}

void StrandTouches::begin(const StrandNewton& newton) {
  const StrandStep& s = newton.step();
  part_ = s.dt;
  pressed_ = touched_ = unsolved_ = Real::all(0);
  for (Lane& lane : lanes_) lane.touches.clear();
  const double gone = (s.time - time_) / dt_;  // when this part ends
  for (LoneContact& c : touches_) {
    if (!is_finite(c.force)) c.force = {0, 0, 0};
    Touch t;
    t.contact = &c;
    t.axis[0] = c.normal;
    t.axis[1] = any_normal(c.normal);
    t.axis[2] = cross(t.axis[0], t.axis[1]);
    t.from = {0, 0, 0};
    for_each_vertex(c, [&](int i, double weight) { t.from += newton.begin_position(c.place, i) * weight; });
    // Along the normal by the way since the substep began, across it since the part did.
    const double room = std::max(c.room, -push_out * (s.time - time_));
    t.base = in_frame(t.axis, c.carried) * (-1 / dt_);
    t.base.x = (room + dot(c.normal, t.from - c.start - c.carried * gone)) / part_;
    lanes_[at(c.place)].touches.push_back(t);
    touched_.set(c.place, 1);
    if (c.force != Vec3d{0, 0, 0}) pressed_.set(c.place, 1);
  }
}

void StrandTouches::push(StrandNewton& newton, double sign) const {
  StrandStep& s = newton.step();
  for (const LoneContact& c : touches_)
    for_each_vertex(c, [&](int i, double weight) {
      if (!newton.is_free(i, 0, c.place)) return;
      for (int k = 0; k < 3; ++k) {
        Real& residual = s.residual[newton.row(i, k)];
        residual.set(c.place, residual[c.place] - sign * weight * c.force[k]);
      }
    });
}

// Of the point of a touch, by a vector of unknowns.
Vec3d StrandTouches::moved(const StrandNewton& newton, const Real* step, const Touch& touch, int lane) const {
  Vec3d way{0, 0, 0};
  for_each_vertex(*touch.contact, [&](int i, double weight) {
    if (!newton.is_free(i, 0, lane)) return;
    for (int k = 0; k < 3; ++k) way[k] += weight * step[newton.row(i, k)][lane];
  });
  return way;
}

// Newton's step is that without contacts.
void StrandTouches::set_free(const StrandNewton& newton, int lane) {
  const StrandStep& s = newton.step();
  Lane& l = lanes_[at(lane)];
  l.columns = 0;
  l.answers.clear();
  for (Touch& t : l.touches) {
    Vec3d x{0, 0, 0};
    for_each_vertex(*t.contact, [&](int i, double weight) {
      x += Vec3d{s.position[0][i][lane], s.position[1][i][lane], s.position[2][i][lane]} * weight;
    });
    t.free = t.base + in_frame(t.axis, x - t.from + moved(newton, s.step, t, lane)) / part_;
    t.column = -1;
    t.active = t.free.x < 0 || t.contact->adhesion > 0 || t.contact->force != Vec3d{0, 0, 0};
  }
}

// Answers of those that are active and have none yet, one of each lane at a time.
void StrandTouches::find_columns(StrandNewton& newton) {
  const StrandStep& s = newton.step();
  side_.resize(at(newton.rows() + newton.spare_rows()));
  for (;;) {
    std::array<Touch*, lane_count> now{};
    bool any = false;
    for (int lane = 0; lane < lane_count; ++lane)
      for (Touch& t : lanes_[at(lane)].touches)
        if (t.active && t.column < 0) {
          now[at(lane)] = &t;
          any = true;
          break;
        }
    if (!any) return;
    for (int k = 0; k < 3; ++k) {
      std::fill(side_.begin(), side_.end(), Real::all(0));
      for (int lane = 0; lane < lane_count; ++lane)
        if (const Touch* t = now[at(lane)])
          for_each_vertex(*t->contact, [&](int i, double weight) {
            if (!newton.is_free(i, 0, lane)) return;
            for (int a = 0; a < 3; ++a) side_[at(newton.row(i, a))].set(lane, weight * t->axis[k][a]);
          });
      newton.solve(side_.data());
      for (int lane = 0; lane < lane_count; ++lane)
        if (now[at(lane)] != nullptr)
          for (const Touch& t : lanes_[at(lane)].touches)
            lanes_[at(lane)].answers.push_back(in_frame(t.axis, moved(newton, side_.data(), t, lane)) / s.dt);
    }
    for (int lane = 0; lane < lane_count; ++lane)
      if (now[at(lane)] != nullptr) {
        now[at(lane)]->column = lanes_[at(lane)].columns;
        lanes_[at(lane)].columns += 3;
      }
  }
}

// False: the law is not met to the tolerance.
bool StrandTouches::solve_lane(int lane, double left) {
  Lane& l = lanes_[at(lane)];
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < l.touches.size(); ++i)
    if (l.touches[i].active) active.push_back(i);
  const auto block = [&](std::size_t i, std::size_t j) {
    Mat3d w;
    for (int k = 0; k < 3; ++k) w.column[k] = l.answers[at(l.touches[j].column + k) * l.touches.size() + i];
    return w;
  };
  const auto force_of = [&](std::size_t i) { return in_frame(l.touches[i].axis, l.touches[i].contact->force); };
  const auto set_force = [&](std::size_t i, Vec3d f) {
    const Vec3d(&axis)[3] = l.touches[i].axis;
    l.touches[i].contact->force = axis[0] * f.x + axis[1] * f.y + axis[2] * f.z;
  };
  bool sticky = false;
  CoulombProblem problem;
  for (const std::size_t i : active) {
    const LoneContact& c = *l.touches[i].contact;
    if (!is_finite(l.touches[i].free)) return false;
    problem.q.push_back(l.touches[i].free);
    problem.mu.push_back(c.friction);
    problem.adhesion.push_back(c.adhesion);
    sticky = sticky || c.adhesion > 0;
  }
  if (active.size() == 1 && !sticky) {
    const LocalResult one = hybrid_contact(hybrid_block(block(active[0], active[0])), problem.q[0], problem.mu[0],
                                           force_of(active[0]), sharp);
    ++iterations_;
    if (one.solved) {
      set_force(active[0], one.r);
      return true;
    }
  }
  if (!sticky) problem.adhesion.clear();
  std::vector<Vec3d> f;
  for (const std::size_t i : active) {
    for (const std::size_t j : active) problem.blocks.push_back(block(i, j));
    for (std::size_t j = 0; j < active.size(); ++j) problem.columns.push_back(static_cast<std::int32_t>(j));
    problem.starts.push_back(static_cast<std::int64_t>(problem.columns.size()));
    f.push_back(force_of(i));
  }
  CoulombOptions options;
  options.tolerance = tolerance_ * (left > sharp_below ? std::min(left / sharp_below, loosest) : sharper);
  options.max_iterations = patience;
  const CoulombReport report = solve_coulomb(problem, f, options);
  iterations_ += report.iterations;
  for (std::size_t k = 0; k < active.size(); ++k) set_force(active[k], f[k]);
  return report.errors.scaled <= tolerance_;
}

// Contacts that the others have closed.
bool StrandTouches::close_more(Lane& lane) const {
  double size = 0;
  for (const Touch& t : lane.touches) size = std::max(size, norm(t.free));
  bool more = false;
  for (std::size_t i = 0; i < lane.touches.size(); ++i) {
    Touch& t = lane.touches[i];
    if (t.active) continue;
    double along = t.free.x;
    for (const Touch& other : lane.touches) {
      if (other.column < 0) continue;
      const Vec3d f = in_frame(other.axis, other.contact->force);
      for (int k = 0; k < 3; ++k) along += lane.answers[at(other.column + k) * lane.touches.size() + i].x * f[k];
    }
    t.active = along < -sharp * size;
    more = more || t.active;
  }
  return more;
}

void StrandTouches::solve(StrandNewton& newton, const Real& frozen, const Real& left) {
  push(newton, -1);
  newton.solve();
  std::array<bool, lane_count> open{};
  for (int lane = 0; lane < lane_count; ++lane) {
    Lane& l = lanes_[at(lane)];
    open[at(lane)] = frozen[lane] == 0 && !l.touches.empty();
    if (open[at(lane)]) set_free(newton, lane);
    for (Touch& t : l.touches) t.active = t.active && open[at(lane)];
    open[at(lane)] = std::any_of(l.touches.begin(), l.touches.end(), [](const Touch& t) { return t.active; });
    if (frozen[lane] == 0) unsolved_.set(lane, 0);
  }
  bool pushed = false;
  while (std::any_of(open.begin(), open.end(), [](bool o) { return o; })) {
    pushed = true;
    find_columns(newton);
    for (int lane = 0; lane < lane_count; ++lane) {
      if (!open[at(lane)]) continue;
      unsolved_.set(lane, solve_lane(lane, left[lane]) ? 0 : 1);
      open[at(lane)] = close_more(lanes_[at(lane)]);
    }
  }
  if (!pushed) return;
  push(newton, 1);
  newton.solve();
  for (const LoneContact& c : touches_)
    if (frozen[c.place] == 0) pressed_.set(c.place, 0);
  for (const LoneContact& c : touches_)
    if (frozen[c.place] == 0 && c.force != Vec3d{0, 0, 0}) pressed_.set(c.place, 1);
}

}  // namespace ymir
