// Cells of a mesh resist deformation: neo-Hookean solids whose volume is kept by a pressure per cell.
//
//   E = sum V psi_dev(F) + V lambda/2 C^2,  C = volume/rest volume - 1
//
// The pressure q = lambda C is an unknown of its own, condensed away (primal-dual), so that Newton's method takes full
// steps up to Poisson's ratios near 1/2. One pressure per cell: no locking of hexahedra (Q1P0). [Smith2018; Tournier2015]
#pragma once

#include <string>

#include "ymir/objects/mesh_object.h"

namespace ymir {

struct ElasticSolidMaterial {
  double youngs_modulus = 1e5;  // [Pa]
  double poisson_ratio = 0.45;  // below 1/2
};

// Before ingest.
void add_elastic_solid(MeshObject& object, const std::string& owner, const ElasticSolidMaterial& material);

}  // namespace ymir
