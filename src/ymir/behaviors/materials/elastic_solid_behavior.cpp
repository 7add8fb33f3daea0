#include "ymir/behaviors/materials/elastic_solid_behavior.h"

#include "ymir/actions/elastic_solid.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

Schema<ElasticSolidBehavior::Params> ElasticSolidBehavior::schema() {
  return Schema<Params>("elastic_solid", "Soft bodies resist being deformed from their rest shape.")
      .category(Category::material)
      .once()
      .example("examples/jelly.yaml")
      .param(&Params::youngs_modulus, "youngs_modulus", unit::pascal,
             "Stiffness of the material; gelatine: 5 to 50 kPa, muscle: 10 to 100 kPa, rubber: 1 to 10 MPa.")
      .positive()
      .param(&Params::poisson_ratio, "poisson_ratio", unit::none,
             "How much it keeps its volume: 0 like cork, 0.45 like flesh, 0.4999 like rubber.")
      .range(0, 0.4999);
}

void ElasticSolidBehavior::create(Scope& scope) {
  for (MeshObject* object : scope.solid_objects())
    add_elastic_solid(*object, scope.path(), {params_.youngs_modulus, params_.poisson_ratio});
}

}  // namespace ymir
