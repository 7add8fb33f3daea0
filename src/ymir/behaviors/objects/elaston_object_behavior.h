// Plants made of elastons. [Lesser2022, 7.2]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/data/meshes.h"
#include "ymir/param/schema.h"

namespace ymir {

class ElastonObject;
struct Curves;
struct ElastonCloud;
struct Surface;

struct ElastonObjectBehavior final : Behavior {
  struct Params {
    InputRef curves, leaves, trunks;
    double radius = 0.01;           // [m]
    double leaf_thickness = 5e-4;   // [m]
    std::optional<double> spacing;  // [m]
    bool clamp_roots = true;
    double youngs_modulus = 1e9;  // [Pa]
    double poisson_ratio = 0.3;
    double density = 700;             // [kg/m^3]
    double damping = 0.02;            // [s]
    Vec3d velocity{0, 0, 0};          // [m/s]
    double gravity_compensation = 0;  // share
    double tolerance = 1e-8;
    std::int64_t newton_iterations = 50;
  };
  static Schema<Params> schema();

  explicit ElastonObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  double find_spacing(const Scope& scope, const Curves& curves, const Surface& trunks) const;
  // Branches begin where they leave trunks.
  Curves out_of_trunks(Scope& scope, const Curves& curves, const Surface& trunks) const;
  ElastonCloud grow(Scope& scope, double& longest) const;  // longest: part [m]
  void compensate(Scope& scope, ElastonObject& plants) const;
  Params params_;
};

}  // namespace ymir
