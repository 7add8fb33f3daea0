// Soft bodies are pulled towards an animation of themselves.
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Follow final : Behavior {
  struct Params {
    InputRef body, surface;          // one of them
    Varying<double> stiffness{1e6};  // [N/m^4]
  };
  static Schema<Params> schema();

  explicit Follow(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
