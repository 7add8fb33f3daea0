#include "ymir/behaviors/materials/elastic_rod_behavior.h"

#include "ymir/actions/elastic_rod.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<ElasticRodBehavior::Dahl> ElasticRodBehavior::Dahl::schema() {
  return Schema<Dahl>("internal_friction", "Friction inside the strand: it keeps some of a bend it was given (Dahl).")
      .param(&Dahl::saturation, "saturation", unit::per_m, "Largest curvature left when the load is gone; 0: none.")
      .at_least(0)
      .param(&Dahl::length, "length", unit::per_m, "Change of curvature over which friction develops.")
      .positive();
}

Schema<ElasticRodBehavior::Params> ElasticRodBehavior::schema() {
  return Schema<Params>("elastic_rod", "Strands resist stretching, bending and twisting away from their natural shape.")
      .category(Category::material)
      .example("examples/curls.yaml")
      .param(&Params::youngs_modulus, "youngs_modulus", unit::pascal,
             "Stiffness of the material; human hair: 3 to 5 GPa.")
      .positive()
      .param(&Params::shear_modulus, "shear_modulus", unit::pascal, "Against twist; from Poisson's ratio when absent.")
      .positive()
      .param(&Params::poisson_ratio, "poisson_ratio", unit::none, "Gives the shear modulus E/2/(1 + nu).")
      .range(-0.99, 0.5)
      .only_without({"shear_modulus"})
      .param(&Params::stretch, "stretch", unit::none, "Factor of the stretching stiffness.")
      .positive()
      .only_when("inextensible", {"false"})
      .param(&Params::bend, "bend", unit::none, "Factor of the bending stiffness.")
      .at_least(0)
      .param(&Params::twist, "twist", unit::none, "Factor of the twisting stiffness.")
      .at_least(0)
      .param(&Params::inextensible, "inextensible", "Edges keep their length exactly, by Lagrange multipliers.")
      .param(&Params::rest_bend_correction, "rest_bend_correction",
             "Coarsely sampled curls get the stiffness of the smooth curve.")
      .advanced()
      .param(&Params::relaxation_time, "relaxation_time", unit::s,
             "Rayleigh damping of bending and twist: a mode of angular frequency w is damped with ratio time * w / 2.")
      .at_least(0)
      .param(&Params::stretch_relaxation_time, "stretch_relaxation_time", unit::s, "The same for stretching.")
      .at_least(0)
      .advanced()
      .only_when("inextensible", {"false"})
      .param(&Params::internal_friction, "internal_friction", Dahl::schema(),
             "Friction inside the strand, independent of speed.");
}

void ElasticRodBehavior::create(Scope& scope) {
  ElasticRodMaterial material;
  material.youngs_modulus = params_.youngs_modulus;
  if (params_.shear_modulus) material.shear_modulus = params_.shear_modulus->value;
  material.poisson_ratio = params_.poisson_ratio;
  material.stretch = params_.stretch;
  material.bend = params_.bend;
  material.twist = params_.twist;
  material.inextensible = params_.inextensible;
  material.rest_bend_correction = params_.rest_bend_correction;
  material.damping.relaxation_time = params_.relaxation_time;
  material.stretch_relaxation_time = params_.stretch_relaxation_time;
  if (params_.internal_friction) {
    material.damping.dahl_saturation = params_.internal_friction->saturation;
    material.damping.dahl_length = params_.internal_friction->length;
  }
  for (CurvesObject* curves : scope.curves_objects()) {
    if (curves->strands().find("stretch.rest") >= 0)
      throw Error(ExitCode::bad_input, scope.path() + ": " + curves->path() + " has an elastic_rod already; keep one");
    add_elastic_rod(*curves, scope.path(), material, curves->description());
  }
}

std::vector<Behavior::Unused> ElasticRodBehavior::unused(ActsOn kind) const {
  const bool strands = kind == ActsOn::strands;
  std::vector<Unused> found;
  if (!strands) return found;
  if (params_.inextensible)
    for (const char* channel : {"stretch", "stretch_relaxation_time"})
      found.push_back({channel, "edges that keep their length have no stiffness; leave out `inextensible`"});
  if (params_.shear_modulus)
    found.push_back({"poisson_ratio", "`shear_modulus` is given, which it would give; leave one of them out"});
  if (!params_.internal_friction)
    for (const char* channel : {"internal_friction_saturation", "internal_friction_length"})
      found.push_back({channel, "strands have no internal friction; add `internal_friction: {}`"});
  return found;
}

}  // namespace ymir
