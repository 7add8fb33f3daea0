#include "ymir/data/animated_surface.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {

AnimatedSurface::AnimatedSurface(SurfaceSequence sequence) : sequence_(std::move(sequence)) {
  YMIR_CHECK(sequence_->first <= sequence_->last && sequence_->fps > 0);
  rest_ = sequence_->load(sequence_->first);
}

void AnimatedSurface::add_motion(RigidMotion motion) {
  if (motion.keys().empty()) return;
  rigidly_moving_ = rigidly_moving_ || motion.moving();
  motions_.push_back(std::move(motion));
}

const std::vector<Vec3d>& AnimatedSurface::loaded(std::int64_t frame, std::int64_t keep) const {
  if (frame == sequence_->first) return rest_.positions;
  for (const LoadedPose& pose : loaded_)
    if (pose.frame == frame) return pose.positions;
  Surface read = sequence_->load(frame);
  if (read.positions.size() != rest_.positions.size() || read.triangles != rest_.triangles)
    throw Error(ExitCode::bad_input,
                sequence_->name(frame) + ": its triangles differ from those of " + sequence_->name(sequence_->first) +
                    "; every file of a sequence must hold the same mesh, with its vertices in the same order");
  // References into the pose that is kept stay good: the other one is replaced.
  loaded_.reserve(2);
  const auto old = std::find_if(loaded_.begin(), loaded_.end(), [&](const LoadedPose& p) { return p.frame != keep; });
  LoadedPose& place = loaded_.size() < 2 || old == loaded_.end() ? loaded_.emplace_back() : *old;
  place = {frame, std::move(read.positions)};
  return place.positions;
}

void AnimatedSurface::require_all() const {
  for (std::int64_t frame = sequence_ ? sequence_->first : 1; sequence_ && frame <= sequence_->last; ++frame)
    loaded(frame, frame);
}

void AnimatedSurface::shape(double time, std::vector<Vec3d>& positions) const {
  if (!deforming()) {
    positions = rest_.positions;
    return;
  }
  const double exact = time * sequence_->fps + static_cast<double>(sequence_->frame_at_zero);
  // Times of frames are rounded; at a frame the pose is that of its file.
  const double nearest = std::round(exact);
  const double at = std::clamp(std::abs(exact - nearest) < 1e-9 ? nearest : exact,
                               static_cast<double>(sequence_->first), static_cast<double>(sequence_->last));
  const auto before = static_cast<std::int64_t>(std::floor(at));
  const double s = at - static_cast<double>(before);
  const std::vector<Vec3d>& a = loaded(before, before + 1);
  if (s == 0) {
    positions = a;
    return;
  }
  const std::vector<Vec3d>& b = loaded(before + 1, before);
  positions.resize(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) positions[i] = a[i] * (1 - s) + b[i] * s;
}

void AnimatedSurface::pose(double time, std::vector<Vec3d>& positions) const {
  shape(time, positions);
  if (motions_.empty()) return;
  const RigidTransform where = rigid(time);
  for (Vec3d& p : positions) p = where.to_world(p);
}

}  // namespace ymir
