// A mesh that hair grows on: where roots may be, and how far a point is from the skin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/grooms/mesh_border.h"

namespace ymir {

struct ScalpOptions {
  std::string channel = "scalp";    // vertex channel (f32) with the density of hair, 0 to 1
  std::optional<double> max_angle;  // hair only where the normal is this near to straight up [rad]
};

struct Root {
  Vec3d position;  // [m], on the mesh
  Vec3d normal;    // unit, outwards
};

struct SkinContact {
  bool near = false;    // false: the skin is farther than the bound
  double distance = 0;  // [m], negative inside
  Vec3d normal;         // unit, outwards, interpolated between vertices
};

class Scalp {
 public:
  // Hair grows by the channel where the mesh has it; else within max_angle, or where the normal is above the horizontal
  // when neither is there. Both restrict together. Throws Error(bad_input), naming the mesh, when no hair can grow.
  Scalp(Surface surface, const ScalpOptions& options, const std::string& name);

  // Roots 0 .. count - 1, evenly spread (blue noise) over the region by its density. Root i is the same for any count.
  std::vector<Root> roots(std::size_t count, std::uint64_t seed) const;

  // What is behind the border of an open mesh counts as outside.
  SkinContact contact(Vec3d x, double bound) const;

  const Surface& surface() const { return surface_; }
  const Box& region() const { return region_; }  // of the part where hair grows
  double area() const { return area_; }          // of that part, weighted with the density [m^2]

 private:
  void find_normals();
  void find_region(const ScalpOptions& options, const std::string& name);
  Root root_at(std::size_t triangle, Vec3d weights) const;

  Surface surface_;
  TriangleBvh bvh_;
  MeshBorder border_;
  std::vector<Vec3d> normals_;      // per vertex
  std::vector<double> density_;     // per vertex
  std::vector<double> cumulative_;  // area times the largest density of its vertices, up to each triangle
  Box region_;
  double area_ = 0;
};

}  // namespace ymir
