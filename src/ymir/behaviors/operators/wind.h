// Air around a gas that moves on its own: gusts that blow through the simulated part.
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/behaviors/forces/field_params.h"

namespace ymir {

struct Wind final : Behavior {
  struct Key {
    double time = 0;          // [s]
    Vec3d velocity{0, 0, 0};  // [m/s]
    static Schema<Key> schema();
  };
  struct Params {
    Vec3d velocity{0, 0, 0};  // [m/s]
    std::vector<Key> gusts;
    std::optional<FieldParams> turbulence;
  };
  static Schema<Params> schema();

  explicit Wind(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
