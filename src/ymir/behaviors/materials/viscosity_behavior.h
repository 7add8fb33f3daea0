// Makes gas viscous. [Lesser2022, 7.4, viscosity solver]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct ViscosityBehavior final : Behavior {
  struct Params {
    double viscosity = 1.8e-5;  // [Pa s]
    double tolerance = 1e-6;
  };
  static Schema<Params> schema();

  explicit ViscosityBehavior(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
