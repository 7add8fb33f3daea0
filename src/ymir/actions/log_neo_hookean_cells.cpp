#include "ymir/actions/elastic_cells.h"
#include "ymir/actions/elastic_models.h"
#include "ymir/physics/hyperelastic/log_neo_hookean.h"

namespace ymir {

MadeCells log_neo_hookean_cells(const SolidMesh& mesh, const std::string& owner, const ElasticSolidMaterial& material) {
  return make_elastic_cells<LogNeoHookean>(mesh, owner, material);
}

}  // namespace ymir
