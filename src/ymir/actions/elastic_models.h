// Elastic cells of each model. One source file each: their kernels are instantiated for every shape of cell.
#pragma once

#include <memory>

#include "ymir/actions/elastic_solid.h"

namespace ymir {

using MadeCells = std::unique_ptr<MeshConstraint>;
MadeCells neo_hookean_cells(const SolidMesh& mesh, const std::string& owner, const ElasticSolidMaterial& material);
MadeCells log_neo_hookean_cells(const SolidMesh& mesh, const std::string& owner, const ElasticSolidMaterial& material);
MadeCells corotated_cells(const SolidMesh& mesh, const std::string& owner, const ElasticSolidMaterial& material);
MadeCells st_venant_kirchhoff_cells(const SolidMesh& mesh, const std::string& owner,
                                    const ElasticSolidMaterial& material);

}  // namespace ymir
