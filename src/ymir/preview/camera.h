// The camera and its automatic framing: one view for all frames of a film.
#pragma once

#include <optional>
#include <vector>

#include "ymir/math/box.h"

namespace ymir {

struct PreviewScene;

// Pinhole camera. Default field of view: a 35 mm lens on a 16:9 frame 36 mm wide.
struct Camera {
  Vec3d eye{0, 1, 4};
  Vec3d target{0, 0.5, 0};
  Vec3d up{0, 1, 0};
  double fov = 0.5627;  // vertical [rad]
};

struct CameraChoice {
  std::optional<Vec3d> eye;
  std::optional<Vec3d> target;
  std::optional<double> fov;  // vertical [rad]
  double turn = 0;            // by how much the camera is going to go around [rad]; it keeps off far enough for that
};

// The camera gone around the vertical line through its target by an angle [rad], to its right.
Camera turned(const Camera&, double angle);

// Collects what is to be seen. Outliers do not count: per axis, a scene reaches to the 99.5th percentile of its
// vertices unless its farthest ones are near that (within half the extent). Of triangles, half the weight is area and
// half is shared evenly by the bodies, so that none of up to a hundred bodies is left out. Deterministic.
class Framing {
 public:
  void add(const PreviewScene&);
  Box bounds() const;            // a unit box around the origin when nothing was added
  double ground_height() const;  // just below everything
  // Three-quarter view from above, as near as keeps everything and its contact with the ground in the picture.
  Camera camera(double aspect, const CameraChoice& = {}) const;

 private:
  // Without weights every point counts the same.
  void add(const std::vector<Vec3f>& points, const std::vector<float>& radii, const std::vector<double>& weights = {});
  std::vector<Vec3d> seen() const;

  Box bounds_;
  std::vector<Vec3d> hull_;  // extreme points of each scene in many directions
};

}  // namespace ymir
