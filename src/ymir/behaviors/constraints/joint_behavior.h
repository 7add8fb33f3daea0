// Joints between rigid bodies, and between them and the world.
#pragma once

#include <optional>

#include "ymir/actions/joints.h"
#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

enum class JointEnds : std::uint8_t { neighbours, nearest, world };

struct JointBehavior final : Behavior {
  struct Place {
    Vec3d at{0, 0, 0};  // [m]
    std::optional<std::int64_t> body, other;
    static Schema<Place> schema();
  };
  struct Params {
    JointKind kind = JointKind::ball;
    JointEnds between = JointEnds::nearest;
    std::vector<Place> places;
    Vec3d axis{0, 1, 0};
    std::optional<double> low_angle, high_angle;        // [rad]
    std::optional<double> low_slide, high_slide;        // [m]
    std::optional<double> motor_spin, motor_angle;      // [rad/s, rad]
    std::optional<double> motor_speed, motor_position;  // [m/s, m]
    double motor_relaxation_time = 0;                   // [s]
    double motor_torque = 0, friction_torque = 0;       // [N m]
    double motor_force = 0, friction_force = 0;         // [N]
    double spring_torque = 0, spring_force = 0;         // per angle and length [N m, N/m]
    double spring_relaxation_time = 0;                  // [s]
  };
  static Schema<Params> schema();

  explicit JointBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  JointDrive drive(const Scope& scope) const;

  Params params_;
};

}  // namespace ymir
