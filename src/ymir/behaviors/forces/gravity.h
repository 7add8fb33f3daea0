// Uniform body force per unit mass on every object in scope. [Lesser2022, 6.2]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Gravity final : Behavior {
  struct Params {
    Varying<Vec3d> acceleration{Vec3d{0, -9.81, 0}};  // [m/s^2]
  };
  static Schema<Params> schema();

  explicit Gravity(Params params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
