// A surface that may change over time: rigid motions, a sequence of poses of the same mesh, or both (the motions move
// what the sequence has shaped). Everything is a function of time alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/math/rigid_motion.h"

namespace ymir {

// Poses by frame number, one file each where it comes from files. Pose f is reached at time (f - frame_at_zero) / fps;
// vertices move in straight lines from one to the next. Before `first` and after `last` the pose is held.
struct SurfaceSequence {
  std::int64_t first = 1, last = 1;
  double fps = 24;                 // [1/s]
  std::int64_t frame_at_zero = 0;  // the frame that ends at time 0
  std::function<Surface(std::int64_t frame)> load;
  std::function<std::string(std::int64_t frame)> name;  // what errors call it
};

class AnimatedSurface {
 public:
  AnimatedSurface() = default;
  explicit AnimatedSurface(Surface rest) : rest_(std::move(rest)) {}
  // Loads the first pose; its triangles and channels are those of all.
  explicit AnimatedSurface(SurfaceSequence sequence);
  // Applied after what moves it already.
  void add_motion(RigidMotion motion);

  const Surface& rest() const { return rest_; }  // before any motion; the first pose of a sequence
  bool moving() const { return deforming() || rigidly_moving_; }
  bool deforming() const { return sequence_ && sequence_->last > sequence_->first; }
  bool rigid_only() const { return !deforming(); }

  // Where the motions put the body at `time`; of a deforming surface, its frame. Safe from any thread.
  RigidTransform rigid(double time) const { return pose_at(motions_, time); }
  const std::vector<RigidMotion>& motions() const { return motions_; }  // in the order they are applied
  // World positions of all vertices. Loads poses of a sequence as needed and keeps two of them: from one thread at a
  // time. Throws Error when a pose cannot be read or has other triangles than the first.
  void pose(double time, std::vector<Vec3d>& positions) const;
  // Loads every pose once, for the errors of pose().
  void require_all() const;

 private:
  struct LoadedPose {
    std::int64_t frame;
    std::vector<Vec3d> positions;
  };
  const std::vector<Vec3d>& loaded(std::int64_t frame, std::int64_t keep) const;
  void shape(double time, std::vector<Vec3d>& positions) const;

  Surface rest_;
  std::optional<SurfaceSequence> sequence_;
  std::vector<RigidMotion> motions_;
  bool rigidly_moving_ = false;
  mutable std::vector<LoadedPose> loaded_;  // at most two
};

}  // namespace ymir
