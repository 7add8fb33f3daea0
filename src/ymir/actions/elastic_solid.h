// Cells of a mesh resist deformation: hyperelastic solids whose volume is kept by pressures.
//
//   E = sum V psi_dev(F) + V lambda/2 C^2,  C = volume/rest volume - 1
//
// The pressure q = lambda C is an unknown of its own, condensed away (primal-dual), so that Newton's method takes full
// steps up to Poisson's ratios near 1/2. One pressure per cell: no locking of hexahedra (Q1P0). [Smith2018;
// Tournier2015]
#pragma once

#include <cstdint>
#include <string>

#include "ymir/objects/mesh_object.h"

namespace ymir {

// Energies of physics/hyperelastic, all of which are Hooke's law for small strains.
enum class SolidModel : std::uint8_t { neo_hookean, log_neo_hookean, st_venant_kirchhoff, corotated };

struct ElasticSolidMaterial {
  double youngs_modulus = 1e5;  // where the mesh has no channel of that name [Pa]
  double poisson_ratio = 0.45;  // below 1/2
  SolidModel model = SolidModel::neo_hookean;
  double relaxation_time = 0;  // tau: a mode of angular frequency w is damped with ratio tau w/2 [s]
  // Internal friction [Dahl] on the change of shape: strain left when the load is gone, and change of it over which
  // friction develops. Strain is sqrt(2/3) |dev E|, the extension of a bar that keeps its volume.
  double friction_saturation = 0, friction_length = 1;
};

// Before ingest.
void add_elastic_solid(MeshObject& object, const std::string& owner, const ElasticSolidMaterial& material);

}  // namespace ymir
