// A point of a quadrature rule on a reference element.
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

struct QuadraturePoint {
  Vec3d at;
  double weight;  // of reference volume; all together the volume of the reference element
};

}  // namespace ymir
