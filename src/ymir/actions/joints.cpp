#include "ymir/actions/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ymir/math/quaternion_from_matrix.h"
#include "ymir/physics/rigid/joint.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Joints final : public Coupling {
 public:
  Joints(std::string owner, JointKind kind, const JointDrive& drive, std::vector<JointPlace> places)
      : owner_(std::move(owner)), kind_(kind), drive_(drive), places_(std::move(places)) {
    elements_.resize(places_.size());
    for (Element& element : elements_) {
      element.low.fill(-infinity);
      element.high.fill(infinity);
    }
    along_.assign(places_.size(), 0);
    for (std::size_t e = 0; e < places_.size(); ++e) {
      const Vec3d u = places_[e].axis, v = any_normal(u);
      const std::array<Vec3d, 3> axes{u, v, cross(u, v)};
      for (std::size_t end = 0; end < 2; ++end) {
        const Embedding& begin = (end == 0 ? places_[e].source : places_[e].target).begin;
        for (std::size_t k = 0; k < 3; ++k)
          elements_[e].axes[end][k] = {dot(begin.frame[0], axes[k]), dot(begin.frame[1], axes[k]),
                                       dot(begin.frame[2], axes[k])};
      }
    }
  }
  std::string owner() const override { return owner_; }
  std::size_t size() const override { return places_.size(); }
  const MaterialPoint& point(std::size_t e, int end) const override {
    return (end == 0 ? places_[e].source : places_[e].target).point;
  }
  Embedding prescribed(std::size_t e, double) const override { return places_[e].target.begin; }
  void prepare(double, double) override {}
  bool changing() const override { return false; }
  std::span<double> state() override { return along_; }

  // An angle is known up to whole turns: what comes around again in a substep would seem to have turned less, or back.
  std::string too_fast(double dt) const override {
    const bool followed = drive_.low || drive_.high || drive_.motor_speed || drive_.spring > 0 || drive_.friction > 0;
    if (!followed || (kind_ != JointKind::hinge && kind_ != JointKind::ball)) return "";
    double rate = std::fabs(drive_.motor_speed.value_or(0));
    for (const JointPlace& place : places_) rate = std::max(rate, norm(spin_of(place.source) - spin_of(place.target)));
    if (!(rate * dt > most_turn)) return "";
    return fmt::format("{}: at {:.3g} rad/s, bodies turn by more than half a turn in a substep of {:.3g} s", owner_,
                       rate, dt);
  }

  void begin(std::size_t e, const Embedding& a, const Embedding& b) override {
    elements_[e].multiplier.fill(0);
    if (kind_ == JointKind::ball && drive_.spring > 0) elements_[e].turn = turn_of(frames_of(elements_[e], a, b));
    elements_[e].start = elements_[e].now = along_[e];
  }

  void evaluate(std::size_t e, const Embedding& a, const Embedding& b, double dt, CouplingRows& rows) override {
    Element& element = elements_[e];
    const JointFrames frames = frames_of(element, a, b);
    rows.rows = rows.hard = 0;
    rows.first[0] = 0;
    rows.first[1] = a.dofs;
    rows.curved = true;
    for (auto& row : rows.curvature) std::fill_n(row, CouplingRows::twists, 0.0);
    const auto hold = [&](const JointRow& row) {
      add(rows, row, a, b, element.multiplier[static_cast<std::size_t>(rows.rows)]);
    };
    if (kind_ == JointKind::slider) {
      for (const int axis : {1, 2}) {
        add_across_curvature(frames, axis, element.multiplier[static_cast<std::size_t>(rows.rows)], rows.curvature);
        hold(across_row(frames, axis));
      }
    } else {
      for (int k = 0; k < 3; ++k) hold(place_row(frames, k));
    }
    constexpr int square[3][2] = {{0, 1}, {0, 2}, {1, 2}};  // of a hinge the first two: its axis u stays
    const int squares = kind_ == JointKind::ball ? 0 : kind_ == JointKind::hinge ? 2 : 3;
    for (int k = 0; k < squares; ++k) {
      add_square_curvature(frames, square[k][0], square[k][1], element.multiplier[static_cast<std::size_t>(rows.rows)],
                           rows.curvature);
      hold(square_row(frames, square[k][0], square[k][1]));
    }
    rows.hard = rows.rows;
    if (kind_ == JointKind::hinge || kind_ == JointKind::slider) drive(element, frames, a, b, dt, rows);
    if (kind_ == JointKind::ball && drive_.spring > 0) turn_back(element, frames, a, b, dt, rows);
  }

  void advance(std::size_t e, const double* change, int count) override {
    Element& element = elements_[e];
    for (auto r = 0U; r < static_cast<unsigned>(count); ++r)
      element.multiplier[r] = std::clamp(element.multiplier[r] + change[r], element.low[r], element.high[r]);
  }

  void end(std::size_t e, const Embedding&, const Embedding&) override { along_[e] = elements_[e].now; }

 private:
  static constexpr std::size_t slots = 9;  // of hinges and sliders five that hold; two limits, motor, friction
  struct Element {
    std::array<std::array<Vec3d, 3>, 2> axes;               // u, v, w in the frame of each end
    std::array<double, slots> multiplier{}, low{}, high{};  // of each hard row, and its bounds
    double start = 0, now = 0;                              // the open way when the substep began, and now [rad or m]
    Vec3d turn{0, 0, 0};  // of a ball when the substep began, in the axes of the target [rad]
  };

  static constexpr double most_turn = 2.8;  // [rad]

  static Vec3d spin_of(const JointEnd& end) {
    return end.object != nullptr && end.object->element_count() > 0 ? end.object->angular_velocity(end.body)
                                                                    : Vec3d{0, 0, 0};
  }
  static JointFrames frames_of(const Element& element, const Embedding& a, const Embedding& b) {
    JointFrames f;
    const Embedding* ends[2] = {&a, &b};
    for (std::size_t end = 0; end < 2; ++end) {
      f.position[end] = ends[end]->position;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d local = element.axes[end][k];
        f.axis[end][k] = ends[end]->frame[0] * local.x + ends[end]->frame[1] * local.y + ends[end]->frame[2] * local.z;
      }
    }
    return f;
  }

  static void add(CouplingRows& rows, const JointRow& row, const Embedding& a, const Embedding& b, double force) {
    const int r = rows.rows++;
    rows.force[r] = force;
    rows.stiffness[r] = infinity;
    rows.gap[r] = row.c;
    const Embedding* ends[2] = {&a, &b};
    for (int end = 0; end < 2; ++end) {
      const double* j = row.j + 6 * end;
      const Vec3d shift{j[0], j[1], j[2]}, turn{j[3], j[4], j[5]};
      for (int k = 0; k < ends[end]->dofs; ++k)
        rows.j[r][rows.first[end] + k] = dot(shift, ends[end]->shift[k]) + dot(turn, ends[end]->turn[k]);
      rows.pull[end] += shift * force;
    }
  }

  // Limits, motor and friction along the open way, as rows whose multipliers have bounds; a spring.
  void drive(Element& element, const JointFrames& frames, const Embedding& a, const Embedding& b, double dt,
             CouplingRows& rows) {
    JointRow row = kind_ == JointKind::hinge ? angle_row(frames) : across_row(frames, 0);
    // Angles go on beyond a turn.
    if (kind_ == JointKind::hinge) row.c = element.now + std::remainder(row.c - element.now, 2 * M_PI);
    element.now = row.c;
    const auto bounded = [&](double place, double low, double high) {
      const auto r = static_cast<std::size_t>(rows.rows);
      rows.low[r] = element.low[r] = low;
      rows.high[r] = element.high[r] = high;
      JointRow held = row;
      held.c = row.c - place;
      add(rows, held, a, b, element.multiplier[r]);
      ++rows.hard;
      ++rows.bounded;
    };
    const bool driven = drive_.motor_speed || drive_.motor_target;
    // A motor that nothing holds up stops at the limits by itself.
    const bool unyielding = driven && drive_.motor_strength == 0;
    if (unyielding)
      bounded(std::clamp(motor_goal(element.start, dt), drive_.low.value_or(-infinity), drive_.high.value_or(infinity)),
              -infinity, infinity);
    if (drive_.low && !unyielding) bounded(*drive_.low, -infinity, 0);
    if (drive_.high && !unyielding) bounded(*drive_.high, 0, infinity);
    if (driven && !unyielding) bounded(motor_goal(element.start, dt), -drive_.motor_strength, drive_.motor_strength);
    if (drive_.friction > 0) bounded(element.start, -drive_.friction, drive_.friction);
    if (drive_.spring > 0) {
      const double damping = drive_.spring * drive_.spring_relaxation / dt;
      add(rows, row, a, b, drive_.spring * row.c + damping * (row.c - element.start));
      rows.stiffness[rows.rows - 1] = drive_.spring + damping;
    }
  }

  // Where the motor wants to be at the end of a substep. The speed (target - place)/T is that at the end: backward
  // Euler.
  double motor_goal(double start, double dt) const {
    if (!drive_.motor_target) return start + *drive_.motor_speed * dt;
    double most = drive_.motor_speed ? *drive_.motor_speed * dt : infinity;
    if (kind_ == JointKind::hinge) most = std::min(most, 0.5 * most_turn);  // angles are followed within a turn
    return start + std::clamp((*drive_.motor_target - start) * dt / (dt + drive_.motor_relaxation), -most, most);
  }

  // Rotation vector from the axes of the target to those of the source, in the former.
  static Vec3d turn_of(const JointFrames& f) {
    Mat3d relative;
    for (int k = 0; k < 3; ++k)
      for (int r = 0; r < 3; ++r) relative(r, k) = dot(f.axis[1][r], f.axis[0][k]);
    return quaternion_log(quaternion_from_matrix(relative));
  }

  // The torque k times the turn, which has the energy k/2 turn^2; in the matrix turns are as small ones are.
  void turn_back(const Element& element, const JointFrames& frames, const Embedding& a, const Embedding& b, double dt,
                 CouplingRows& rows) const {
    const Vec3d turn = turn_of(frames);
    const double damping = drive_.spring * drive_.spring_relaxation / dt;
    for (int k = 0; k < 3; ++k) {
      JointRow row;
      row.c = turn[k];
      row.set(1, frames.axis[1][k]);
      row.set(3, -frames.axis[1][k]);
      add(rows, row, a, b, drive_.spring * turn[k] + damping * (turn[k] - element.turn[k]));
      rows.stiffness[rows.rows - 1] = drive_.spring + damping;
    }
  }

  std::string owner_;
  JointKind kind_;
  JointDrive drive_;
  std::vector<JointPlace> places_;
  std::vector<Element> elements_;
  std::vector<double> along_;  // the open way of each [rad or m]
};

}  // namespace

JointEnd joint_end(RigidObject& object, std::size_t body, Vec3d x) {
  JointEnd end;
  end.point = object.point_at(body, x);
  end.begin = object.at_rest(end.point);
  end.mass = object.bodies()[body].mass;
  end.object = &object;
  end.body = body;
  return end;
}

JointEnd world_end(Vec3d x) {
  JointEnd end;
  end.begin = free_point(x);
  end.begin.dofs = 0;
  return end;
}

void add_joints(SolidSystem& solids, const std::string& owner, JointKind kind, const JointDrive& drive,
                std::vector<JointPlace> places) {
  for (const JointPlace& place : places)
    for (const MaterialPoint* at : {&place.source.point, &place.target.point})
      if (at->object != nullptr) solids.add(*at->object);
  solids.add(std::make_unique<Joints>(owner, kind, drive, std::move(places)));
}

}  // namespace ymir
