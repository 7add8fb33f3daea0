// Removes points that leave a box or grow too old.
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Kill final : Behavior {
  struct Bounds {
    Vec3d low{-10, -10, -10};  // [m]
    Vec3d high{10, 10, 10};    // [m]
    static Schema<Bounds> schema();
  };
  struct Params {
    std::optional<Bounds> bounds;
    std::optional<double> max_age;  // [s]
    double age_variation = 0;
  };
  static Schema<Params> schema();

  explicit Kill(Params params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
