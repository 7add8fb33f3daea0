// A solid during a substep, as a point near it asks: where it is, how it moves, and what a point met on its way.
#pragma once

#include <functional>
#include <memory>

#include "ymir/actions/collider_contact.h"
#include "ymir/data/deforming_surface.h"

namespace ymir {

struct TouchedSolid {
  double distance;         // signed [m]
  Vec3d normal;            // out of the solid
  Vec3d carried{0, 0, 0};  // how far its surface there has come since the substep began [m]
};
// At the end of the substep.
using SolidAtEnd = std::function<TouchedSolid(Vec3d x)>;
using SolidDuring = std::function<SolidAtEnd(double begin, double end)>;

SolidDuring solid_during(Collider collider);
SolidDuring solid_during(std::shared_ptr<const DeformingSurface> surface);

// Of a point that was at `begin` and is at `now`. One that went through the solid, or so far into it that another side
// is nearer, touches the plane through which it came in: it is behind it, by however much.
TouchedSolid touched_on_the_way(const SolidAtEnd& solid, Vec3d begin, Vec3d now);

}  // namespace ymir
