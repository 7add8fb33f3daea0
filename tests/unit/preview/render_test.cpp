#include "ymir/preview/render.h"

#include <cmath>
#include <numbers>

#include "scenes.h"
#include "ymir/base/error.h"
#include "ymir/base/random.h"

namespace ymir::preview_test {
namespace {

class Rendering : public OnBothBackends {};
INSTANTIATE_TEST_SUITE_P(Backends, Rendering, testing::Values(RenderBackend::embree, RenderBackend::raster),
                         backend_name);

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

double total_red(const LinearImage& image) {
  double sum = 0;
  for (const Vec3f& p : image.pixels) sum += p.x;
  return sum;
}

float mean_light(const LinearImage& image, int x0, int y0, int x1, int y1) {
  float sum = 0;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) sum += (image.at(x, y).x + image.at(x, y).y + image.at(x, y).z) / 3;
  return sum / static_cast<float>((x1 - x0) * (y1 - y0));
}

TEST_P(Rendering, SphereCoversItsDisc) {
  PreviewScene scene = dark_scene();
  add_glowing_sphere(scene, {0.1f, -0.05f, 0}, 0.6f, {1, 1, 1});
  scene.camera = far_camera(2);
  const double pixel = 2.0 / 160;
  const double expected = std::numbers::pi * 0.6 * 0.6 / (pixel * pixel);
  EXPECT_NEAR(total_red(render_linear(scene, options(200, 160))) / expected, 1, 0.01);
}

TEST_P(Rendering, CurveCoversItsLengthTimesItsWidth) {
  PreviewScene scene;
  scene.environment.ground = false;
  scene.environment.sun = {};
  scene.background = {1, 1, 1};
  scene.environment.enabled = false;  // a strand without light is black before white
  scene.curves.position = {{-0.7f, -0.2f, 0}, {0, 0, 0}, {0.7f, 0.2f, 0}};
  scene.curves.radius.assign(3, 0.05f);
  scene.curves.color.assign(3, {0.5f, 0.5f, 0.5f});
  scene.curves.first = {0, 3};
  scene.camera = far_camera(2);
  const double length = 2 * std::hypot(0.7, 0.2), pixel = 2.0 / 160;
  const double expected = (length * 0.1 + std::numbers::pi * 0.05 * 0.05) / (pixel * pixel);
  EXPECT_NEAR((200 * 160 - total_red(render_linear(scene, options(200, 160)))) / expected, 1, 0.02);
}

TEST_P(Rendering, TrianglesCoverTheirArea) {
  PreviewScene scene = dark_scene();
  scene.background = {1, 1, 1};
  add_quad(scene, {-0.5f, -0.4f, 0}, {0.5f, -0.4f, 0}, {0.5f, 0.4f, 0}, {-0.5f, 0.4f, 0});
  scene.camera = far_camera(2);
  const double pixel = 2.0 / 160;
  EXPECT_NEAR((200 * 160 - total_red(render_linear(scene, options(200, 160)))) * pixel * pixel / 0.8, 1, 0.01);
}

TEST_P(Rendering, TinyPointKeepsItsLightWhereverItFallsOnThePixels) {
  // A disc of a third of a pixel's radius, moved across a pixel: its light is its area every time.
  const double pixel = 2.0 / 64;
  std::vector<double> light;
  for (int step = 0; step < 8; ++step) {
    PreviewScene scene = dark_scene();
    const auto at = static_cast<float>(step * pixel / 8);
    add_glowing_sphere(scene, {at, 0.6f * at, 0}, static_cast<float>(0.35 * pixel), {1, 1, 1});
    scene.camera = far_camera(2);
    light.push_back(total_red(render_linear(scene, options(64, 64, 64))));
  }
  const double area = std::numbers::pi * 0.35 * 0.35;
  const double tolerance = GetParam() == RenderBackend::embree ? 0.1 : 0.3;  // the rasteriser drops whole samples
  for (const double l : light) EXPECT_NEAR(l / area, 1, tolerance);
}

TEST_P(Rendering, PointInFrontHidesTheOneBehind) {
  PreviewScene scene = dark_scene();
  add_glowing_sphere(scene, {0, 0, 0}, 0.4f, {1, 0, 0});
  add_glowing_sphere(scene, {0, 0, 1}, 0.4f, {0, 1, 0});
  add_glowing_sphere(scene, {0, 0, -1}, 0.4f, {0, 0, 1});
  scene.camera = far_camera(2);
  const Vec3f middle = render_linear(scene, options(65, 65)).at(32, 32);
  EXPECT_FLOAT_EQ(middle.x, 0);
  EXPECT_FLOAT_EQ(middle.y, 1);
  EXPECT_FLOAT_EQ(middle.z, 0);
}

TEST_P(Rendering, ShadowOnTheGroundIsDarkerThanLitGround) {
  PreviewScene scene;
  scene.environment.to_sun = {0, 1, 0};
  scene.spheres.center = {{0, 1, 0}};
  scene.spheres.radius = {0.5f};
  scene.spheres.color = {{0.5f, 0.5f, 0.5f}};
  scene.camera = {{0, 3, 3.0}, {0, 0, 0}, {0, 1, 0}, 0.9};
  const LinearImage image = render_linear(scene, options(120, 120));
  const float shadow = mean_light(image, 57, 57, 63, 63);  // below the sphere's shadow, at the origin
  const float lit = mean_light(image, 6, 70, 16, 80);
  EXPECT_LT(shadow, 0.6f * lit);
  EXPECT_GT(shadow, 0.02f * lit);  // the sky still reaches it
}

TEST_P(Rendering, OpenGroundHasTheRadianceOfSunAndSky) {
  PreviewScene scene;
  scene.environment.to_sun = {0, 1, 0};
  scene.environment.sun = {1, 1, 1};
  scene.environment.sky = {0.25f, 0.25f, 0.25f};
  scene.environment.ground_color = {0.4f, 0.4f, 0.4f};
  scene.camera = {{0, 5, 0.1}, {0, 0, 0}, {0, 1, 0}, 0.3};
  const float radiance = mean_light(render_linear(scene, options(32, 32, 64)), 8, 8, 24, 24);
  EXPECT_NEAR(radiance, 0.4 * 1.25, 0.02 * 0.5);
}

PreviewVolume slab(float density, int voxels, float voxel) {
  PreviewVolume volume;
  volume.origin = {-2, -2, -0.5f * voxel * static_cast<float>(voxels)};
  volume.axes = {{{voxel, 0, 0}, {0, voxel, 0}, {0, 0, voxel}}};
  const int wide = static_cast<int>(4 / voxel);
  volume.block_resolution = {wide, wide, voxels};
  volume.blocks = {{0, 0, 0}};
  volume.density.assign(static_cast<std::size_t>(wide) * static_cast<std::size_t>(wide * voxels), density);
  volume.extinction = 1;
  return volume;
}

TEST_P(Rendering, HomogeneousVolumeTransmitsByBeerLambert) {
  for (const float optical_depth : {0.1f, 1.0f, 3.0f}) {
    PreviewScene scene = dark_scene();
    scene.background = {1, 1, 1};
    scene.volumes.push_back(slab(optical_depth / 0.8f, 8, 0.1f));
    scene.camera = far_camera(2);
    const float seen = mean_light(render_linear(scene, options(16, 16)), 4, 4, 12, 12);
    EXPECT_NEAR(seen / std::exp(-optical_depth), 1, 0.01) << "optical depth " << optical_depth;
  }
}

TEST_P(Rendering, BlocksOfAVolumeJoinWithoutSeams) {
  PreviewScene scene = dark_scene();
  scene.background = {1, 1, 1};
  PreviewVolume volume;
  volume.origin = {-0.8f, -0.8f, -0.8f};
  volume.axes = {{{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}}};
  volume.block_resolution = {4, 4, 4};
  for (int b = 0; b < 64; ++b) volume.blocks.push_back({b % 4, b / 4 % 4, b / 16});
  volume.density.assign(64 * 64, 1.0f);
  volume.extinction = 1;
  scene.volumes.push_back(volume);
  scene.camera = far_camera(1.2);
  const LinearImage image = render_linear(scene, options(48, 48));
  for (const Vec3f& p : image.pixels) EXPECT_NEAR(p.x / std::exp(-1.6f), 1, 0.01);
}

TEST_P(Rendering, SurfaceInsideAVolumeIsDimmedByWhatIsBeforeIt) {
  PreviewScene scene = dark_scene();
  scene.volumes.push_back(slab(1.0f, 10, 0.1f));
  add_glowing_sphere(scene, {0, 0, -0.5f}, 0.5f, {1, 1, 1});  // its front is in the middle of the slab
  scene.camera = far_camera(2);
  EXPECT_NEAR(render_linear(scene, options(33, 33)).at(16, 16).x, std::exp(-0.5f), 0.01);
}

TEST_P(Rendering, SmokeShadesTheGround) {
  PreviewScene scene;
  scene.environment.to_sun = {0, 1, 0};
  scene.camera = {{0, 1.5, 4}, {0, 0, 0}, {0, 1, 0}, 0.3};
  const auto ground = [&] { return mean_light(render_linear(scene, options(32, 32)), 12, 14, 20, 18); };
  scene.volumes.push_back(slab(20, 8, 0.1f));
  scene.volumes[0].origin = {-2, 2, -0.4f};  // above the view
  scene.volumes[0].density.assign(scene.volumes[0].density.size(), 0.0f);
  const float lit = ground();
  scene.volumes[0].density.assign(scene.volumes[0].density.size(), 20.0f);
  EXPECT_LT(ground(), 0.7f * lit);
}

PreviewScene busy_scene(bool glowing) {
  PreviewStyle style;
  style.emissive = glowing;
  PreviewScene scene = empty_scene(style);
  Random random(3, 1);
  const auto number = [&](double low, double high) { return static_cast<float>(random.uniform(low, high)); };
  for (int i = 0; i < 3000; ++i) {
    scene.spheres.center.push_back({number(-1, 1), number(0, 1.5), number(-1, 1)});
    scene.spheres.radius.push_back(number(0.001, 0.02));
    scene.spheres.color.push_back({number(0, 1), 0.3f, 0.1f});
    if (glowing) scene.spheres.emission.push_back({number(0, 5), 1, 0.2f});
  }
  for (int s = 0; s < 60; ++s) {
    for (int v = 0; v < 6; ++v) {
      scene.curves.position.push_back({0.03f * static_cast<float>(s) - 1, 0.1f * static_cast<float>(v), number(-1, 1)});
      scene.curves.radius.push_back(0.002f);
      scene.curves.color.push_back({0.4f, 0.3f, 0.2f});
    }
    scene.curves.first.push_back(static_cast<std::int64_t>(scene.curves.position.size()));
  }
  add_quad(scene, {-0.5f, 0.5f, 0}, {0.5f, 0.5f, 0}, {0.5f, 1, 0.2f}, {-0.5f, 1, 0.2f});
  scene.volumes.push_back(slab(1, 4, 0.2f));
  Framing framing;
  framing.add(scene);
  scene.camera = framing.camera(1.5);
  return scene;
}

TEST_P(Rendering, GivesTheSameBytesForOneAndTwoThreads) {
  for (const bool glowing : {false, true}) {
    const PreviewScene scene = busy_scene(glowing);
    RenderOptions one = options(96, 64, 8), two = one;
    one.threads = 1;
    EXPECT_EQ(render(scene, one), render(scene, two));
  }
}

TEST_P(Rendering, EmptySceneIsBackgroundAndGround) {
  const LinearImage image = render_linear({}, options(24, 16));
  for (const Vec3f& p : image.pixels) {
    EXPECT_TRUE(is_finite(p));
    EXPECT_GT(p.x, 0.05f);
  }
}

TEST_P(Rendering, SkipsAndCountsBrokenElements) {
  PreviewScene scene = busy_scene(false);
  RenderReport sound;
  const Image expected = render(scene, options(60, 40, 4), &sound);
  EXPECT_EQ(sound.skipped, 0u);
  scene.spheres.center.push_back({nan, 0, 0});
  scene.spheres.center.push_back({0, infinite, 0});
  scene.spheres.center.push_back({0, 0, 0});
  scene.spheres.radius.insert(scene.spheres.radius.end(), {0.1f, 0.1f, nan});
  scene.spheres.color.resize(scene.spheres.center.size());
  const auto v = static_cast<std::int32_t>(scene.triangles.position.size());
  scene.triangles.triangles.push_back({0, 1, v});
  scene.triangles.triangles.push_back({-1, 1, 2});
  scene.curves.position.insert(scene.curves.position.end(), {{0, 0, 0}, {nan, nan, nan}});
  scene.curves.radius.insert(scene.curves.radius.end(), {0.1f, 0.1f});
  scene.curves.color.resize(scene.curves.position.size());
  scene.curves.first.push_back(static_cast<std::int64_t>(scene.curves.position.size()));
  PreviewVolume broken = scene.volumes[0];
  broken.density.pop_back();
  scene.volumes.push_back(broken);
  RenderReport report;
  EXPECT_EQ(render(scene, options(60, 40, 4), &report), expected);
  EXPECT_EQ(report.skipped, 7u);
}

TEST_P(Rendering, SurvivesDegenerateInput) {
  PreviewScene scene = busy_scene(true);
  scene.volumes[0].density.assign(scene.volumes[0].density.size(), nan);
  scene.volumes[0].temperature.assign(scene.volumes[0].density.size(), infinite);
  scene.spheres.color[0] = {nan, nan, nan};
  scene.spheres.emission[1] = {infinite, 0, 0};
  scene.triangles.position[1] = scene.triangles.position[0];
  scene.camera.target = scene.camera.eye;
  EXPECT_EQ(render(scene, options(40, 30, 4)).rgb.size(), 3u * 40 * 30);
  scene.camera.eye = {scene.spheres.center[5].x, scene.spheres.center[5].y, scene.spheres.center[5].z};
  scene.environment.to_sun = {};
  const LinearImage image = render_linear(scene, options(40, 30, 4));
  for (const Vec3f& p : image.pixels) EXPECT_TRUE(is_finite(p));
}

TEST(RenderOptions, RefusesSizesOutOfRange) {
  EXPECT_THROW(render({}, {0, 10}), Error);
  EXPECT_THROW(render({}, {10, 100000}), Error);
  EXPECT_THROW(render({}, {10, 10, 0}), Error);
}

}  // namespace
}  // namespace ymir::preview_test
