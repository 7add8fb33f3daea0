// A source of gas, material and motion: a shape, a mesh, a volume or particles. [Lesser2022, 7.4, Emission]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/math/box.h"
#include "ymir/param/motion_params.h"

namespace ymir {

class VolumeObject;
struct GasEmission;

enum class EmitterShape : std::uint8_t { sphere, box, mesh, volume, points };

struct Emitter final : Behavior {
  struct Material {
    std::string name;
    double value = 1;
    static Schema<Material> schema();
  };
  struct Params : MotionParams {
    EmitterShape from = EmitterShape::sphere;
    Vec3d center{0, 0, 0};      // [m]
    double radius = 0.1;        // [m]
    Vec3d size{0.2, 0.2, 0.2};  // [m]
    Vec3d rotation{0, 0, 0};    // [rad]
    InputRef surface, volume;
    GroupRef points;
    std::optional<double> density;
    std::optional<double> temperature;  // [K]
    std::vector<Material> materials;
    std::optional<Vec3d> velocity;  // [m/s]
    std::optional<double> rate;     // [1/s]
    double flow = 0;                // [m^3/s]
    double start = 0;               // [s]
    std::optional<double> stop;     // [s]
  };
  static Schema<Params> schema();

  explicit Emitter(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Box add_grids(GasEmission& emission, VolumeObject& gas, const RigidMotion& motion, Scope& scope) const;

  Params params_;
};

}  // namespace ymir
