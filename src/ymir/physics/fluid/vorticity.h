// Vorticity confinement: a force that keeps small eddies turning which a coarse grid would damp. [Fedkiw2001]
//
//   omega = curl u,  N = grad|omega| / |grad|omega||,  a = e h |omega| (N x omega)   [m/s^2]
//
// e has no unit here: the original form a = eps h (N x omega) has one of 1/s, and depends on how fast the flow is.
// [method notes C, 8]
#pragma once

#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir {

// Differences are across two voxels; u at the six neighbours of a cell centre [m/s], h voxel [m].
template <class T>
YMIR_HD inline Vec3<T> curl(const Vec3<T>& left, const Vec3<T>& right, const Vec3<T>& below, const Vec3<T>& above,
                            const Vec3<T>& behind, const Vec3<T>& before, T h) {
  const T s = T(0.5) / h;
  return {((above.z - below.z) - (before.y - behind.y)) * s, ((before.x - behind.x) - (right.z - left.z)) * s,
          ((right.y - left.y) - (above.x - below.x)) * s};
}

// `gradient` of |omega| [1/(m s)]; `floor` [1/(m s)] > 0 is a gradient below which there is no direction.
template <class T>
YMIR_HD inline Vec3<T> confinement(T strength, T h, const Vec3<T>& omega, const Vec3<T>& gradient, T floor) {
  const T size = std::sqrt(dot(gradient, gradient)) + floor;
  return cross(gradient / size, omega) * (strength * h * std::sqrt(dot(omega, omega)));
}

// The largest share s, at most 1, of pushes dv [m/s] that moves the energy of gas of velocity u by no more than
// `work` > 0, up or down: |sum u.dv| s + sum |dv|^2 s^2/2 = work. `along` is the first sum, `square` > 0 the second.
template <class T>
YMIR_HD inline T within_work(T along, T square, T work) {
  along = std::abs(along);
  if (along + T(0.5) * square <= work) return T(1);
  return 2 * work / (along + std::sqrt(along * along + 2 * square * work));
}

}  // namespace ymir
