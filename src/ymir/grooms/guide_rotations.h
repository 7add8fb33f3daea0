// How the surroundings of every vertex of a moved guide turned from their place at rest.
//
// The rotation R_i at vertex i maximises
//
//   sum_k w_k t'_k . R t_k  +  mu tr(R_{i-1}^T R)
//
// over segments k up to `reach` away, with directions t at rest and t' moved: it follows the shape of the guide where
// that is bent or curled, and does not twist where it is straight. It is smooth on purpose. Frames carried along the
// guide without twist would turn a coil that is drawn out by 5 degrees of its pitch in itself by half a radian with
// every winding, and what is beside it around with it. At the root, R follows the roots and first segments around the
// guide (the skin).
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/math/quaternion.h"

namespace ymir {

// Guides whose roots tell how the skin around a guide turns: its nearest ones.
struct GuideSurroundings {
  std::size_t count = 0;            // per guide
  std::vector<std::int32_t> guide;  // count per guide
};
GuideSurroundings surroundings_of(const Curves& guides);

// (R - 1) x, exactly 0 when the rotation is none.
inline Vec3d turned_by(const Quaternion& q, Vec3d x) {
  const Vec3d t = cross(q.v, x) * 2.0;
  return t * q.w + cross(q.v, t);
}

// One per vertex. Exactly none for a guide that did not move among others that did not. Both curves have the same
// strands and vertices.
std::vector<Quaternion> guide_rotations(const GuideSurroundings& surroundings, const Curves& rest, const Curves& moved);

}  // namespace ymir
