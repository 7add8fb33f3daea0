// An Object whose points Forces act on, whatever its representation.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  virtual PointField<double> scalar_field(std::string_view name) = 0;
  // Of points that are parts of wires and sheets: `coefficient` times the area that they turn to the wind, over that of
  // their ball; empty: they are none.
  virtual PointField<double> drag_coefficients(double /*coefficient*/) { return {}; }
  // A vector per point that stays with it from substep to substep, 0 at first; added before the first one. -1: points
  // of this Object keep none.
  virtual int add_memory(const std::string& /*name*/) { return -1; }
  // Values in the order of visit_points.
  virtual void recall(int /*memory*/, std::vector<Vec3d>& /*values*/) const {}
  virtual void remember(int /*memory*/, std::span<const Vec3d> /*values*/) {}
};

}  // namespace ymir
