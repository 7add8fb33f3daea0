#include "ymir/actions/elastic_solid.h"

#include "ymir/actions/elastic_models.h"

namespace ymir {

void add_elastic_solid(MeshObject& object, const std::string& owner, const ElasticSolidMaterial& material) {
  const auto make = [&] {
    switch (material.model) {
      case SolidModel::log_neo_hookean: return log_neo_hookean_cells(object.mesh(), owner, material);
      case SolidModel::st_venant_kirchhoff: return st_venant_kirchhoff_cells(object.mesh(), owner, material);
      case SolidModel::corotated: return corotated_cells(object.mesh(), owner, material);
      case SolidModel::neo_hookean: break;
    }
    return neo_hookean_cells(object.mesh(), owner, material);
  };
  object.add_constraint(make());
}

}  // namespace ymir
