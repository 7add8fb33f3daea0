// Solids in scope touch each other, with exact Coulomb friction. [Lesser2022, 6.3, Collision Constraint; Daviet2011]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct CollisionBehavior final : Behavior {
  struct Params {
    Varying<double> friction{0.3};
    Varying<double> thickness{0};  // [m]
    double adhesion = 0;           // [N]
    bool self_contact = true;
    double tolerance = 1e-4;
  };
  static Schema<Params> schema();

  explicit CollisionBehavior(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
