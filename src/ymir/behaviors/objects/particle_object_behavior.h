// Points from a file, or emitted from a box, a sphere or a surface. [Lesser2022, 6.1, Particle Object]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/objects/point_source.h"
#include "ymir/param/schema.h"

namespace ymir {

class ParticleObject;

struct ParticleObjectBehavior final : Behavior {
  struct Emit {
    SourceShape from = SourceShape::box;
    Vec3d center{0, 0, 0};  // [m]
    Vec3d size{1, 1, 1};    // [m]
    double radius = 0.5;    // [m]
    InputRef surface;
    double rate = 1000;          // [1/s]
    double start = 0;            // [s]
    std::optional<double> stop;  // [s]
    std::optional<std::int64_t> limit;
    Vec3d velocity{0, 0, 0};  // [m/s]
    double spread = 0;        // [m/s]
    std::int64_t seed = 1;
    static Schema<Emit> schema();
  };
  struct Params {
    InputRef points;
    std::optional<Emit> emit;
    Varying<double> radius{1e-3};  // [m]
    double radius_variation = 0;
    Varying<double> density{1000};  // [kg/m^3]
    double courant_number = 1;
    std::optional<double> bucket;  // [m]
  };
  static Schema<Params> schema();

  explicit ParticleObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  void ask_buckets(Scope& scope, Vec3d extent) const;
  PointSource source(const Emit& emit, Scope& scope) const;
  void refuse_too_many(const Emit& emit, const ParticleObject& object, Scope& scope) const;
  Params params_;
};

}  // namespace ymir
