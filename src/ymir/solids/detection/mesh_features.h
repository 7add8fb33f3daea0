// Faces, edges and vertices of the meshes of a Boundary at its present positions: which of them a nearest point lies
// on, and whether it is nearest within all of the mesh around it.
//
// A point y above one triangle has a nearest point on each triangle near it. Only those that are local minima of the
// distance are contacts: from an edge no way into the other triangle, from a vertex no way along an edge leads closer
// to y. Without that a hair that slides over a mesh would be stopped by edges that stand nowhere out.
#pragma once

#include "ymir/solids/detection/boundary.h"

namespace ymir {

// Same for a point that two triangles share.
struct MeshFeature {
  enum class Kind : std::uint8_t { face, edge, vertex } kind;
  std::int32_t index;  // of the Boundary
  friend auto operator<=>(const MeshFeature&, const MeshFeature&) = default;
};

// Of the point with these weights, which are 0 where it lies on an edge or vertex.
MeshFeature feature_of(const Boundary& boundary, std::int32_t triangle, Vec3d weights);
MeshFeature feature_of_edge(const Boundary& boundary, std::int32_t edge, double t);

// Whether x on the feature is the point of the mesh around it that is nearest to y.
bool is_local_minimum(const Boundary& boundary, const MeshFeature& feature, Vec3d x, Vec3d y);

// Whether n leads out of the mesh at x on the feature: none of what is around goes that way. A cosine of 0.3 is let
// pass: a corner that is lifted so far may come down again within the substep.
bool leads_out(const Boundary& boundary, const MeshFeature& feature, Vec3d n);
// Of two solids whose features touch, y on a, x on b: nearest points say nothing of where they part. A normal of one of
// the faces around, from b to a, or `other` with either sign, that leads out of both, the one of the widest gap; 0:
// none does.
Vec3d parting_normal(const Boundary& boundary, const MeshFeature& a, const MeshFeature& b, Vec3d difference,
                     Vec3d other = {0, 0, 0});

// Angle-weighted pseudo-normal, outwards; not of unit length. Baerentzen, Aanaes (2005).
Vec3d feature_normal(const Boundary& boundary, const MeshFeature& feature);

// Whether some triangle around the vertex has a corner in common with this one.
bool touches(const Boundary& boundary, std::int32_t vertex, std::int32_t triangle);

}  // namespace ymir
