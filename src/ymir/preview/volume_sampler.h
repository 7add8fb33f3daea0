// One volume of a scene, made ready for rays: its blocks, where something is in them, with the light that reaches them.
// Memory is proportional to the blocks, wherever they are.
#pragma once

#include <array>
#include <vector>

#include "ymir/preview/block_index.h"
#include "ymir/preview/scene.h"

namespace ymir {

// Blocks with one extra layer of voxels, so that interpolation never looks beyond one block.
class VolumeSampler {
 public:
  VolumeSampler(const PreviewVolume&, std::size_t& skipped);

  struct Value {
    float density = 0;  // scaled by extinction [1/m]
    float temperature = 0;
    float value = 0;  // 0 to 1, of coloured volumes
    std::int64_t block = -1;
    Vec3f place;  // in the block, each in [0, 1]
  };
  // Value at a point, and how far along a unit direction the medium is known to be empty [m].
  Value at(Vec3f position, Vec3f direction, float& empty) const;
  // Clips [t0, t1] of a ray to the bounds; false when nothing is left.
  bool clip(Vec3f origin, Vec3f direction, float& t0, float& t1) const;

  bool empty() const { return index_.empty(); }
  float step() const { return 0.7f * voxel_; }  // [m]
  Vec3f albedo(const Value&) const;

  struct Light {
    float sun_depth = 0;  // optical depth towards the sun
    float sun_seen = 1;   // fraction of the sun not hidden by solid things
    float sky_depth = 0;  // optical depth straight up
  };
  // Light is kept at the nodes of a lattice of its own in every block, once they are made.
  void make_nodes();
  std::size_t node_count() const { return nodes_.size(); }
  Vec3f node(std::size_t i) const;
  void set_light(std::size_t node, const Light& light) { nodes_[node].light = light; }
  Light light_at(const Value&) const;

 private:
  struct Node {
    Vec3i place;  // [1 / cells_ of a block]
    Light light;
  };
  Vec3f to_voxels(Vec3f direction) const;
  // The blocks of the volume that can be used are those of `source`, in its order of number[].
  void add_block(Vec3i block, const PreviewVolume&, const BlockIndex& source, const std::vector<std::size_t>& number);

  Vec3f origin_, albedo_;
  std::array<Vec3f, 3> axes_;
  std::array<Vec3f, 3> inverse_;  // rows: world to voxels
  Vec3i resolution_;
  Vec3i low_, high_;  // in blocks, high exclusive
  float voxel_ = 0;
  bool hot_ = false, colored_ = false;
  BlockIndex index_;
  std::vector<Vec3i> blocks_;
  std::vector<float> density_, temperature_, value_;
  int cells_ = 1;                           // of the lattice of light, along a block
  std::vector<Node> nodes_;                 // those of neighbouring blocks are shared
  std::vector<std::uint32_t> block_nodes_;  // (cells_ + 1)^3 of every block
};

}  // namespace ymir
