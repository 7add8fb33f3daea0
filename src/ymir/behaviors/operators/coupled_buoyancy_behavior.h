// Particles and strands take room in gas and float in it. [Lesser2022, 6.4, Coupled Buoyancy Operator]
#pragma once

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

class ParticleObject;
class VolumeObject;

struct CoupledBuoyancyBehavior final : Behavior {
  struct Params {
    Vec3d gravity{0, -9.81, 0};  // [m/s^2]
    bool inertia = true;
    bool on_objects = true;
    bool added_mass = true;
  };
  static Schema<Params> schema();

  explicit CoupledBuoyancyBehavior(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  static void refuse_too_large(const ParticleObject& particles, const VolumeObject& gas, const Scope& scope);

  Params params_;
};

}  // namespace ymir
