// A cloth: a surface whose triangles stretch and bend. [Lesser2022, 6.1]
#pragma once

#include <cstdint>
#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct ClothObjectBehavior final : Behavior {
  struct Params {
    InputRef surface;
    double thickness = 5e-4;             // [m]
    Varying<double> density{400};        // [kg/m^3]
    std::optional<double> area_density;  // [kg/m^2]
    double tolerance = 1e-4;
    std::int64_t newton_iterations = 50;
  };
  static Schema<Params> schema();

  explicit ClothObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;
  std::vector<Unused> unused(ActsOn kind) const override;

 private:
  Params params_;
};

}  // namespace ymir
