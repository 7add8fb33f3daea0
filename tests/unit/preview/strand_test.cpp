// Thin strands: what they cover of a picture is their width times their length, whatever the width.
#include <cmath>
#include <numbers>

#include "scenes.h"
#include "ymir/base/random.h"
#include "ymir/preview/render.h"

namespace ymir::preview_test {
namespace {

class Strands : public OnBothBackends {};
INSTANTIATE_TEST_SUITE_P(Backends, Strands, testing::Values(RenderBackend::embree, RenderBackend::raster),
                         backend_name);

constexpr double pixel = 2.0 / 160;  // of a picture 160 high of a view 2 m high

// Unlit strands are black before white.
PreviewScene white_scene() {
  PreviewScene scene = dark_scene();
  scene.background = {1, 1, 1};
  scene.camera = far_camera(2);
  return scene;
}

void add_strand(PreviewScene& scene, const std::vector<Vec3f>& vertices, float radius) {
  for (const Vec3f& p : vertices) {
    scene.curves.position.push_back(p);
    scene.curves.radius.push_back(radius);
    scene.curves.color.push_back({0.5f, 0.5f, 0.5f});
  }
  scene.curves.first.push_back(static_cast<std::int64_t>(scene.curves.position.size()));
}

double covered(const LinearImage& image) {
  double sum = 0;
  for (const Vec3f& p : image.pixels) sum += 1 - static_cast<double>(p.x);
  return sum;
}

TEST_P(Strands, CoverTheirWidthFromAHundredthOfAPixelToFive) {
  for (const double width : {0.01, 0.05, 0.3, 0.9, 1.0, 1.7, 3.0, 3.9, 5.0})
    for (const double angle : {0.0, 0.2, std::numbers::pi / 4, 1.2, std::numbers::pi / 2}) {
      PreviewScene scene = white_scene();
      const auto c = static_cast<float>(0.7 * std::cos(angle)), s = static_cast<float>(0.7 * std::sin(angle));
      add_strand(scene, {{-c, -s, 0}, {-0.1f * c, -0.1f * s, 0}, {c, s, 0}}, static_cast<float>(0.5 * width * pixel));
      // Round ends belong to those wide enough to be solid.
      const double length = 1.4 / pixel, ends = width > 4 ? std::numbers::pi / 4 * width * width : 0;
      EXPECT_NEAR(covered(render_linear(scene, options(200, 160, 64))) / (length * width + ends), 1, 0.02)
          << "width " << width << ", angle " << angle;
    }
}

TEST_P(Strands, AreEvenAlongTheirLength) {
  // No dots: on every row a strand a tenth of a pixel wide hides a tenth of a pixel.
  PreviewScene scene = white_scene();
  add_strand(scene, {{-0.31f, -0.9f, 0}, {0.02f, 0, 0}, {0.35f, 0.9f, 0}}, static_cast<float>(0.05 * pixel));
  const double slant = std::hypot(0.66, 1.8) / 1.8;
  const LinearImage image = render_linear(scene, options(200, 160, 4));
  for (int y = 20; y < 140; ++y) {
    double row = 0;
    for (int x = 0; x < 200; ++x) row += 1 - static_cast<double>(image.at(x, y).x);
    EXPECT_NEAR(row / (0.1 * slant), 1, 0.04) << "row " << y;
  }
}

TEST_P(Strands, HideEachOtherByChanceOfOverlap) {
  // A thousand strands of a hundredth of a pixel over the same column of pixels: exp(-sum) of the light passes.
  PreviewScene scene = white_scene();
  Random random(5, 1);
  for (int i = 0; i < 1000; ++i) {
    const auto x = static_cast<float>(random.uniform(-10, 10) * pixel),
               z = static_cast<float>(random.uniform(-0.1, 0.1));
    add_strand(scene, {{x, -2, z}, {x, 0, z}, {x, 2, z}}, static_cast<float>(0.005 * pixel));
  }
  const LinearImage image = render_linear(scene, options(200, 160, 4));
  double through = 0;
  for (int x = 95; x < 105; ++x)
    for (int y = 75; y < 85; ++y) through += static_cast<double>(image.at(x, y).x) / 100;
  EXPECT_NEAR(through, std::exp(-1000 * 0.01 / 20), 0.02);
}

TEST_P(Strands, AreRoundBetweenFewVertices) {
  // A circle of 12 vertices covers its circumference (2 pi r), not that of the polygon (1.1 % less), and not a pixel
  // of it lies inside the polygon's edges' middles.
  PreviewScene scene = white_scene();
  std::vector<Vec3f> vertices;
  for (int i = 0; i <= 14; ++i) {
    const double a = 2 * std::numbers::pi * i / 12;
    vertices.push_back({static_cast<float>(0.8 * std::cos(a)), static_cast<float>(0.8 * std::sin(a)), 0});
  }
  add_strand(scene, vertices, static_cast<float>(0.25 * pixel));
  const LinearImage image = render_linear(scene, options(200, 160, 4));
  for (int i = 1; i < 12; ++i) {
    const double a = 2 * std::numbers::pi * (i + 0.5) / 12;
    const auto dark = [&](double r) {
      const int x = static_cast<int>(100 + r / pixel * std::cos(a)), y = static_cast<int>(80 - r / pixel * std::sin(a));
      double sum = 0;
      for (int k = 0; k < 9; ++k) sum += 1 - static_cast<double>(image.at(x + k % 3 - 1, y + k / 3 - 1).x);
      return sum;
    };
    EXPECT_GT(dark(0.8), 1.0) << "segment " << i;
    EXPECT_LT(dark(0.8 * std::cos(std::numbers::pi / 12) - 1.2 * pixel), 0.7) << "segment " << i;
  }
}

TEST_P(Strands, AreHiddenByWhatIsBeforeThemAndNotByWhatIsBehind) {
  for (const float z : {-0.5f, 0.5f}) {
    PreviewScene scene = white_scene();
    add_glowing_sphere(scene, {0, 0, 0}, 0.4f, {1, 1, 1});
    add_strand(scene, {{-0.9f, 0, z}, {0, 0, z}, {0.9f, 0, z}}, static_cast<float>(0.5 * pixel));
    scene.curves.color.assign(3, {});  // black, though the sphere lights it
    const LinearImage image = render_linear(scene, options(200, 160, 16));
    double middle = 0;
    for (int y = 70; y < 90; ++y) middle += 1 - static_cast<double>(image.at(100, y).x);
    EXPECT_NEAR(middle, z > 0 ? 1 : 0, 0.02);
  }
}

TEST_P(Strands, LieInTheShadowOfEachOther) {
  // A layer of hair between the sun and a strand darkens it, in proportion to what it covers.
  const auto light = [&](int above) {
    PreviewScene scene;
    scene.environment.ground = false;
    scene.environment.sky = {};
    scene.environment.to_sun = {0, 1, 0};
    scene.environment.ground_color = {};  // and with it the horizon
    scene.background = {};
    scene.camera = far_camera(2);
    const auto radius = static_cast<float>(0.002);
    add_strand(scene, {{-0.5f, -0.8f, 0}, {0, -0.8f, 0}, {0.5f, -0.8f, 0}}, radius);
    Random random(7, 1);
    for (int i = 0; i < above; ++i) {
      const auto x = static_cast<float>(random.uniform(-1, 1));
      const auto y = static_cast<float>(random.uniform(0.3, 0.9));
      add_strand(scene, {{x, y, -1}, {x, y, 0}, {x, y, 1}}, radius);
    }
    const LinearImage image = render_linear(scene, options(200, 160, 4));
    double sum = 0;
    for (int y = 138; y < 150; ++y)
      for (int x = 62; x < 138; ++x) sum += static_cast<double>(image.at(x, y).y);
    return sum;
  };
  const double lit = light(0);
  EXPECT_GT(lit, 1);
  // Covered area per area from above: n x 0.004 m x 2 m / 4 m^2; the medium takes rods of all directions, pi/4 of it.
  EXPECT_NEAR(light(250) / lit, std::exp(-0.5 * std::numbers::pi / 4), 0.1);
  EXPECT_LT(light(1500), 0.3 * lit);
}

TEST_P(Strands, DrawManyHairsTheSameOnAnyNumberOfThreads) {
  PreviewScene scene;
  Random random(9, 1);
  for (int i = 0; i < 400; ++i) {
    const auto x = static_cast<float>(random.uniform(-1, 1)), z = static_cast<float>(random.uniform(-1, 1));
    add_strand(scene, {{x, 0, z}, {x * 1.2f, 0.4f, z}, {x * 1.3f, 0.6f, z * 1.2f}}, 4e-4f);
  }
  Framing framing;
  framing.add(scene);
  scene.camera = framing.camera(1.5);
  RenderOptions one = options(96, 64, 4), two = one;
  one.threads = 1;
  EXPECT_EQ(render(scene, one), render(scene, two));
}

}  // namespace
}  // namespace ymir::preview_test
