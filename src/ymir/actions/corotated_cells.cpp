#include "ymir/actions/elastic_cells.h"
#include "ymir/actions/elastic_models.h"
#include "ymir/physics/hyperelastic/corotated.h"

namespace ymir {

MadeCells corotated_cells(const SolidMesh& mesh, const std::string& owner, const ElasticSolidMaterial& material) {
  return make_elastic_cells<Corotated>(mesh, owner, material);
}

}  // namespace ymir
