#include "ymir/behaviors/register.h"

#include "ymir/behaviors/constraints/attachment_behavior.h"
#include "ymir/behaviors/constraints/collider.h"
#include "ymir/behaviors/constraints/collision.h"
#include "ymir/behaviors/constraints/follow.h"
#include "ymir/behaviors/constraints/joint_behavior.h"
#include "ymir/behaviors/constraints/sewing_behavior.h"
#include "ymir/behaviors/forces/buoyancy.h"
#include "ymir/behaviors/forces/coupled_drag_behavior.h"
#include "ymir/behaviors/forces/drag.h"
#include "ymir/behaviors/forces/force_field.h"
#include "ymir/behaviors/forces/gravity.h"
#include "ymir/behaviors/materials/elastic_rod_behavior.h"
#include "ymir/behaviors/materials/elastic_shell_behavior.h"
#include "ymir/behaviors/materials/elastic_solid_behavior.h"
#include "ymir/behaviors/materials/muscle.h"
#include "ymir/behaviors/materials/pressure_behavior.h"
#include "ymir/behaviors/materials/viscosity_behavior.h"
#include "ymir/behaviors/objects/cloth_object_behavior.h"
#include "ymir/behaviors/objects/curves_object_behavior.h"
#include "ymir/behaviors/objects/elaston_object_behavior.h"
#include "ymir/behaviors/objects/particle_object_behavior.h"
#include "ymir/behaviors/objects/rigid_object_behavior.h"
#include "ymir/behaviors/objects/solid_object_behavior.h"
#include "ymir/behaviors/objects/super_helix_object_behavior.h"
#include "ymir/behaviors/objects/volume_object_behavior.h"
#include "ymir/behaviors/operators/cooling.h"
#include "ymir/behaviors/operators/coupled_buoyancy_behavior.h"
#include "ymir/behaviors/operators/diffusion.h"
#include "ymir/behaviors/operators/dissipation.h"
#include "ymir/behaviors/operators/emitter.h"
#include "ymir/behaviors/operators/kill.h"
#include "ymir/behaviors/operators/vorticity_confinement.h"
#include "ymir/behaviors/operators/wind.h"
#include "ymir/objects/collider_object.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/objects/particle_object.h"
#include "ymir/objects/rigid_object.h"
#include "ymir/objects/super_helix_object.h"
#include "ymir/objects/volume_object.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

Registry all_behaviors() {
  Registry registry;
  registry.add<ParticleObjectBehavior, ParticleObject>();
  registry.add<CurvesObjectBehavior, CurvesObject>();
  registry.add<SuperHelixObjectBehavior, SuperHelixObject>();
  registry.add<SolidObjectBehavior, MeshObject>();
  registry.add<ClothObjectBehavior, MeshObject>();
  registry.add<RigidObjectBehavior, RigidObject>();
  registry.add<ElastonObjectBehavior, ElastonObject>();
  registry.add<VolumeObjectBehavior, VolumeObject>();
  registry.add<ElasticRodBehavior>();
  registry.add<ElasticSolidBehavior>();
  registry.add<ElasticShellBehavior>();
  registry.add<Muscle>();
  registry.add<PressureBehavior>();
  registry.add<ViscosityBehavior>();
  registry.add<Gravity>();
  registry.add<ForceField>();
  registry.add<DragBehavior>();
  registry.add<CoupledDragBehavior>();
  registry.add<Buoyancy>();
  registry.add<AttachmentBehavior>();
  registry.add<JointBehavior, SolidSystem>();
  registry.add<ColliderBehavior, ColliderObject>();
  registry.add<CollisionBehavior>();
  registry.add<Follow>();
  registry.add<SewingBehavior>();
  registry.add<Kill>();
  registry.add<CoupledBuoyancyBehavior>();
  registry.add<Emitter>();
  registry.add<Wind>();
  registry.add<VorticityConfinement>();
  registry.add<DiffusionBehavior>();
  registry.add<Dissipation>();
  registry.add<Cooling>();
  return registry;
}

}  // namespace ymir
