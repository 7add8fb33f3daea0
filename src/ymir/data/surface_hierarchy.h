// What of a triangle mesh stays the same while its vertices move: which triangles meet where, a tree over them, and
// whether it encloses something. The boxes of the tree follow the vertices (fit()).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

// How a mesh tells inside from outside.
enum class InsideTest : std::uint8_t {
  normals,  // closed: by the pseudo-normal of the nearest face, edge or vertex, which is exact
  winding   // has holes or inconsistent edges: where the generalized winding number exceeds 1/2
};

class SurfaceHierarchy {
 public:
  struct Node {
    std::int32_t first = 0;  // leaf: first entry of order(); inner: left child, the right one follows it
    std::int32_t count = 0;  // triangles of a leaf, 0 for inner nodes
  };
  // A node from far: sum of its area vectors [m^2] and where they act [m], as a dipole of the winding number.
  struct Dipole {
    Vec3d area, center;
    double radius = 0;  // of a sphere about the centre that holds all triangles [m]
  };

  // Indices must be valid. Oriented so that the first pose has a positive volume: a mesh turned inside out is an export
  // setting, not a hollow world.
  explicit SurfaceHierarchy(const Surface& first_pose);

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::int32_t> order() const { return order_; }
  std::span<const std::array<std::int32_t, 3>> triangles() const { return triangles_; }
  // The triangle beyond the edge opposite to a corner; -1: none, or more than one.
  std::int32_t beyond(std::int32_t triangle, int corner) const {
    return beyond_[static_cast<std::size_t>(triangle)][static_cast<std::size_t>(corner)];
  }
  // Triangles around a vertex.
  std::span<const std::int32_t> around(std::int32_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {around_.data() + first_around_[v], static_cast<std::size_t>(first_around_[v + 1] - first_around_[v])};
  }
  InsideTest inside_test() const { return inside_test_; }
  std::int64_t boundary_edges() const { return boundary_edges_; }  // not shared by two triangles of one orientation

  void fit(const std::vector<Vec3d>& positions, std::vector<Box>& boxes) const;
  void fit(const std::vector<Vec3d>& positions, const std::vector<Box>& boxes, std::vector<Dipole>& dipoles) const;

 private:
  void build(const std::vector<Vec3d>& positions);
  void connect(std::size_t vertices);

  std::vector<std::array<std::int32_t, 3>> triangles_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> order_;
  std::vector<std::array<std::int32_t, 3>> beyond_;
  std::vector<std::int32_t> first_around_, around_;
  InsideTest inside_test_ = InsideTest::normals;
  std::int64_t boundary_edges_ = 0;
};

}  // namespace ymir
