// Fibres in the cells of a mesh that pull: muscles. Kernel: physics/hyperelastic/fibre.h.
#pragma once

#include <functional>
#include <string>

#include "ymir/objects/mesh_object.h"

namespace ymir {

struct MuscleFibres {
  double activation = 0;                     // tension at full share, where the mesh has no such channel [Pa]
  double stiffness = 0;                      // against being stretched [Pa]
  Vec3d direction{1, 0, 0};                  // where the mesh has no channel `fibre`; cells with none have no fibres
  std::function<double(double time)> share;  // of the activation, at a time [s]
  double most_share = 1;                     // at any time
};

// What the constraint that they add tells about itself.
class PullsFibres {
 public:
  virtual ~PullsFibres() = default;
  virtual double most_tension(std::size_t cell) const = 0;  // at any time [Pa]
};

// Before ingest.
void add_muscle_fibres(MeshObject& object, const std::string& owner, const MuscleFibres& fibres);

}  // namespace ymir
