// A prescribed field as force per unit mass or per unit volume. [Lesser2022, 6.2, Force Density Fields]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/behaviors/forces/field_params.h"

namespace ymir {

struct ForceField final : Behavior {
  struct Params {
    std::optional<FieldParams> acceleration;   // [m/s^2]
    std::optional<FieldParams> force_density;  // [N/m^3]
  };
  static Schema<Params> schema();

  explicit ForceField(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
