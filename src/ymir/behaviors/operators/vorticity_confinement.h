// Keeps eddies turning that a coarse grid would damp. [Lesser2022, 6.4]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct VorticityConfinement final : Behavior {
  struct Params {
    double strength = 0.3;
  };
  static Schema<Params> schema();
  explicit VorticityConfinement(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
