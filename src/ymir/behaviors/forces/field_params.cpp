#include "ymir/behaviors/forces/field_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ymir {

Schema<FieldParams> FieldParams::schema(std::string_view name, const Unit& unit) {
  using P = FieldParams;
  return Schema<P>(name, "A vector field given from outside.")
      .param(&P::kind, "kind", "What the field looks like.")
      .enumerated<FieldShape>({{"uniform", FieldShape::uniform},
                               {"vortex", FieldShape::vortex},
                               {"curl_noise", FieldShape::curl_noise},
                               {"volume", FieldShape::volume}})
      .param(&P::value, "value", unit, "The same everywhere.")
      .only_when("kind", {"uniform"})
      .param(&P::center, "center", unit::m, "A point of its axis.")
      .only_when("kind", {"vortex"})
      .param(&P::axis, "axis", unit::none, "Direction of its axis; turns counter-clockwise seen from its tip.")
      .direction()
      .only_when("kind", {"vortex"})
      .param(&P::swirl, "swirl", unit, "Around the axis, at the core radius.")
      .only_when("kind", {"vortex"})
      .param(&P::updraft, "updraft", unit, "Along the axis, at the axis.")
      .only_when("kind", {"vortex"})
      .param(&P::inflow, "inflow", unit, "Towards the axis, at the core radius.")
      .only_when("kind", {"vortex"})
      .param(&P::core_radius, "core_radius", unit::m, "Where it is strongest.")
      .positive()
      .only_when("kind", {"vortex"})
      .param(&P::strength, "strength", unit, "Root mean square.")
      .at_least(0)
      .only_when("kind", {"curl_noise"})
      .param(&P::length_scale, "length_scale", unit::m, "Size of the largest eddies.")
      .positive()
      .only_when("kind", {"curl_noise"})
      .param(&P::octaves, "octaves", "Each adds eddies of half the size and half the strength.")
      .range(1, 12)
      .only_when("kind", {"curl_noise"})
      .param(&P::rate, "rate", unit::per_second, "How fast the largest eddies change.")
      .only_when("kind", {"curl_noise"})
      .param(&P::seed, "seed", "Another number, another noise of the same kind.")
      .at_least(0)
      .only_when("kind", {"curl_noise"})
      .param(&P::volume, "volume", "Input with a vector grid, in SI units.")
      .accepts({InputKind::volume})
      .only_when("kind", {"volume"});
}

void add_field(PrescribedField& sum, const FieldParams& p, const Scope& scope) {
  VectorField field;
  switch (p.kind) {
    case FieldShape::uniform:
      field.kind = FieldKind::uniform;
      field.uniform = p.value;
      break;
    case FieldShape::vortex:
      field.kind = FieldKind::vortex;
      field.vortex = {p.center, normalized(p.axis, Vec3d{0, 1, 0}), p.swirl, p.core_radius, p.updraft, p.inflow};
      break;
    case FieldShape::curl_noise:
      field.kind = FieldKind::curl_noise;
      field.curl_noise.rms = p.strength;
      field.curl_noise.length_scale = p.length_scale;
      field.curl_noise.octaves = p.octaves;
      field.curl_noise.rate = p.rate;
      field.curl_noise.seed = static_cast<std::uint64_t>(p.seed);
      break;
    case FieldShape::volume:
      if (p.volume.empty())
        throw Error(ExitCode::bad_input,
                    scope.path() + ": a field of kind volume needs `volume:`, the name of an input");
      sum.add(std::make_shared<VolumeGridSampler>(scope.vector_volume(p.volume)));
      return;
  }
  sum.add(field);
}

double strength_of(const FieldParams& p) {
  switch (p.kind) {
    case FieldShape::uniform: return norm(p.value);
    case FieldShape::vortex: return std::max({std::abs(p.swirl), std::abs(p.updraft), std::abs(p.inflow)});
    case FieldShape::curl_noise: return p.strength;
    case FieldShape::volume: break;
  }
  return 0;
}

void warn_of_speed(Scope& scope, const char* parameter, double speed) {
  const double largest = scope.simulation().time_params().largest_speed;
  if (speed > largest)
    scope.warn(
        fmt::format("{}: air at {:.3g} m/s is faster than any object may move, {:g} m/s; give a slower wind, or raise "
                    "time.largest_speed",
                    parameter, speed, largest));
}

}  // namespace ymir
