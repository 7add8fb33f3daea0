// Soft bodies resist deformation: hyperelastic solids. [Smith2018]
#pragma once

#include <optional>

#include "ymir/actions/elastic_solid.h"
#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct ElasticSolidBehavior final : Behavior {
  struct Dahl {
    double saturation = 0.02, length = 0.02;  // strains
    static Schema<Dahl> schema();
  };
  struct Params {
    SolidModel model = SolidModel::neo_hookean;
    Varying<double> youngs_modulus{1e5};  // [Pa]
    double poisson_ratio = 0.45;
    double relaxation_time = 0;  // [s]
    std::optional<Dahl> internal_friction;
    double gravity_compensation = 0;  // share
  };
  static Schema<Params> schema();

  explicit ElasticSolidBehavior(Params params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  ElasticSolidMaterial material() const;
  void compensate(Scope& scope, MeshObject& object) const;
  double most_pull() const;
  void warn_of_strong_fibres(Scope& scope, const MeshObject& object) const;
  Params params_;
};

}  // namespace ymir
