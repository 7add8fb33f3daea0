#include "ymir/actions/surface_motion.h"

namespace ymir {

void SurfaceMotion::prepare(double begin, double end) {
  begin_ = begin;
  end_ = end;
  if (surface_->deforming()) surface_->pose(begin, begin_positions_);
  surface_->pose(end, positions_);
}

Embedding SurfaceMotion::point(const SurfacePoint& at, double time) const {
  if (time == end_ || !surface_->moving()) return surface_point(surface_->rest(), positions_, at);
  const RigidTransform now = surface_->rigid(time), first = surface_->rigid(begin_), last = surface_->rigid(end_);
  const double s = end_ > begin_ ? (time - begin_) / (end_ - begin_) : 1;
  const auto& corners = surface_->rest().triangles[static_cast<std::size_t>(at.triangle)];
  std::vector<Vec3d> x(3);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto v = static_cast<std::size_t>(corners[k]);
    const Vec3d b = last.to_body(positions_[v]);
    const Vec3d a = surface_->deforming() ? first.to_body(begin_positions_[v]) : b;
    x[k] = now.to_world(a + (b - a) * s);
  }
  Surface triangle;
  triangle.triangles.push_back({0, 1, 2});
  return surface_point(triangle, x, {0, at.barycentric});
}

}  // namespace ymir
