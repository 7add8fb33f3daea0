// Emission of attachments: which points of strands and bodies, or which particles, are held to which points of a
// surface or of other objects. [Lesser2022, 6.3]
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/animated_surface.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

enum class SourcePoints : std::uint8_t { roots, tips, all };
enum class EmissionKind : std::uint8_t { closest, within_range, network };

// Explicit pair: strand and vertex of the source; of the target a strand and vertex, or a triangle (its centre).
// Particles are named by their number in the input, their vertex is 0; of a body the vertex is one of its points.
struct NetworkEntry {
  std::int64_t source_strand = 0, source_vertex = 0, target = 0, target_vertex = 0;
};

struct EmissionRule {
  SourcePoints points = SourcePoints::roots;
  EmissionKind kind = EmissionKind::closest;
  double range = 0;  // farthest distance [m]; 0: no limit (closest only)
  bool every_step = false;
  std::vector<NetworkEntry> network;
};

// Point of a triangle mesh that moves with its triangle.
struct SurfacePoint {
  std::int32_t triangle = 0;
  Vec3d barycentric{1, 0, 0};
};
// Position and frame (first edge, across it, normal) on a mesh in its present pose.
Embedding surface_point(const Surface& mesh, const std::vector<Vec3d>& positions, const SurfacePoint& at);

struct SurfacePair {
  MaterialPoint source;
  SurfacePoint target;
};
struct ObjectPair {
  MaterialPoint source, target;
};
std::vector<SurfacePair> emit_to_surface(const EmissionRule& rule, const std::vector<PieceShape>& sources,
                                         const Surface& mesh, const std::vector<Vec3d>& positions);
// Never between points of one strand; two particles are held to each other once, whoever is the source.
std::vector<ObjectPair> emit_to_objects(const EmissionRule& rule, const std::vector<PieceShape>& sources,
                                        const std::vector<PieceShape>& targets);

}  // namespace ymir
