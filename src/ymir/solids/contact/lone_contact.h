// An exact contact with a collider, of a block that touches nothing else: its object solves for it while it advances
// the block (SolidObject::take_contacts).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ymir/math/vec3.h"

namespace ymir {

struct LoneContact {
  std::size_t contact = 0;   // of the scene
  int block = 0, place = 0;  // of the piece that touches
  std::int32_t vertex[2];    // of the piece, on which the point lies; the second -1: on the first alone
  double weight[2];
  Vec3d normal;          // out of the collider
  Vec3d start;           // the point, when the substep begins [m]
  Vec3d carried;         // way of the collider there in the substep [m]
  double room = 0;       // that the substep may close [m]
  double friction = 0;   // mu
  double adhesion = 0;   // [N]
  Vec3d force{0, 0, 0};  // impulse by time [N]: to start from; then what was found
};

}  // namespace ymir
