// Signed distance of a closed mesh, sampled at the nodes of a dense grid and interpolated: what a mesh collider asks.
//
// Nodes hold the exact distance (TriangleBvh), in single precision. Between them the value is trilinear, an error of
// second order in the voxel where the distance is smooth; solids thinner than about two voxels are not resolved.
// Beyond the grid the value is a lower bound of the true distance, continuous at the border: with c the point of the
// grid's box nearest to x, distance(x) >= sqrt(|x - c|^2 + distance(c)^2), since the box is convex and holds the mesh.
#pragma once

#include <string>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/physics/contact/shapes.h"

namespace ymir {

// Error(bad_input) for a flat mesh that covers both of its sides: it is closed, and no point lies inside.
void require_volume(const Surface& surface, const std::string& name);

class SignedDistanceGrid {
 public:
  static constexpr std::size_t most_bytes = std::size_t{512} << 20;

  // `voxel` [m] > 0; the grid exceeds the mesh by at least `margin` [m] >= 0. `name` is what errors call the mesh.
  // Throws Error when the mesh is not closed or not finite, is thinner than the voxels everywhere, or the grid would
  // exceed most_bytes.
  SignedDistanceGrid(const Surface& surface, double voxel, double margin, const std::string& name);

  // Distance and unit normal (the direction of the gradient of the interpolated distance).
  DistanceSample sample(Vec3d x) const;
  double voxel() const { return voxel_; }
  Box box() const { return {low_, high_}; }
  std::size_t bytes() const { return values_.size() * sizeof(float); }
  double node(int i, int j, int k) const { return values_[index(i, j, k)]; }
  Vec3i nodes() const { return nodes_; }

 private:
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(nodes_.y) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(nodes_.x) +
           static_cast<std::size_t>(i);
  }
  // Value and gradient inside the box.
  double interpolate(Vec3d x, Vec3d& gradient) const;

  double voxel_;
  Vec3d low_, high_;
  Vec3i nodes_;
  std::vector<float> values_;
};

}  // namespace ymir
