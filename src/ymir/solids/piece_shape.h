// A piece of a solid object at some moment, as attachments look at it: points that may be held, and what they may be
// held to.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/math/quaternion.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

struct PieceShape {
  SolidObject* object = nullptr;
  std::int64_t piece = 0;
  std::vector<Vec3d> positions;  // vertices of a strand, the particle, points of a body that may be held [m]
  std::vector<Vec3d> m1;         // of each edge of a strand, where it is known
  bool is_particle = false;
  std::vector<MaterialPoint> points;  // of a body, one per position; empty: a strand or particle
  Surface skin;                       // of a body: others are held to it

  // Of a rigid body: its centre [m] and its own axes.
  Vec3d origin{0, 0, 0};
  Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

  void set_pose(Vec3d position, const Quaternion& rotation) {
    origin = position;
    axes[0] = rotate(rotation, Vec3d{1, 0, 0});
    axes[1] = rotate(rotation, Vec3d{0, 1, 0});
    axes[2] = rotate(rotation, Vec3d{0, 0, 1});
  }
  bool is_body() const { return !points.empty(); }
};

}  // namespace ymir
