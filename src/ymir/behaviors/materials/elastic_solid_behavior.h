// Soft bodies resist deformation: stable neo-Hookean solids. [Smith2018]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct ElasticSolidBehavior final : Behavior {
  struct Params {
    double youngs_modulus = 1e5;  // [Pa]
    double poisson_ratio = 0.45;
  };
  static Schema<Params> schema();

  explicit ElasticSolidBehavior(Params params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
