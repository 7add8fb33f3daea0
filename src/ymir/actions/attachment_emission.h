// Emission of attachments: which points of strands are held to which points of a surface or of other strands.
// [Lesser2022, 6.3]
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/animated_surface.h"
#include "ymir/objects/strand_coupling.h"

namespace ymir {

enum class SourcePoints : std::uint8_t { roots, tips, all };
enum class EmissionKind : std::uint8_t { closest, within_range, network };

// Explicit pair: strand and vertex of the source; of the target a strand and vertex, or a triangle (its centre).
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

// The strands of one object at some moment.
struct StrandShape {
  CurvesObject* object;
  std::int64_t strand;
  std::vector<Vec3d> positions;
  std::vector<Vec3d> m1;  // of each edge, where it is known
};
std::vector<StrandShape> input_shapes(CurvesObject& object);    // before ingest, of all ranks
std::vector<StrandShape> present_shapes(CurvesObject& object);  // of this rank

// Point of a triangle mesh that moves with its triangle.
struct SurfacePoint {
  std::int32_t triangle = 0;
  Vec3d barycentric{1, 0, 0};
};
// Position and frame (first edge, across it, normal) on a mesh in its present pose.
EmbeddedPoint surface_point(const Surface& mesh, const std::vector<Vec3d>& positions, const SurfacePoint& at);

struct SurfacePair {
  StrandPoint source;
  SurfacePoint target;
};
struct StrandPair {
  StrandPoint source, target;
};
std::vector<SurfacePair> emit_to_surface(const EmissionRule& rule, const std::vector<StrandShape>& sources,
                                         const Surface& mesh, const std::vector<Vec3d>& positions);
// Never between points of one strand.
std::vector<StrandPair> emit_to_strands(const EmissionRule& rule, const std::vector<StrandShape>& sources,
                                        const std::vector<StrandShape>& targets);

}  // namespace ymir
