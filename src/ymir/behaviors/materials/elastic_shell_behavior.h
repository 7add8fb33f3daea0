// Cloth resists being stretched, sheared and bent. [Volino2009; Grinspun2006]
#pragma once

#include <optional>
#include <vector>

#include "ymir/actions/elastic_shell.h"
#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

enum class Weave : std::uint8_t { isotropic, woven };
enum class ShellRest : std::uint8_t { input, flat };

struct ElasticShellBehavior final : Behavior {
  struct CurvePoint {
    double strain = 0;   // Green strain
    double tension = 0;  // [N/m]
    static Schema<CurvePoint> schema();
  };
  struct Dahl {
    double saturation = 1, length = 1;  // [1/m]
    static Schema<Dahl> schema();
  };
  struct StretchDahl {
    double saturation = 0.01, length = 0.01;  // strains
    static Schema<StretchDahl> schema();
  };
  struct Params {
    Weave weave = Weave::isotropic;
    double youngs_modulus = 1e7;  // [Pa]
    double poisson_ratio = 0.3;
    double stretch_warp = 5000, stretch_weft = 5000, shear = 500;  // [N/m]
    std::vector<CurvePoint> warp_curve, weft_curve;
    std::optional<Vec3d> warp_direction;
    double stretch_relaxation_time = 0;  // [s]
    std::optional<StretchDahl> stretch_friction;
    BendingModel bending = BendingModel::mid;
    std::optional<double> bending_stiffness;  // D [N m]
    double bending_relaxation_time = 0;       // [s]
    ShellRest rest_shape = ShellRest::input;
    std::optional<double> yield_curvature;  // [1/m]
    double hardening = 0;
    std::optional<Dahl> internal_friction;
    double gravity_compensation = 0;  // share
  };
  static Schema<Params> schema();

  explicit ElasticShellBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  ElasticShellMaterial material(const Scope& scope, double thickness) const;
  std::vector<Vec3d> warp(const SolidMesh& mesh) const;
  void compensate(Scope& scope, MeshObject& cloth) const;

  Params params_;
};

}  // namespace ymir
