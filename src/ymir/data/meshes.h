// Mesh types: topology plus channels on each kind of primitive. They carry data in and out of the solver.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ymir/data/channels.h"
#include "ymir/math/box.h"

namespace ymir {

// Loose points.
struct Points {
  std::vector<Vec3d> positions;  // [m]
  Channels vertices;             // one entry per point
};

// Polylines stored end to end: strand s has vertices [first[s], first[s + 1]).
struct Curves {
  std::vector<Vec3d> positions;        // [m]
  std::vector<std::int64_t> first{0};  // strands + 1 entries
  Channels vertices;
  Channels edges;  // one entry per segment, strand by strand
  Channels strands;

  std::size_t strand_count() const { return first.size() - 1; }
  std::size_t edge_count() const { return positions.size() - strand_count(); }  // every strand has >= 1 vertex
};

// Triangle mesh; polygons are triangulated on reading.
struct Surface {
  std::vector<Vec3d> positions;  // [m]
  std::vector<std::array<std::int32_t, 3>> triangles;
  Channels vertices;
  Channels edges;
  Channels faces;
};

// Tetrahedral mesh.
struct Body {
  std::vector<Vec3d> positions;  // [m]
  std::vector<std::array<std::int32_t, 4>> tetrahedra;
  Channels vertices;
  Channels edges;
  Channels faces;
  Channels elements;
};

Box bounds(const std::vector<Vec3d>& positions);
// Unique undirected edges, each as (low, high) vertex, sorted.
std::vector<std::array<std::int32_t, 2>> unique_edges(const Surface&);
std::vector<std::array<std::int32_t, 2>> unique_edges(const Body&);
// True when every edge is shared by exactly two consistently oriented triangles.
bool closed(const Surface&);

}  // namespace ymir
