// A material channel of a gas returns to its ambient value.
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Dissipation final : Behavior {
  struct Params {
    std::string channel = "density";
    double rate = 0.5;  // [1/s]
  };
  static Schema<Params> schema();
  explicit Dissipation(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
