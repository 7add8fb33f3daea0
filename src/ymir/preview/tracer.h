// What the two backends answer: what a pixel's sample sees, and whether light reaches a point.
#pragma once

#include <memory>

#include "ymir/preview/geometry.h"

namespace ymir {

class Tracer {
 public:
  virtual ~Tracer() = default;

  struct Tile {
    int x0, y0, x1, y1;
  };
  // First hits of the samples [first, end) of the pixels of one tile.
  class Sight {
   public:
    virtual ~Sight() = default;
    virtual Hit first_hit(int x, int y, int sample, const Ray&) const = 0;
  };
  virtual std::unique_ptr<Sight> look(const Tile&, int first_sample, int end_sample) const = 0;

  // Whether something stands in the way; elements count with their true size, glowing points not at all.
  virtual bool occluded(const Ray&) const = 0;
};

// Both refer to the geometry, which must outlive them.
std::unique_ptr<Tracer> make_rasterizer(const Geometry&, const View&, Vec3f to_sun);
// Null when Ymir was built without Embree.
std::unique_ptr<Tracer> make_embree_tracer(const Geometry&, int threads);

}  // namespace ymir
