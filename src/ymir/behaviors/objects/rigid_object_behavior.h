// Bodies that do not deform. [Lesser2022, 6.1]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

class RigidObject;

struct RigidObjectBehavior final : Behavior {
  struct Params {
    InputRef surface;
    double density = 1000;  // [kg/m^3]
    std::int64_t copies = 1;
    Vec3d copy_offset{0, 0, 0};       // [m]
    Vec3d copy_rotation{0, 0, 0};     // [rad]
    Vec3d velocity{0, 0, 0};          // [m/s]
    Vec3d spin{0, 0, 0};              // [rad/s]
    double gravity_compensation = 0;  // share
    double tolerance = 1e-9;
    std::int64_t newton_iterations = 50;
  };
  static Schema<Params> schema();

  explicit RigidObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  void compensate(Scope& scope, RigidObject& bodies) const;
  Params params_;
};

}  // namespace ymir
