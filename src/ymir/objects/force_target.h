// An Object whose points Forces act on, whatever its representation.
#pragma once

#include <functional>
#include <string_view>

#include "ymir/objects/point_block.h"

namespace ymir {

// Values per point given with the data, overriding a parameter of a behavior; empty when there are none.
template <class T>
using PointField = std::function<typename Planes<const T>::Type(const PointBlock&)>;

class ForceTarget {
 public:
  virtual ~ForceTarget() = default;
  virtual void add_force(PointForce force) = 0;
  // Forces change from one Newton iteration to the next: all of them are solved, each from the beginning of the
  // substep.
  virtual void solve_every_iteration() = 0;
  // The points of this rank as they are now, block by block; those without mass are none.
  virtual void visit_points(const std::function<void(const PointBlock&)>& visit) const = 0;
  virtual PointField<Vec3d> vector_field(std::string_view name) const = 0;
};

}  // namespace ymir
