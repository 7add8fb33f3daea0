// Parameters of a prescribed vector field, shared by all behaviors that take one.
#pragma once

#include "ymir/actions/prescribed_field.h"
#include "ymir/behaviors/scope.h"
#include "ymir/param/schema.h"

namespace ymir {

enum class FieldShape : std::uint8_t { uniform, vortex, curl_noise, volume };

struct FieldParams {
  FieldShape kind = FieldShape::uniform;
  Vec3d value{0, 0, 0};      // uniform
  Vec3d center{0, 0, 0};     // vortex [m]
  Vec3d axis{0, 1, 0};       // vortex
  double swirl = 1;          // vortex
  double updraft = 0;        // vortex
  double inflow = 0;         // vortex
  double core_radius = 0.1;  // vortex [m]
  double strength = 1;       // curl noise, root mean square
  double length_scale = 1;   // curl noise [m]
  int octaves = 3;           // curl noise
  double rate = 0;           // curl noise [1/s]
  std::int64_t seed = 1;     // curl noise
  InputRef volume;

  // `unit` is that of the field's values.
  static Schema<FieldParams> schema(std::string_view name, const Unit& unit);
};

void add_field(PrescribedField& sum, const FieldParams& params, const Scope& scope);

// How large the values of a field get; 0 where only its input knows.
double strength_of(const FieldParams& params);
// Warns of air that moves faster than objects may: what it carries along ends the run.
void warn_of_speed(Scope& scope, const char* parameter, double speed);

}  // namespace ymir
