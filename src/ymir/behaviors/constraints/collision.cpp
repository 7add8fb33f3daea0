#include "ymir/behaviors/constraints/collision.h"

#include <fmt/format.h>

#include <limits>

#include "ymir/base/error.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<CollisionBehavior::Params> CollisionBehavior::schema() {
  return Schema<Params>(
             "collision",
             "Strands, cloth, rigid and soft bodies, plants and particles in scope touch each other and themselves, "
             "with "
             "exact Coulomb friction unless told otherwise: they stick until the force along their surfaces exceeds "
             "friction times that between them.")
      .category(Category::constraint)
      .example("examples/touching_hair.yaml")
      .param(
          &Params::friction, "friction", unit::none,
          "Coulomb coefficient. Where two touch: the root of the product of theirs, at the points that touch. Painted, "
          "it is also that of exact contact with colliders.")
      .at_least(0)
      .acts_on({ActsOn::particles, ActsOn::strands, ActsOn::solids, ActsOn::cloth})
      .param(&Params::thickness, "thickness", unit::m,
             "Distance kept free beyond the radii of strands and between surfaces. Guides that stand for many hairs "
             "want the thickness of their lock.")
      .at_least(0)
      .acts_on({ActsOn::particles, ActsOn::strands, ActsOn::solids})
      .param(&Params::adhesion, "adhesion", unit::newton,
             "Force that a contact bears before it opens: hair that is wet or styled.")
      .at_least(0)
      .only_when("response", {"exact"})
      .param(&Params::self_contact, "self_contact", "Strands, cloth and bodies touch themselves; particles each other.")
      .param(&Params::rolling, "rolling",
             "Which strands touch at their surfaces, so that friction turns them and they roll; others touch at their "
             "axes. thick: from 0.1 mm radius on, as cords and yarn. Hair that is "
             "clamped hardly turns, and would take longer.")
      .enumerated<Rolling>({{"thick", Rolling::thick}, {"all", Rolling::all}, {"none", Rolling::none}})
      .advanced()
      .acts_on({ActsOn::strands})
      .param(&Params::tolerance, "tolerance", unit::none,
             "Error of relative velocities at contacts, by those without contact.")
      .positive()
      .advanced()
      .param(&Params::continuous, "continuous",
             "What would pass through something within a substep is found on its way, too: thin and fast things.")
      .advanced()
      .param(&Params::response, "response",
             "How contacts answer. exact: Coulomb's law, nothing overlaps; penalty: a spring in a thin layer; barrier: "
             "a force "
             "in that layer that grows without bound as the gap closes. Friction of the last "
             "two grows with the slip until `slip_speed`: what rests on a slope creeps. Where objects differ: barrier, "
             "then exact, then penalty.")
      .enumerated<ContactResponse>({{"exact", ContactResponse::exact},
                                    {"penalty", ContactResponse::penalty},
                                    {"barrier", ContactResponse::barrier}})
      .param(&Params::relative_stiffness, "relative_stiffness", unit::none,
             "Stiffness of penalties and barriers by the inertia of what touches there: k dt^2/m, dt at most 1/24 s.")
      .positive()
      .advanced()
      .only_when("response", {"penalty", "barrier"})
      .only_without({"stiffness"})
      .param(&Params::stiffness, "stiffness", unit::newton_per_m,
             "Stiffness of a contact itself, the same at every length of the substep.")
      .positive()
      .advanced()
      .only_when("response", {"penalty", "barrier"})
      .param(&Params::activation, "activation", unit::m,
             "Gap beyond `thickness` at which penalties and barriers begin to push.")
      .positive()
      .only_when("response", {"penalty", "barrier"})
      .param(&Params::slip_speed, "slip_speed", unit::m_per_s,
             "Speed along each other from which friction is all there; below it is less, and things creep.")
      .positive()
      .only_when("response", {"penalty", "barrier"});
}

// Balls, which touch exactly or not at all.
void CollisionBehavior::add_particles(Scope& scope, std::vector<SolidObject*>& objects) const {
  for (ParticleObject* particles : scope.particle_objects()) {
    if (params_.response != ContactResponse::exact) {
      scope.warn(fmt::format("{} is left out: particles touch with `response: exact` only", particles->path()));
      continue;
    }
    if (scope.domain().communicator().size() > 1)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: contacts of particles ({}) run on one rank so far; start without mpirun and use its "
                              "threads, or leave the particles out of its group",
                              scope.path(), particles->path()));
    scope.solids().add(*particles);
    objects.push_back(particles);
  }
}

void CollisionBehavior::create(Scope& scope) {
  std::vector<SolidObject*> objects = scope.touching_objects();
  add_particles(scope, objects);
  if (objects.empty()) return;
  TouchParams params;
  params.friction = params_.friction.value;
  params.thickness = params_.thickness.value;
  params.adhesion = params_.adhesion;
  params.self_contact = params_.self_contact;
  params.tolerance = params_.tolerance;
  params.continuous = params_.continuous;
  if (params_.rolling == Rolling::all) params.rolls_from = 0;
  if (params_.rolling == Rolling::none) params.rolls_from = std::numeric_limits<double>::infinity();
  params.response = {params_.response, params_.relative_stiffness, params_.stiffness.value_or(0), params_.activation,
                     params_.slip_speed};
  scope.solids().contacts().add_family(objects, params, scope.group());
}

}  // namespace ymir
