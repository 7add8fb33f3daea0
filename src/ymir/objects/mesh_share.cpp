#include "ymir/objects/mesh_share.h"

#include "ymir/parallel/bytes.h"
#include "ymir/solvers/graph_partition.h"

namespace ymir {

MeshShare share_among(Communicator& ranks, int lead, const SolidMesh& mesh) {
  const int each = nodes_of(mesh.shape);
  const auto nodes = static_cast<std::int32_t>(mesh.positions.size());
  Bytes bytes;
  if (ranks.root()) bytes = to_bytes(partition(node_graph(nodes, mesh.cells, each), mesh.positions, ranks.size()));
  ranks.broadcast(bytes);
  const auto owner = from_bytes<int>(bytes);
  MeshShare share{&ranks, lead, {}, {}, {}};
  for (int r = 0; r < ranks.size(); ++r) {
    share.first.push_back(static_cast<std::int32_t>(share.order.size()));
    for (std::int32_t i = 0; i < nodes; ++i)
      if (owner[static_cast<std::size_t>(i)] == r) share.order.push_back(i);
  }
  share.first.push_back(nodes);
  const auto step = static_cast<std::size_t>(each);
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    for (std::size_t a = 0; a < step; ++a)
      if (owner[static_cast<std::size_t>(mesh.cells[c * step + a])] == ranks.rank()) {
        share.cells.push_back(static_cast<std::int32_t>(c));
        break;
      }
  return share;
}

}  // namespace ymir
