// A material channel of a gas spreads by itself.
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct DiffusionBehavior final : Behavior {
  struct Params {
    std::string channel = "temperature";
    double diffusivity = 2e-5;  // [m^2/s]
    double tolerance = 1e-6;
  };
  static Schema<Params> schema();

  explicit DiffusionBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
