#include "ymir/actions/elastic_cells.h"
#include "ymir/actions/elastic_models.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"

namespace ymir {

MadeCells st_venant_kirchhoff_cells(const SolidMesh& mesh, const std::string& owner,
                                    const ElasticSolidMaterial& material) {
  return make_elastic_cells<StVenantKirchhoff>(mesh, owner, material);
}

}  // namespace ymir
