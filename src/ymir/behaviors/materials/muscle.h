// Fibres of soft bodies that pull when they are active.
#pragma once

#include <vector>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct Muscle final : Behavior {
  struct Key {
    double time = 0;   // [s]
    double share = 1;  // of the activation
    static Schema<Key> schema();
  };
  struct Params {
    Varying<double> activation{2e4};       // [Pa]
    Varying<Vec3d> fibre{Vec3d{1, 0, 0}};  // direction at rest
    double stiffness = 0;                  // [Pa]
    std::vector<Key> course;
  };
  static Schema<Params> schema();

  explicit Muscle(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  Params params_;
};

}  // namespace ymir
