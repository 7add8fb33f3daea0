// Values that a file paints on a solid mesh: channels of its cells, else of its nodes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ymir/data/solid_mesh.h"

namespace ymir {

bool painted(const SolidMesh& mesh, std::string_view name);
// Per cell; of a channel of the nodes, the mean of the cell's. Nothing where no channel has that name and type.
std::optional<std::vector<double>> cell_values(const SolidMesh& mesh, std::string_view name);
std::optional<std::vector<Vec3d>> cell_vectors(const SolidMesh& mesh, std::string_view name);
// Per node; of a channel of the cells, the mean of those around it.
std::optional<std::vector<double>> node_values(const SolidMesh& mesh, std::string_view name);

}  // namespace ymir
