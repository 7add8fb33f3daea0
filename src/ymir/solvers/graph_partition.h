// Nodes of a mesh in parts of about equal weight with few links between them: what ranks share a large body by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

// Neighbours of node i: neighbours[starts[i]] .. neighbours[starts[i + 1]], itself not among them, every link in both
// directions. A node weighs as much as it has links.
struct NodeGraph {
  std::vector<std::int32_t> starts{0}, neighbours;
  std::int32_t nodes() const { return static_cast<std::int32_t>(starts.size()) - 1; }
};

// Nodes that share an element; `elements` holds `nodes_each` nodes per element, end to end.
NodeGraph node_graph(std::int32_t nodes, std::span<const std::int32_t> elements, int nodes_each);

// Part of each node, 0 to parts - 1; by Scotch [Pellegrini1996] where it is present, otherwise by bisect().
std::vector<int> partition(const NodeGraph& graph, std::span<const Vec3d> positions, int parts);

// Cut across the longest side of the box around the nodes, again and again.
std::vector<int> bisect(const NodeGraph& graph, std::span<const Vec3d> positions, int parts);

}  // namespace ymir
