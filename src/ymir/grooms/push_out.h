// Keeps hairs out of solids without changing their lengths.
//
// From the root on, a segment that ends inside a solid is turned about its beginning until it ends on the surface, and
// what follows is shifted along with it. The result is a continuous function of hair and surface, so nothing jumps from
// frame to frame. Roots stay with the skin they grow in, at most `root_depth` below it, and a hair that begins below
// the skin may come out over a length of its depth.
#pragma once

#include <span>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/grooms/mesh_border.h"

namespace ymir {

inline constexpr double root_depth = 0.5e-3;  // [m]

// A surface as it lies in one frame; hairs are outside of it. What is behind the border of an open one is outside too.
class Solid {
 public:
  explicit Solid(const Surface& surface) : surface_(&surface), bvh_(surface), border_(surface) {}

  struct Contact {
    double distance;  // [m], negative inside; no less than it where the surface is farther than asked
    Vec3d normal;     // unit, outwards
    ClosestPoint foot;
  };
  // `bound` [m]: no farther than this is the surface known to be.
  Contact contact(Vec3d x, double bound) const;
  const TriangleBvh& bvh() const { return bvh_; }

 private:
  const Surface* surface_;  // must outlive this
  TriangleBvh bvh_;
  MeshBorder border_;
};

// In place; the same for any number of threads.
void push_out(Curves& hairs, std::span<const Solid> solids);

// Whether most of the vertices lie inside, as in a room or a box that holds the scene: such a surface keeps nothing
// out.
bool encloses(const Solid& solid, const Curves& hairs);

}  // namespace ymir
