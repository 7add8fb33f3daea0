// A soft body: a closed surface filled with cells that deform. [Lesser2022, 6.1 and 7.3]
#pragma once

#include <cstdint>
#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct SolidObjectBehavior final : Behavior {
  struct Params {
    InputRef surface;
    std::optional<double> cell;  // [m]
    double density = 1000;       // [kg/m^3]
    double tolerance = 1e-4;
    std::int64_t newton_iterations = 50;
  };
  static Schema<Params> schema();

  explicit SolidObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
