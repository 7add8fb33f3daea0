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
  virtual PointField<Vec3d> vector_field(std::string_view name) const = 0;
};

}  // namespace ymir
