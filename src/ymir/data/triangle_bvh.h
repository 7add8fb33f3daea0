// Exact distance to a triangle mesh: bounding-volume hierarchy for the closest point, and its sign from angle-weighted
// pseudo-normals (Baerentzen, Aanaes, "Signed distance computation using the angle weighted pseudonormal", 2005): the
// sign of (x - closest) . n is right when n is the normal of the face, edge or vertex that holds the closest point.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

struct ClosestPoint {
  std::int32_t triangle = -1;                                 // -1: none within the bound
  Vec3d barycentric;                                          // weights of the triangle's vertices
  Vec3d point;                                                // [m]
  double distance = std::numeric_limits<double>::infinity();  // unsigned [m]
};

class TriangleBvh {
 public:
  // Copies what it needs of the mesh. Indices and positions must be valid; an empty mesh has no closest point.
  explicit TriangleBvh(const Surface& surface);

  // Nearest point of the mesh not farther than `bound` [m]; of equally near triangles the one with the lowest number.
  ClosestPoint closest(Vec3d x, double bound = std::numeric_limits<double>::infinity()) const;
  // Negative inside a closed mesh, whichever way its triangles are oriented.
  double signed_distance(Vec3d x) const { return signed_distance(x, closest(x)); }
  double signed_distance(Vec3d x, const ClosestPoint& closest) const;
  // What closest() finds something within when `on` is a point of the surface: its distance, and room for rounding far
  // from the origin.
  static double bound_from(Vec3d x, Vec3d on) {
    const double size = std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    return norm(x - on) * (1 + 1e-9) + 1e-14 * size + 1e-300;
  }
  // Outward pseudo-normal at a closest point (unit unless degenerate).
  Vec3d pseudo_normal(const ClosestPoint& closest) const;

 private:
  struct Node {
    Box box;
    std::int32_t first = 0;  // leaf: first entry of order_; inner: left child, the right one follows it
    std::int32_t count = 0;  // triangles of a leaf, 0 for inner nodes
  };

  void build();
  void compute_normals();
  void test_triangle(std::int32_t triangle, Vec3d x, double& best2, ClosestPoint& best) const;

  std::vector<Vec3d> positions_;
  std::vector<std::array<std::int32_t, 3>> triangles_;
  std::vector<std::int32_t> order_;
  std::vector<Node> nodes_;
  std::vector<Vec3d> face_normals_;
  std::vector<std::array<Vec3d, 3>> edge_normals_;  // edge a lies opposite to vertex a
  std::vector<Vec3d> vertex_normals_;
};

}  // namespace ymir
