// Combing: the path a hair takes over the head, before curls and clumps.
//
// A path is walked step by step from its root. Its direction turns, over the bend length of the style, to where the
// hair is combed: along the skin while near it, downwards once it hangs free; the skin, at a clearance that grows along
// the path (hair from higher up lies on top), pushes it out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/grooms/scalp.h"
#include "ymir/grooms/style.h"

namespace ymir {

// What ties a ponytail: hair passes the disc of this radius about `center`, along `axis`.
struct Ring {
  Vec3d center;
  Vec3d axis;         // unit, away from the head
  double radius = 0;  // [m]
};

class Comb {
 public:
  Comb(const Scalp& scalp, const GroomParams& params);

  // Of hair number `hair` in lock number `lock`, about `length` [m] long, or longer where the hair must reach the ring.
  std::vector<Vec3d> path(const Root& root, std::uint64_t hair, std::uint64_t lock, double length) const;
  // Where hair is combed at its root: unit, along the skin.
  Vec3d direction(const Root& root) const;
  // Moves every point but the first at least `clearance` [m] away from the skin (less near the root).
  void keep_outside(std::span<Vec3d> points, double clearance) const;

  double size() const { return size_; }  // half width of the scalp [m]
  double step() const { return step_; }  // between points of a path [m]
  // Height on which hair that is there is cut [m].
  double cut_height(Vec3d x) const;
  const Ring& ring() const { return ring_; }

 private:
  struct Walk;
  Vec3d combed(Vec3d x, Vec3d normal, double side) const;
  Vec3d off_the_face(Vec3d x, double side) const;
  double side_of(Vec3d root) const;
  void look(Walk& walk) const;
  void step(Walk& walk, Vec3d wanted) const;
  void walk_free(Walk& walk, double length) const;
  void walk_to_ring(Walk& walk) const;
  void walk_tail(Walk& walk, double length) const;
  Vec3d noise(Vec3d x, std::uint64_t hair) const;

  const Scalp& scalp_;
  const GroomParams& params_;
  const StyleTraits& traits_;
  Vec3d center_, half_;  // of the scalp's region [m]
  double size_, step_;   // [m]
  double hanging_;       // reach of a hair with its curls [m]
  Ring ring_;
};

}  // namespace ymir
