// A point of an Object as Constraints see it: position, orthonormal frame, and how they follow the Object's degrees of
// freedom, whatever these are. [Lesser2022, 6.1, embedded particles and frames]
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

struct Embedding {
  // An edge of a rod depends on two vertices (3 each) and the angle of its frame, a rigid body has 6, a triangle 9, a
  // hexahedron 24, a quadratic tetrahedron 30, a point of a plant 48.
  static constexpr int max_dofs = 48;

  Vec3d position{0, 0, 0};
  Vec3d frame[3];
  int dofs = 0;           // 0: prescribed, as on an animated surface
  Vec3d shift[max_dofs];  // d position / d dof
  Vec3d turn[max_dofs];   // rotation vector of the frame per dof: d frame = turn x frame
};

// A point without orientation: its frame is that of the world and does not turn.
inline Embedding free_point(Vec3d position) {
  Embedding p;
  p.position = position;
  p.dofs = 3;
  for (int k = 0; k < 3; ++k) {
    p.frame[k] = {0, 0, 0};
    p.frame[k][k] = 1;
    p.shift[k] = p.frame[k];
    p.turn[k] = {0, 0, 0};
  }
  return p;
}

}  // namespace ymir
