#include "ymir/behaviors/materials/elastic_solid_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/actions/load_stress.h"
#include "ymir/actions/muscle_fibres.h"
#include "ymir/behaviors/materials/second_material.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/mesh_values.h"
#include "ymir/physics/hyperelastic/corotated.h"
#include "ymir/physics/hyperelastic/fibre_limit.h"
#include "ymir/physics/hyperelastic/log_neo_hookean.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"
#include "ymir/physics/hyperelastic/stable_neo_hookean.h"

namespace ymir {
namespace {

// Above, cells without a pressure of their own are too stiff by more than a third. [method notes: solids, 3.3]
constexpr double most_without_pressure = 0.4;
// Of what a bar bears: fibres that pull at once, undamped, overshoot.
constexpr double safe_pull = 0.9;

}  // namespace

Schema<ElasticSolidBehavior::Params> ElasticSolidBehavior::schema() {
  return Schema<Params>("elastic_solid", "Soft bodies resist being deformed from their rest shape.")
      .category(Category::material)
      .once()
      .example("examples/jelly.yaml")
      .param(&Params::model, "model",
             "Law for large strains; all are Hooke's for small ones. neo_hookean: rubber and flesh; log_neo_hookean: "
             "comes back from being crushed also where Poisson's ratio is below 0.4; corotated: stress grows in "
             "proportion to stretch; st_venant_kirchhoff: for small strains, gives way when pressed together.")
      .enumerated<SolidModel>({{"neo_hookean", SolidModel::neo_hookean},
                               {"log_neo_hookean", SolidModel::log_neo_hookean},
                               {"st_venant_kirchhoff", SolidModel::st_venant_kirchhoff},
                               {"corotated", SolidModel::corotated}})
      .param(&Params::youngs_modulus, "youngs_modulus", unit::pascal,
             "Stiffness of the material; gelatine: 5 to 50 kPa, muscle: 10 to 100 kPa, rubber: 1 to 10 MPa.")
      .positive()
      .acts_on({ActsOn::solids})
      .param(&Params::poisson_ratio, "poisson_ratio", unit::none,
             "How much it keeps its volume: 0 like cork, 0.45 like flesh, 0.4999 like rubber.")
      .range(0, 0.4999)
      .param(
          &Params::relaxation_time, "relaxation_time", unit::s,
          "Damping of strain: a mode of angular frequency w is damped with ratio time * w / 2; turning as a whole is "
          "not damped.")
      .at_least(0)
      .param(&Params::internal_friction, "internal_friction", Dahl::schema(),
             "Friction inside the material as its shape changes, independent of speed; clay, dough, rubber with much "
             "filler.")
      .param(&Params::gravity_compensation, "gravity_compensation", unit::none,
             "Share of gravity and other constant forces that a stress inside bears where the body begins: 1 holds its "
             "shape, 0 lets it sag. Only what an `attachment` to a surface holds exactly carries the body.")
      .range(0, 1);
}

Schema<ElasticSolidBehavior::Dahl> ElasticSolidBehavior::Dahl::schema() {
  return Schema<Dahl>("internal_friction", "Friction inside the body: it keeps some of a shape it was given (Dahl).")
      .param(&Dahl::saturation, "saturation", unit::none,
             "Largest strain left when the load is gone, as the extension of a bar that keeps its volume; 0: none.")
      .range(0, 10)
      .param(&Dahl::length, "length", unit::none, "Change of that strain over which friction develops.")
      .range(1e-6, 10);
}

void ElasticSolidBehavior::create(Scope& scope) {
  if (params_.model == SolidModel::st_venant_kirchhoff && params_.poisson_ratio > most_without_pressure)
    scope.warn(
        fmt::format("st_venant_kirchhoff with a Poisson's ratio of {:g} is too stiff in bending, by a third or "
                    "more: its volume is not kept by a pressure; keep to {:g}, or choose another model",
                    params_.poisson_ratio, most_without_pressure));
  for (MeshObject* object : scope.solid_objects()) {
    refuse_second_material(scope, *object, "elastic_solid");
    add_elastic_solid(*object, scope.path(), material());
    scope.after_all([this, &scope, object] { warn_of_strong_fibres(scope, *object); });
    // Once it is known what pulls at the body and what holds it.
    if (params_.gravity_compensation > 0) scope.after_all([this, &scope, object] { compensate(scope, *object); });
  }
}

ElasticSolidMaterial ElasticSolidBehavior::material() const {
  ElasticSolidMaterial m{params_.youngs_modulus, params_.poisson_ratio, params_.model, params_.relaxation_time};
  if (params_.internal_friction) {
    m.friction_saturation = params_.internal_friction->saturation;
    m.friction_length = params_.internal_friction->length;
  }
  return m;
}

// Share of Young's modulus that fibres may pull with.
double ElasticSolidBehavior::most_pull() const {
  switch (params_.model) {
    case SolidModel::neo_hookean: return fibre_limit<StableNeoHookean>(params_.poisson_ratio);
    case SolidModel::log_neo_hookean: return fibre_limit<LogNeoHookean>(params_.poisson_ratio);
    case SolidModel::st_venant_kirchhoff: return fibre_limit<StVenantKirchhoff>(params_.poisson_ratio);
    case SolidModel::corotated: return fibre_limit<Corotated>(params_.poisson_ratio);
  }
  return 0;
}

void ElasticSolidBehavior::warn_of_strong_fibres(Scope& scope, const MeshObject& object) const {
  std::vector<double> tension(object.mesh().cell_count(), 0);
  std::string owner;
  for (const auto& constraint : object.constraints())
    if (const auto* fibres = dynamic_cast<const PullsFibres*>(constraint.get())) {
      owner = constraint->owner();
      for (std::size_t c = 0; c < tension.size(); ++c) tension[c] += fibres->most_tension(c);
    }
  if (owner.empty()) return;
  const auto young = cell_values(object.mesh(), "youngs_modulus")
                         .value_or(std::vector<double>(tension.size(), params_.youngs_modulus));
  double most = 0;
  for (std::size_t c = 0; c < tension.size(); ++c) most = std::max(most, tension[c] / young[c]);
  const double limit = most_pull();
  if (most > safe_pull * limit)
    scope.warn(
        fmt::format("{} pulls cells of {} with {:.3g} of their youngs_modulus, and a bar of this material and "
                    "poisson_ratio bears {:.3g} before it collapses to a point; make youngs_modulus about {:.2g} times "
                    "larger, poisson_ratio larger, or the activation smaller",
                    owner, object.path(), most, limit, most / (safe_pull * limit)));
}

void ElasticSolidBehavior::compensate(Scope& scope, MeshObject& object) const {
  const std::string name = scope.path() + ".gravity_compensation";
  if (!object.description().start.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {} has a `rest:` shape of its own; leave one of them out", name, object.path()));
  if (std::find(object.held().begin(), object.held().end(), 1) == object.held().end())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: nothing holds {} exactly, and what falls or lies has no shape to keep; hold a part of "
                            "it by `attachment: {{surface: ..., range: ...}}`, or leave it out",
                            name, object.path()));
  const double factor = add_load_stress(object, name, material(), params_.gravity_compensation);
  if (factor > 1)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {} is too soft to stand as it begins: it would buckle under the stress that bears its "
                            "weight, and gain speed; make youngs_modulus about {:.2g} times larger, or compensate a "
                            "smaller share, such as {:.2g}",
                            name, object.path(), factor, 0.95 * params_.gravity_compensation / factor));
}

}  // namespace ymir
