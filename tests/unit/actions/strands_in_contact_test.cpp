// Contact inside every Newton iteration of strands: what the solid system will do, spelled out.
#include <gtest/gtest.h>

#include <cmath>

#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/stretch.h"
#include "ymir/solvers/nodal_contact/band_body.h"
#include "ymir/solvers/nodal_contact/nodal_contact.h"

namespace ymir {
namespace {

using Body = BandBody<PlainLayout::block, PlainLayout::half_bandwidth>;
using Real = StrandReal;

// Four clamped hairs side by side, 10 cm long, that gravity bends down onto a floor that moves sideways.
class Hairs {
 public:
  static constexpr int edges = 20;
  static constexpr double dt = 1.0 / 96, floor = -0.01, friction = 1.5, drift = 0.02;  // [s, m, 1, m/s]

  Hairs() : domain_(0.1, 1, alone_), object_("hair", 0, domain_, {}) {
    Curves curves;
    for (int s = 0; s < 4; ++s) {
      for (int i = 0; i <= edges; ++i) curves.positions.push_back({0.1 * i / edges, 0.01 * s, 0.002 * s});
      curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
    }
    curves.vertices.resize(curves.positions.size());
    curves.strands.resize(curves.strand_count());
    object_.set_curves(std::move(curves));
    const ElasticRodChannels sets = add_elastic_rod(object_, "rod", {}, {});
    constraints_.push_back(std::make_unique<ConstraintSet<Stretch>>("rod", "stretch", object_.strands(), sets.stretch,
                                                                    ConstraintMode::primal_dual, Damping{}));
    constraints_.push_back(std::make_unique<ConstraintSet<BendTwist>>(
        "rod", "bending and twist", object_.strands(), sets.bend_twist, ConstraintMode::stiffness, Damping{}));
    forces_.push_back(gravity_force("gravity", {0, 0, -9.81}, {}));
    object_.ingest();
  }

  struct Outcome {
    int iterations = 0;
    double balance = 0;  // largest residual of momentum, as a displacement by the mean edge
    double deepest = 0;  // [m]
    double slip = 0;     // largest speed along the floor where it sticks [m/s]
    int closed = 0;
    bool solved = true;
  };
  Outcome advance() {
    object_.save();
    StrandNewton newton(object_.strands(), object_.rod_channels());
    newton.begin(0, dt, dt, nullptr, forces_, constraints_);
    const StrandStep& s = newton.step();
    const Planes begin = planes(s);
    body_.set_masses(s.vertices, masses(s.vertices));
    find_contacts(begin);
    NodalContact solver;
    NodalBody* bodies[] = {&body_};
    solver.begin(bodies, list_);
    Outcome outcome;
    NodalOptions options;
    options.tolerance = 3e-7;  // of velocities of the contacts that close
    for (double step = 1; step > 1e-8 && outcome.iterations < 30; ++outcome.iterations) {
      assemble(newton, begin);
      outcome.solved = solver.solve(list_, options).status == ContactStatus::solved && outcome.solved;
      step = move(newton, solver);
    }
    look(newton, solver, begin, outcome);
    newton.end(constraints_);
    return outcome;
  }

