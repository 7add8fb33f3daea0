// Rays of a camera through a picture of given size. All samples of all pixels share one pattern per pixel, so that
// ray tracing and rasterising look through the same points.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "ymir/preview/camera.h"

namespace ymir {

struct Ray {
  Vec3f origin;
  Vec3f direction;  // unit
  float t_min = 0;
  float t_max = std::numeric_limits<float>::infinity();
  std::uint32_t seed = 0;  // decides which partly transparent primitives the ray meets
  bool dithered = false;   // points, too, are met or missed by chance instead of being blended
};

struct Point2 {
  float x = 0;
  float y = 0;
};

// Point of Sobol's two-dimensional (0,2)-sequence: any aligned power-of-two stretch of it is well spread.
constexpr Point2 sobol(std::uint32_t index) {
  std::uint32_t x = 0, y = 0;
  for (std::uint32_t i = index, vx = 1u << 31, vy = 1u << 31; i != 0; i >>= 1, vx >>= 1, vy ^= vy >> 1)
    if ((i & 1) != 0) {
      x ^= vx;
      y ^= vy;
    }
  return {static_cast<float>(x >> 8) * 0x1p-24f, static_cast<float>(y >> 8) * 0x1p-24f};
}

class View {
 public:
  View(const Camera& camera, int w, int h) : width(w), height(h), eye(camera.eye) {
    forward = normalized(Vec3f(camera.target - camera.eye), Vec3f{0, 0, -1});
    right = cross(forward, Vec3f(camera.up));
    if (norm(right) < 1e-4f) right = cross(forward, std::abs(forward.z) < 0.9f ? Vec3f{0, 0, 1} : Vec3f{1, 0, 0});
    right = normalized(right);
    up = cross(right, forward);
    pixel = static_cast<float>(2 * std::tan(0.5 * camera.fov) / h);
  }

  static Point2 sample_offset(int sample) {
    const Point2 p = sobol(static_cast<std::uint32_t>(sample));
    return {p.x + 0x1p-6f, p.y + 0x1p-6f};  // the sequence starts on the corner; keep clear of it
  }
  Ray ray(float x, float y) const {
    const float u = (x - 0.5f * static_cast<float>(width)) * pixel;
    const float v = (0.5f * static_cast<float>(height) - y) * pixel;
    return {eye, normalized(forward + right * u + up * v)};
  }
  Ray ray(int x, int y, int sample) const {
    const Point2 offset = sample_offset(sample);
    return ray(static_cast<float>(x) + offset.x, static_cast<float>(y) + offset.y);
  }
  // Width of one pixel at the depth of p [m].
  float pixel_at(Vec3f p) const { return pixel * std::max(dot(p - eye, forward), 0.0f); }

  int width;
  int height;
  Vec3f eye, forward, right, up;
  float pixel;  // width of a pixel at unit depth
};

}  // namespace ymir
