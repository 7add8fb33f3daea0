#include "ymir/behaviors/forces/field_params.h"

namespace ymir {

Schema<FieldParams> FieldParams::schema(std::string_view name, const Unit& unit) {
  using P = FieldParams;
  return Schema<P>(name, "A vector field given from outside.")
      .param(&P::kind, "kind", "What the field looks like; the other parameters belong to one kind each.")
      .enumerated<FieldShape>({{"uniform", FieldShape::uniform},
                               {"vortex", FieldShape::vortex},
                               {"curl_noise", FieldShape::curl_noise},
                               {"volume", FieldShape::volume}})
      .param(&P::value, "value", unit, "uniform: the same everywhere.")
      .param(&P::center, "center", unit::m, "vortex: a point of its axis.")
      .param(&P::axis, "axis", unit::none, "vortex: direction of its axis; turns counter-clockwise seen from its tip.")
      .param(&P::swirl, "swirl", unit, "vortex: around the axis, at the core radius.")
      .param(&P::updraft, "updraft", unit, "vortex: along the axis, at the axis.")
      .param(&P::inflow, "inflow", unit, "vortex: towards the axis, at the core radius.")
      .param(&P::core_radius, "core_radius", unit::m, "vortex: where it is strongest.")
      .positive()
      .param(&P::strength, "strength", unit, "curl_noise: root mean square.")
      .at_least(0)
      .param(&P::length_scale, "length_scale", unit::m, "curl_noise: size of the largest eddies.")
      .positive()
      .param(&P::octaves, "octaves", "curl_noise: each adds eddies of half the size and half the strength.")
      .range(1, 12)
      .param(&P::rate, "rate", unit::per_second, "curl_noise: how fast the largest eddies change.")
      .param(&P::seed, "seed", "curl_noise: another number, another noise of the same kind.")
      .at_least(0)
      .param(&P::volume, "volume", "volume: input with a vector grid, in SI units.")
      .accepts({InputKind::volume});
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

}  // namespace ymir
