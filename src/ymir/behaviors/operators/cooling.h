// Hot gas radiates its heat. [method notes C, 8]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Cooling final : Behavior {
  struct Params {
    double rate = 3000;              // [K/s]
    double peak_temperature = 2000;  // [K]
  };
  static Schema<Params> schema();
  explicit Cooling(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
