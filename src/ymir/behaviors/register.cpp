#include "ymir/behaviors/register.h"

#include "ymir/behaviors/constraints/attachment_behavior.h"
#include "ymir/behaviors/constraints/collider.h"
#include "ymir/behaviors/forces/drag.h"
#include "ymir/behaviors/forces/force_field.h"
#include "ymir/behaviors/forces/gravity.h"
#include "ymir/behaviors/materials/elastic_rod_behavior.h"
#include "ymir/behaviors/objects/curves_object_behavior.h"
#include "ymir/behaviors/objects/particle_object_behavior.h"
#include "ymir/behaviors/operators/kill.h"

namespace ymir {

Registry all_behaviors() {
  Registry registry;
  registry.add<ParticleObjectBehavior>();
  registry.add<CurvesObjectBehavior>();
  registry.add<ElasticRodBehavior>();
  registry.add<Gravity>();
  registry.add<ForceField>();
  registry.add<DragBehavior>();
  registry.add<AttachmentBehavior>();
  registry.add<ColliderBehavior>();
  registry.add<Kill>();
  return registry;
}

}  // namespace ymir
