// A constraint of a mesh that can take on a constant stress: what lets a shape begin in balance with its weight.
#pragma once

#include "ymir/objects/mesh_step.h"

namespace ymir {

class BearsLoad {
 public:
  virtual ~BearsLoad() = default;
  // What it would answer to the small displacement step.step from step.position is kept, as stress of the material,
  // beside all that it does otherwise. Adds up.
  virtual void bear(const MeshStep& step) = 0;
};

}  // namespace ymir
