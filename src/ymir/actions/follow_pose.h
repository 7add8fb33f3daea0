// Rigid bodies follow an animation of themselves: carried exactly, pulled by springs per volume, or free.
//
//   E = k w/(1 - w) (V/2 |X - X_a|^2 + integral of |(Q - Q_a) r|^2/2 over the body),   k [N/m^4], w(t) weight
//
// w = 1: the pose is given and the body has the velocity and spin that the animation had over the substep, which it
// keeps when it is let go. w = 0: nothing.
#pragma once

#include <functional>
#include <string>

#include "ymir/data/animated_surface.h"
#include "ymir/objects/rigid_object.h"

namespace ymir {

// What the constraint that it adds tells about itself.
class FollowsPose {
 public:
  virtual ~FollowsPose() = default;
  virtual double weight_at(double time) const = 0;
};

// Vertices of the target are those of the bodies' surface; a body takes the pose that is nearest to its vertices.
// weight: of a time [s], 0 to 1. Before ingest.
void follow_pose(RigidObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
                 std::function<double(double time)> weight);

}  // namespace ymir
