// Lifts hot gas, lets heavy smoke sink. [method notes C, 8]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Buoyancy final : Behavior {
  struct Params {
    Vec3d gravity{0, -9.81, 0};  // [m/s^2]
    double smoke_weight = 0;
  };
  static Schema<Params> schema();
  explicit Buoyancy(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
