// Strands resist stretching, bending and twisting: discrete elastic rods. [Bergou2008; Bergou2010; Lesser2022, 6.1]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct ElasticRodBehavior final : Behavior {
  struct Dahl {
    Varying<double> saturation{1};  // [1/m]
    Varying<double> length{1};      // [1/m]
    static Schema<Dahl> schema();
  };
  struct Params {
    Varying<double> youngs_modulus{3.5e9};         // [Pa]
    std::optional<Varying<double>> shear_modulus;  // [Pa]
    Varying<double> poisson_ratio{0.35};
    Varying<double> stretch{1}, bend{1}, twist{1};
    bool inextensible = false;
    bool rest_bend_correction = true;
    Varying<double> relaxation_time{0};          // [s]
    Varying<double> stretch_relaxation_time{0};  // [s]
    std::optional<Dahl> internal_friction;
  };
  static Schema<Params> schema();

  explicit ElasticRodBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;
  std::vector<Unused> unused(ActsOn kind) const override;

 private:
  Params params_;
};

}  // namespace ymir
