// Seams between vertices of a cloth: garments from flat pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct SewingBehavior final : Behavior {
  struct Pair {
    std::int64_t first = 0, second = 0;
    static Schema<Pair> schema();
  };
  struct Params {
    std::optional<double> range;  // [m]
    std::vector<Pair> pairs;
    double begin = 0;                      // [s]
    double close_time = 1;                 // [s]
    std::optional<double> seam_stiffness;  // [N/m]
  };
  static Schema<Params> schema();

  explicit SewingBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
