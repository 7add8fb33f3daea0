// Small scenes whose pictures are known exactly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "ymir/preview/render.h"

namespace ymir::preview_test {

// No light but what things emit, over black.
inline PreviewScene dark_scene() {
  PreviewScene scene;
  scene.environment.enabled = false;
  scene.background = {};
  return scene;
}

// Nearly parallel view along -z that is `side` metres high at the origin.
inline Camera far_camera(double side, Vec3d target = {}) {
  const double distance = 400 * side;
  return {target + Vec3d{0, 0, distance}, target, {0, 1, 0}, 2 * std::atan(0.5 * side / distance)};
}

inline void add_glowing_sphere(PreviewScene& scene, Vec3f center, float radius, Vec3f emission) {
  scene.spheres.center.push_back(center);
  scene.spheres.radius.push_back(radius);
  scene.spheres.color.push_back({});
  scene.spheres.emission.push_back(emission);
}

inline void add_quad(PreviewScene& scene, Vec3f a, Vec3f b, Vec3f c, Vec3f d) {
  const auto first = static_cast<std::int32_t>(scene.triangles.position.size());
  scene.triangles.position.insert(scene.triangles.position.end(), {a, b, c, d});
  scene.triangles.color.insert(scene.triangles.color.end(), 4, {0.5f, 0.5f, 0.5f});
  scene.triangles.triangles.push_back({first, first + 1, first + 2});
  scene.triangles.triangles.push_back({first, first + 2, first + 3});
}

class OnBothBackends : public testing::TestWithParam<RenderBackend> {
 protected:
  void SetUp() override {
    if (GetParam() == RenderBackend::embree && !embree_available()) GTEST_SKIP() << "built without Embree";
  }
  RenderOptions options(int width, int height, int samples = 16) const {
    return {width, height, samples, 2, GetParam()};
  }
};

inline std::string backend_name(const testing::TestParamInfo<RenderBackend>& info) {
  return info.param == RenderBackend::embree ? "embree" : "raster";
}

}  // namespace ymir::preview_test
