// Soft bodies, strands and rigid bodies follow an animation of themselves, more or less over time.
#pragma once

#include <functional>
#include <vector>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

class CurvesObject;
class MeshObject;
class RigidObject;

struct Follow final : Behavior {
  struct Key {
    double time = 0;  // [s]
    double weight = 1;
    static Schema<Key> schema();
  };
  struct Params {
    InputRef body, surface, curves;
    Varying<double> stiffness{1e6};  // [N/m^4]
    double weight = 0.5;
    std::vector<Key> course;
  };
  static Schema<Params> schema();

  explicit Follow(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  using Weight = std::function<double(double time)>;
  void follow_mesh(Scope& scope, MeshObject& object, const Weight& factor) const;
  void follow_curves(Scope& scope, CurvesObject& object, const Weight& factor) const;
  void follow_bodies(Scope& scope, RigidObject& object, const Weight& weight) const;
  Params params_;
};

}  // namespace ymir
