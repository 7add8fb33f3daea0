#include "ymir/actions/touched_solid.h"

#include <cmath>

namespace ymir {

SolidDuring solid_during(Collider collider) {
  return [collider = std::move(collider)](double begin, double end) -> SolidAtEnd {
    if (!collider.pose)
      return [&collider](Vec3d x) {
        const DistanceSample s = collider.distance(x);
        return TouchedSolid{s.distance, s.normal};
      };
    return [&collider, before = collider.pose(begin), now = collider.pose(end)](Vec3d x) {
      const Vec3d body = now.to_body(x);
      const DistanceSample s = collider.distance(body);
      return TouchedSolid{s.distance, now.direction_to_world(s.normal), x - before.to_world(body)};
    };
  };
}

SolidDuring solid_during(std::shared_ptr<const DeformingSurface> surface) {
  return [surface = std::move(surface)](double begin, double end) -> SolidAtEnd {
    return [moving = surface->during(begin, end), begin, end](Vec3d x) {
      const SurfaceSample s = moving->sample(x, end);
      return TouchedSolid{s.distance, s.normal, moving->displacement(s, begin, end)};
    };
  };
}

TouchedSolid touched_on_the_way(const SolidAtEnd& solid, Vec3d begin, Vec3d now) {
  const TouchedSolid last = solid(now);
  // Seen from the solid, which has moved too. A ball around the end as large as the distance is free.
  Vec3d from = begin + last.carried;
  if (norm(now - from) <= last.distance) return last;
  TouchedSolid met = solid(from);
  from = begin + met.carried;
  met = solid(from);
  const double way = norm(now - from);
  if (way <= met.distance) return last;
  // Onwards by the distance, which is free in all directions. That takes long where the way is nearly along a surface:
  // now and then straight to where it would be if it were flat.
  constexpr int most_steps = 64, straight_every = 4;
  constexpr double near = 1e-4;  // of the way
  const Vec3d ahead = (now - from) / way;
  double gone = 0;
  for (int step = 0; met.distance > near * way; ++step) {
    if (step % straight_every == straight_every - 1)
      if (const double closing = -dot(met.normal, ahead); closing * (way - gone) > met.distance) {
        const double there = gone + met.distance / closing;
        const TouchedSolid flat = solid(from + ahead * there);
        if (std::fabs(flat.distance) <= near * way && dot(flat.normal, met.normal) > 0.9) {
          gone = there;
          met = flat;
          break;
        }
      }
    gone += met.distance;
    if (gone >= way || step == most_steps) return last;  // free, or along the surface
    met = solid(from + ahead * gone);
  }
  // Still in front of this side, or nearest to it: what is there is what it touches.
  if (last.distance <= 0 && dot(last.normal, met.normal) > 0) return last;
  const Vec3d entry = from + ahead * gone;
  const double behind = met.distance + dot(met.normal, now - entry);
  if (behind >= 0) return last;  // it came out on the side where it was
  return {behind, met.normal, met.carried};
}

}  // namespace ymir
