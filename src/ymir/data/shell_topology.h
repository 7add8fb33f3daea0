// What lies across the sides of the triangles of a shell, and the edges between them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ymir {

struct ShellTopology {
  // Side k of a triangle is the edge from its vertex k to the next.
  struct Side {
    std::int32_t across = -1;  // vertex of the triangle on the other side; -1: a rim, or an edge of three triangles
    std::int32_t edge = -1;    // number of the edge; -1 with `across`
    // How the turn of the edge's normal counts here: 1 in the first of its triangles, -1 in the second, but 1 too when
    // both run along the edge in the same direction, so that their normals point to different sides.
    double turn = 0;
  };
  // Two triangles (v0, v1, v2) and (v1, v0, v3) about the edge v0 v1, whatever the order of their own vertices.
  struct Hinge {
    std::array<std::int32_t, 4> vertex;
    std::array<std::int32_t, 2> triangle;
  };
  std::vector<Side> sides;       // 3 per triangle
  std::vector<Hinge> hinges;     // of edges with two triangles, by their number
  std::vector<Hinge> junctions;  // of every pair of triangles at edges with more
  std::size_t junction_edges = 0;
};

// `triangles` holds 3 vertices each, end to end. Edges are numbered so that three in a row lie near each other.
ShellTopology shell_topology(std::span<const std::int32_t> triangles, std::size_t vertices);

}  // namespace ymir
