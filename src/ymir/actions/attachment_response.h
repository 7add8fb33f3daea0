// How an attachment pulls: S = diag(k_N, k_T, k_T, beta_1 x3, beta_2 x3, beta_3 x3). [Lesser2022, 6.3]
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

struct AttachmentResponse {
  double flexibility = 0;                // xi: 0 follows the target's frame, 1 keeps the distance only
  double normal_stiffness = 10;          // k_N [N/m]
  double tangent_stiffness = 10;         // k_T [N/m]
  Vec3d orientation_stiffness{0, 0, 0};  // beta_1..3 [J]
  double relaxation_time = 0;            // of Rayleigh damping [s]
  bool hard = false;                     // positions by multipliers instead of stiffness
};

}  // namespace ymir
