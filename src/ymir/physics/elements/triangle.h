// 3-node triangle in space: linear shape functions on (r, s) >= 0, r + s <= 1; the third coordinate is not used.
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

struct Triangle {
  static constexpr int nodes = 3;

  template <class T>
  YMIR_HD static void shape(const Vec3<T>& r, T* n) {
    n[0] = 1.0 - r.x - r.y, n[1] = r.x, n[2] = r.y;
  }
};

}  // namespace ymir
