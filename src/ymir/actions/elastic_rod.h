// Elastic rods on a Curves Object: stretching, bending and twisting as two Constraint Sets. [Bergou2008; Bergou2010]
#pragma once

#include <optional>

#include "ymir/actions/constraint_set.h"
#include "ymir/objects/curves_object.h"

namespace ymir {

struct ElasticRodMaterial {
  double youngs_modulus = 3.5e9;            // [Pa]
  double poisson_ratio = 0.35;              // gives the shear modulus unless that is set
  std::optional<double> shear_modulus;      // [Pa]
  double stretch = 1, bend = 1, twist = 1;  // factors of the physical stiffness
  bool inextensible = false;
  // Curls have the stiffness of the smooth curve through their vertices (physics/rods/rest_bend_correction.h).
  bool rest_bend_correction = true;
  Damping damping;                     // of bending and twist; Dahl's constants are curvatures [1/m]
  double stretch_relaxation_time = 0;  // [s]
};

// Channels of its two sets, for those who change rest shapes.
struct ElasticRodChannels {
  ConstraintChannels stretch, bend_twist;
};

// Adds the constraints and the rule that gives each strand its rest shape and stiffness; before ingest. Channels of the
// curves named youngs_modulus, shear_modulus, poisson_ratio, stretch, bend, twist, relaxation_time,
// stretch_relaxation_time, internal_friction_saturation and internal_friction_length override the material per strand
// or vertex; the last two where the material has a dahl_length.
ElasticRodChannels add_elastic_rod(CurvesObject& curves, const std::string& owner, const ElasticRodMaterial& material,
                                   const CurvesObject::Description& section);

// Whether the edges of its strands keep their length exactly.
bool is_inextensible(const CurvesObject& curves);

}  // namespace ymir
