// A surface that deforms, as colliders ask it: where it is during a time step (MovingSurface). What is asked for the
// same step again is kept. A function of time alone; safe from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "ymir/data/animated_surface.h"
#include "ymir/data/moving_surface.h"

namespace ymir {

class DeformingSurface {
 public:
  // Throws Error, beginning with `name`, when the mesh has no triangles, is not finite, or has holes so large or faces
  // so inconsistent that it has no inside.
  DeformingSurface(AnimatedSurface surface, std::string name);

  const AnimatedSurface& surface() const { return surface_; }
  const SurfaceHierarchy& hierarchy() const { return *hierarchy_; }

  // The surface from `begin` to `end` >= begin [s]. Throws Error when a pose cannot be read.
  std::shared_ptr<const MovingSurface> during(double begin, double end) const;

 private:
  void require_inside() const;
  std::vector<Vec3d> pose(double time) const;

  AnimatedSurface surface_;
  std::string name_;
  std::shared_ptr<const SurfaceHierarchy> hierarchy_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<MovingSurface> last_;
  mutable double last_end_ = 0;
};

}  // namespace ymir
