// Nodes and elastons of plants at rest: what branches, leaves and trunks have in common once they are sampled.
// [Martin2010; Lesser2022, 7.2]
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/math/mat3.h"

namespace ymir {

// What an elaston is a part of: thin along its axes 1 and 2, along 2, along none.
enum class ElastonKind : std::uint8_t { line, sheet, solid };

struct ElastonSample {
  ElastonKind kind = ElastonKind::line;
  Vec3d centre{0, 0, 0};  // [m]
  Mat3d axes;             // columns: along a line first, across a sheet last
  Vec3d extent{0, 0, 0};  // along the axes; a^2/12 is the mean square of the distance from the centre [m]
  double volume = 0;      // [m^3]
  double radius = 0;      // from the centre to the surface [m]
  double area = 0;        // that it turns to the wind [m^2]
  std::int32_t node = 0;  // of the same part, near
};

struct ElastonCloud {
  double spacing = 0;  // of nodes [m]
  std::vector<Vec3d> nodes;
  std::vector<std::array<std::int32_t, 2>> links;  // nodes that are next to each other in a part, or where parts join
  std::vector<ElastonSample> elastons;
  // Where a plant is rooted: the field is held there, in place and, at the end of a line, in orientation.
  struct Held {
    Vec3d at;
    double area;  // of the section [m^2]
    std::int32_t node;
    bool turned = true;
  };
  std::vector<Held> held;
  // What is shown, and of each vertex a node of its part.
  Surface skin;
  std::vector<std::int32_t> skin_nodes;

  // Where a branch, leaf or trunk ends: balls along a line, or triangles.
  struct Part {
    ElastonKind kind = ElastonKind::line;
    std::vector<Vec3d> points;        // [m]
    std::vector<std::int32_t> nodes;  // of the same part, near each point
    std::vector<double> radii;        // of a line [m]
    std::vector<std::array<std::int32_t, 3>> triangles;
    double thickness = 0;  // of a sheet [m]
  };
  std::vector<Part> parts;

  // Where the nodes, elastons, held points and parts of a plant begin, and those of the next one.
  struct Piece {
    std::int32_t nodes, elastons, held, parts;
  };
  // Numbers everything plant by plant, nodes that links connect being of one plant; one entry more than there are
  // plants.
  std::vector<Piece> sort_pieces();
};

}  // namespace ymir
