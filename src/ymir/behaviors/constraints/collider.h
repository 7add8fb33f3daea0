// A solid, still or moving, that the objects in scope collide with: impact, resting contact and friction.
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/fluid/gas_boundary.h"
#include "ymir/param/motion_params.h"

namespace ymir {

enum class SolidShape : std::uint8_t { plane, sphere, box, mesh, sheet };

struct ColliderBehavior final : Behavior {
  struct Params : MotionParams {
    SolidShape shape = SolidShape::plane;
    Vec3d center{0, 0, 0};  // [m]
    Vec3d normal{0, 1, 0};
    double radius = 0.5;      // [m]
    Vec3d size{1, 1, 1};      // [m]
    Vec3d rotation{0, 0, 0};  // [rad]
    bool hollow = false;
    InputRef surface;
    std::optional<double> voxel;  // [m]
    Varying<double> restitution{0.3};
    Varying<double> friction{0.3};
    Wall wall = Wall::free_slip;
    double strand_stiffness = 200;
    double strand_thickness = 5e-4;  // [m]
  };
  static Schema<Params> schema();

  explicit ColliderBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  void create_sheet(Scope& scope);

  Params params_;
};

}  // namespace ymir