 private:
  using Planes = std::vector<Vec3<Real>>;
  static Planes planes(const StrandStep& s) {
    Planes p;
    for (int i = 0; i < s.vertices; ++i) p.push_back({s.position[0][i], s.position[1][i], s.position[2][i]});
    return p;
  }
  static Vec3d at(const Planes& p, int vertex, int lane) {
    const Vec3<Real>& v = p[static_cast<std::size_t>(vertex)];
    return {v.x[lane], v.y[lane], v.z[lane]};
  }
  std::vector<Real> masses(int vertices) {
    const RodChannels& channels = object_.rod_channels();
    std::vector<Real> mass;
    for (int i = 0; i < vertices; ++i)
      mass.push_back(object_.strands().plane(0, channels.mass)[i] *
                     object_.strands().plane(0, channels.free_position)[i]);
    return mass;
  }
  void find_contacts(const Planes& begin) {
    const ContactList before = std::move(list_);
    list_ = {};
    for (int lane = 0; lane < 4; ++lane)
      for (int i = 2; i < static_cast<int>(begin.size()); ++i)
        if (at(begin, i, lane).z - floor < 0.02) {
          NodeContact& c = list_.add({0, 0, 1}, friction);
          list_.touch(0, body_.node(lane, i), 1);
          for (std::size_t k = 0; k < before.contacts.size(); ++k)
            if (before.nodes[k].node == body_.node(lane, i)) c.impulse = before.contacts[k].impulse;
        }
  }
  // M, f; and what contacts see of the iterate: u = (x - x_n)/dt + dv + gap/dt n - velocity of the floor.
  void assemble(StrandNewton& newton, const Planes& begin) {
    const StrandStep& s = newton.step();
    for (bool good = false; !good;) {
      newton.assemble(forces_, constraints_);
      std::vector<Real> side;
      for (int r = 0; r < newton.rows(); ++r) side.push_back(-(s.residual[r] + s.condensed[r]));
      body_.set(s.matrix, dt * dt, side.data(), dt);
      good = newton.factor();
    }
    const Planes now = planes(s);
    for (std::size_t k = 0; k < list_.contacts.size(); ++k) {
      const int node = list_.nodes[k].node, lane = node / s.vertices, i = node % s.vertices;
      const Vec3d x = at(now, i, lane), xn = at(begin, i, lane);
      list_.contacts[k].free = (x - xn) * (1 / dt) + Vec3d{0, -drift, (xn.z - floor) / dt};
    }
  }
  double move(StrandNewton& newton, const NodalContact& solver) {
    StrandStep& s = newton.step();
    for (int r = 0; r < newton.rows() + PlainLayout::half_bandwidth; ++r)
      s.step[r] = r < newton.rows() ? -(s.residual[r] + s.condensed[r]) : Real::all(0);
    for (int lane = 0; lane < 4; ++lane)
      for (int i = 0; i < s.vertices; ++i)
        for (int k = 0; k < 3; ++k)
          if (newton.is_free(i, k, lane)) {
            Real& row = s.step[newton.row(i, k)];
            row.set(lane, row[lane] + solver.impulses(0)[static_cast<std::size_t>(body_.node(lane, i))][k] / dt);
          }
    newton.solve(s.step);
    const Real size = newton.step_size();
    newton.move(newton.reach(), Real::all(0), constraints_);
    return std::max(std::max(size[0], size[1]), std::max(size[2], size[3]));
  }
  void look(StrandNewton& newton, const NodalContact& solver, const Planes& begin, Outcome& outcome) {
    newton.assemble(forces_, constraints_);
    const StrandStep& s = newton.step();
    const Planes now = planes(s);
    for (int lane = 0; lane < 4; ++lane)
      for (int i = 0; i < s.vertices; ++i) {
        if (!newton.is_free(i, 0, lane)) continue;
        const NodeVector p = solver.impulses(0)[static_cast<std::size_t>(body_.node(lane, i))];
        for (int k = 0; k < 3; ++k) {
          const double left = s.residual[newton.row(i, k)][lane] - p[k] / dt;
          const double moved = std::abs(left) / s.scale[newton.row(i, k)][lane] / s.mean_length[lane];
          outcome.balance = std::max(outcome.balance, moved);
        }
        outcome.deepest = std::max(outcome.deepest, floor - at(now, i, lane).z);
        outcome.closed += p[2] > 0;
        const Vec3d v = (at(now, i, lane) - at(begin, i, lane)) * (1 / dt);
        if (p[2] > 0 && std::hypot(p[0], p[1]) < 0.99 * friction * p[2])
          outcome.slip = std::max(outcome.slip, std::hypot(v.x, v.y - drift));
      }
  }

  Communicator alone_;
  GridDomain domain_;
  CurvesObject object_;
  std::vector<PointForce> forces_;
  std::vector<std::unique_ptr<StrandConstraint>> constraints_;
  Body body_;
  ContactList list_;
};

TEST(StrandsInContact, NewtonConvergesWithContactInEveryIteration) {
  Hairs hairs;
  int closed = 0, most = 0, sticking = 0;
  for (int step = 0; step < 24; ++step) {
    const Hairs::Outcome outcome = hairs.advance();
    EXPECT_TRUE(outcome.solved) << step;
    EXPECT_LT(outcome.balance, 1e-8) << step;
    EXPECT_LT(outcome.deepest, 1e-8) << step;
    EXPECT_LT(outcome.slip, 1e-6) << step;
    closed = outcome.closed;
    sticking += outcome.slip > 0;
    most = std::max(most, outcome.iterations);
  }
  EXPECT_GE(closed, 4) << "nothing lies on the floor";
  EXPECT_GT(sticking, 0);
  EXPECT_LE(most, 15);
}

}  // namespace
}  // namespace ymir
