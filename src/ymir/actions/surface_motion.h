// An animated surface during one substep: points of it at any time within, from any thread.
#pragma once

#include <memory>
#include <vector>

#include "ymir/actions/attachment_emission.h"

namespace ymir {

class SurfaceMotion {
 public:
  explicit SurfaceMotion(std::shared_ptr<const AnimatedSurface> surface) : surface_(std::move(surface)) {}

  const Surface& rest() const { return surface_->rest(); }
  // The substep that follows [s]; on one thread.
  void prepare(double begin, double end);
  // Vertices at its end.
  const std::vector<Vec3d>& positions() const { return positions_; }
  // At the end as prepared. In between, the motions are asked for that very time, and vertices of a deforming surface
  // go on straight lines in the frame of those motions, as they do from pose to pose.
  Embedding point(const SurfacePoint& at, double time) const;

 private:
  std::shared_ptr<const AnimatedSurface> surface_;
  std::vector<Vec3d> positions_, begin_positions_;  // the latter where the surface deforms
  double begin_ = 0, end_ = 0;                      // [s]
};

}  // namespace ymir
