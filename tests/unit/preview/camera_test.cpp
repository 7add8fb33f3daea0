// Cameras that are told where to stand, that go around, and colours and overlays of a picture.
#include <cmath>
#include <numbers>

#include "scenes.h"
#include "ymir/base/random.h"
#include "ymir/preview/channel_colors.h"
#include "ymir/preview/geometry.h"
#include "ymir/preview/overlays.h"
#include "ymir/preview/palette.h"
#include "ymir/preview/view.h"

namespace ymir::preview_test {
namespace {

// Where a place falls on the picture [pixel].
Point2 on_picture(const View& view, Vec3d p) {
  const Vec3f d = Vec3f(p) - view.eye;
  const float z = dot(d, view.forward);
  return {0.5f * static_cast<float>(view.width) + dot(d, view.right) / (z * view.pixel),
          0.5f * static_cast<float>(view.height) - dot(d, view.up) / (z * view.pixel)};
}

PreviewScene cloud(Vec3d center, Vec3d size) {
  PreviewScene scene;
  Random random(4, 1);
  for (int i = 0; i < 2000; ++i) {
    Vec3d p = center;
    for (int k = 0; k < 3; ++k) p[k] += random.uniform(-0.5, 0.5) * size[k];
    scene.spheres.center.push_back(Vec3f(p));
    scene.spheres.radius.push_back(0.001f);
  }
  return scene;
}

TEST(Camera, StandsWhereItIsToldAndShowsItsAngle) {
  Framing framing;
  framing.add(cloud({1, 2, 3}, {1, 1, 1}));
  CameraChoice choice;
  choice.eye = Vec3d{1, 2, 10};
  choice.target = Vec3d{1, 2, 0};
  choice.fov = std::numbers::pi / 2;
  const View view(framing.camera(16.0 / 9, choice), 320, 180);
  const Point2 middle = on_picture(view, {1, 2, 0});
  EXPECT_NEAR(middle.x, 160, 1e-3);
  EXPECT_NEAR(middle.y, 90, 1e-3);
  // At 90 degrees the upper edge at depth 10 is 10 m above the middle; pixels are square.
  EXPECT_NEAR(on_picture(view, {1, 12, 0}).y, 0, 1e-2);
  EXPECT_NEAR(on_picture(view, {11, 2, 0}).x, 160 + 90, 1e-2);
}

TEST(Camera, GoesAroundItsTargetToItsRight) {
  Camera camera;
  camera.eye = {0, 1, 4};
  camera.target = {0, 0, 0};
  const Camera quarter = turned(camera, std::numbers::pi / 2);
  EXPECT_NEAR(norm(quarter.eye - Vec3d{4, 1, 0}), 0, 1e-12);
  EXPECT_EQ(quarter.target, camera.target);
  EXPECT_NEAR(norm(turned(camera, 2 * std::numbers::pi).eye - camera.eye), 0, 1e-12);
}

TEST(Camera, SeesEverythingFromEverywhereOnItsWay) {
  for (const Vec3d size : {Vec3d{4, 1, 0.2}, Vec3d{0.2, 3, 2}, Vec3d{1, 1, 1}})
    for (const double degrees : {360.0, -90.0, 45.0}) {
      Framing framing;
      const PreviewScene scene = cloud({100, 0, 100}, size);
      framing.add(scene);
      CameraChoice choice;
      choice.turn = degrees * std::numbers::pi / 180;
      const Camera start = framing.camera(16.0 / 9, choice);
      float nearest = 1e30f;
      for (int step = 0; step <= 40; ++step) {
        const View view(turned(start, choice.turn * step / 40), 320, 180);
        for (const Vec3f& c : scene.spheres.center) {
          const Point2 p = on_picture(view, Vec3d(c));
          nearest = std::min({nearest, p.x, p.y, 320 - p.x, 180 - p.y});
        }
      }
      EXPECT_GE(nearest, 0);
      EXPECT_LE(nearest, 25) << "and fills the picture";
    }
}

// A box with 8 vertices.
void add_box(PreviewTriangles& mesh, Vec3f low, float size) {
  const auto first = static_cast<std::int32_t>(mesh.position.size());
  for (int c = 0; c < 8; ++c)
    mesh.position.push_back(
        low + Vec3f{static_cast<float>(c & 1), static_cast<float>((c >> 1) & 1), static_cast<float>(c >> 2)} * size);
  for (const auto& t : {std::array{0, 1, 3},
                        {0, 3, 2},
                        {4, 7, 5},
                        {4, 6, 7},
                        {0, 5, 1},
                        {0, 4, 5},
                        {2, 3, 7},
                        {2, 7, 6},
                        {0, 2, 6},
                        {0, 6, 4},
                        {1, 5, 7},
                        {1, 7, 3}})
    mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

// A square of a metre in n x n squares.
void add_fine_square(PreviewTriangles& mesh, int n) {
  const auto first = static_cast<std::int32_t>(mesh.position.size());
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      mesh.position.push_back(
          {static_cast<float>(i) / static_cast<float>(n), static_cast<float>(j) / static_cast<float>(n), 0});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const std::int32_t at = first + j * (n + 1) + i;
      mesh.triangles.push_back({at, at + 1, at + n + 1});
      mesh.triangles.push_back({at + 1, at + n + 2, at + n + 1});
    }
}

TEST(Camera, SeesBodiesOfFewVertices) {
  for (const int fine : {50, 400}) {
    PreviewScene scene;
    add_fine_square(scene.triangles, fine);
    add_box(scene.triangles, {3, 0, 0}, 0.1f);
    Framing framing;
    framing.add(scene);
    EXPECT_FLOAT_EQ(static_cast<float>(framing.bounds().high.x), 3.1f) << fine;
    const View view(framing.camera(16.0 / 9), 320, 180);
    const Point2 corner = on_picture(view, {3.1, 0.1, 0.1});
    EXPECT_GT(corner.x, 0);
    EXPECT_LT(corner.x, 320);
  }
}

TEST(Camera, LeavesOutFarSplintersOfManyBodies) {
  PreviewScene scene;
  for (int k = 0; k < 1000; ++k) add_box(scene.triangles, {0.01f * static_cast<float>(k % 100), 0, 0}, 0.01f);
  add_box(scene.triangles, {50, 0, 0}, 0.01f);
  Framing framing;
  framing.add(scene);
  EXPECT_LT(framing.bounds().high.x, 1.5);
}

Frame moving_points() {
  ObjectState points{"Sparks", "points", {}, {}};
  std::vector<Vec3f> position, velocity;
  for (int i = 0; i <= 100; ++i) {
    position.push_back({0.01f * static_cast<float>(i), 0, 0});
    velocity.push_back({0, static_cast<float>(i), 0});
  }
  points.channels["position"] = {Place::particle, Array::of(position)};
  points.channels["velocity"] = {Place::particle, Array::of(velocity)};
  points.channels["id"] = {Place::particle, Array::of(std::vector<std::uint64_t>(101, 7))};
  Frame frame;
  frame.objects.push_back(points);
  return frame;
}

TEST(ChannelColors, TakesSpeedComponentsAndStoredNumbers) {
  const Frame frame = moving_points();
  EXPECT_EQ(channel_values(frame.objects[0], "speed")[40], 40);
  EXPECT_EQ(channel_values(frame.objects[0], "velocity.y")[40], 40);
  EXPECT_EQ(channel_values(frame.objects[0], "velocity.x")[40], 0);
  EXPECT_EQ(channel_values(frame.objects[0], "id")[40], 7);
  EXPECT_TRUE(channel_values(frame.objects[0], "temperature").empty());
  EXPECT_FALSE(channel_range(frame, "temperature"));
  const auto range = channel_range(frame, "speed");
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->first, 0.5, 0.51);
  EXPECT_NEAR(range->second, 99.5, 0.51);
  EXPECT_NE(channel_names(frame).find("speed"), std::string::npos);
}

TEST(ChannelColors, ColourPointsStrandsAndGasByValue) {
  PreviewStyle style;
  style.colors = ChannelColors{"speed", 0, 100, "m/s"};
  Frame frame = moving_points();
  EXPECT_EQ(scene_from_frame(frame, style).spheres.color[25], scale_color(0.25f));
  frame.objects[0].kind = "curves";
  for (auto& [name, values] : frame.objects[0].channels) values.place = Place::vertex;
  frame.objects[0].channels["first"] = {Place::object, Array::of(std::vector<std::int64_t>{0, 50, 101})};
  EXPECT_EQ(scene_from_frame(frame, style).curves.color[75], scale_color(0.75f));
  frame.objects[0].channels["speed"] = {Place::strand, Array::of(std::vector<float>{10, 60})};
  EXPECT_EQ(scene_from_frame(frame, style).curves.color[75], scale_color(0.6f));
  ObjectState gas{"Smoke", "volume", {}, {}};
  gas.attributes["bucket_size"] = 1.0;
  gas.attributes["density.resolution"] = gas.attributes["velocity.resolution"] = std::int64_t{2};
  gas.channels["bucket"] = {Place::tile, Array::of(std::vector<Vec3i>{{0, 0, 0}})};
  gas.channels["density"] = {Place::voxel, Array::of(std::vector<float>(8, 1.0f))};
  gas.channels["velocity"] = {Place::voxel, Array::of(std::vector<Vec3f>(8, Vec3f{0, 30, 40}))};
  Frame smoke;
  smoke.objects.push_back(gas);
  EXPECT_EQ(scene_from_frame(smoke, style).volumes.at(0).value, std::vector<float>(8, 0.5f));
}

TEST(ChannelColors, ColourSurfacesByVertexAndByFace) {
  PreviewStyle style;
  style.colors = ChannelColors{"speed", 0, 10, "m/s"};
  const auto square = [](const char* name) {
    ObjectState object{name, "surface", {}, {}};
    object.channels["position"] = {Place::vertex,
                                   Array::of(std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}})};
    object.channels["triangles"] = {Place::face, Array::of(std::vector<Vec3i>{{0, 1, 2}, {0, 2, 3}})};
    return object;
  };
  Frame frame;
  frame.objects = {square("Wall"), square("Cloth")};
  frame.objects[1].channels["velocity"] = {Place::vertex,
                                           Array::of(std::vector<Vec3f>{{0, 0, 0}, {0, 5, 0}, {0, 0, 10}, {6, 8, 0}})};
  const PreviewScene by_vertex = scene_from_frame(frame, style);
  const Vec3f grey{0.35f, 0.35f, 0.35f};
  EXPECT_EQ(by_vertex.triangles.color, (std::vector<Vec3f>{grey, grey, grey, grey, scale_color(0), scale_color(0.5f),
                                                           scale_color(1), scale_color(1)}));
  EXPECT_TRUE(by_vertex.triangles.face_color.empty());
  style.colors->channel = "stretch";
  frame.objects[1].channels["stretch"] = {Place::face, Array::of(std::vector<float>{2, 8})};
  const PreviewScene by_face = scene_from_frame(frame, style);
  EXPECT_EQ(by_face.triangles.position.size(), 8u);  // shared, so that light stays smooth
  EXPECT_EQ(by_face.triangles.face_color,
            (std::vector<std::optional<Vec3f>>{std::nullopt, std::nullopt, scale_color(0.2f), scale_color(0.8f)}));
  const Geometry g = prepare(by_face, View(by_face.camera, 64, 36));
  Hit hit;
  hit.primitive = Primitive::triangle;
  hit.index = 3;
  EXPECT_EQ(surface_at(g, hit, {{0, 0, 1}, {0, 0, -1}}).color, scale_color(0.8f));
  hit.index = 0;
  EXPECT_EQ(surface_at(g, hit, {{0, 0, 1}, {0, 0, -1}}).color, grey);
}

// Two strands of two vertices have two edges; strands of one vertex are as many as their vertices.
TEST(ChannelColors, GoByThePlaceOfAChannel) {
  PreviewStyle style;
  style.colors = ChannelColors{"tension", 0, 100, "N"};
  Frame frame;
  ObjectState& hair = frame.objects.emplace_back(ObjectState{"Hair", "curves", {}, {}});
  hair.channels["position"] = {Place::vertex,
                               Array::of(std::vector<Vec3f>{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}})};
  hair.channels["first"] = {Place::object, Array::of(std::vector<std::int64_t>{0, 2, 4})};
  hair.channels["tension"] = {Place::strand, Array::of(std::vector<float>{10, 90}), "N"};
  const auto colors = [&] { return scene_from_frame(frame, style).curves.color; };
  const Vec3f low = scale_color(0.1f), high = scale_color(0.9f);
  EXPECT_EQ(colors(), (std::vector<Vec3f>{low, low, high, high}));
  hair.channels["tension"].place = Place::edge;
  for (const Vec3f& color : colors()) EXPECT_EQ(color, Vec3f(0.35f, 0.35f, 0.35f));
  hair.channels["tension"] = {Place::vertex, Array::of(std::vector<float>{10, 90, 90, 10}), "N"};
  EXPECT_EQ(colors(), (std::vector<Vec3f>{low, high, high, low}));
  EXPECT_EQ(channel_unit(frame, "tension"), "N");
  EXPECT_EQ(channel_unit(frame, "heat"), "");
  EXPECT_EQ(channel_names(frame), "position, tension");
}

TEST(ChannelColors, NamesTheScaleInThePicture) {
  Image image{320, 240, std::vector<std::uint8_t>(320 * 240 * 3, 128)};
  const Image before = image;
  draw_key(image, {"temperature", 300, 900, "K"});
  EXPECT_EQ(image.width, 320);
  int changed = 0;
  for (int y = 0; y < 240; ++y)
    for (int x = 0; x < 160; ++x)
      changed += image.rgb[static_cast<std::size_t>(3 * (y * 320 + x))] !=
                 before.rgb[static_cast<std::size_t>(3 * (y * 320 + x))];
  EXPECT_EQ(changed, 0) << "the left half is left alone";
  EXPECT_NE(image, before);
}

TEST(Overlays, DrawEveryEdgeOfTheTilesOnce) {
  ObjectState gas{"Smoke", "volume", {}, {}};
  gas.attributes["bucket_size"] = 0.5;
  gas.attributes["velocity.resolution"] = std::int64_t{2};
  gas.channels["bucket"] = {Place::tile, Array::of(std::vector<Vec3i>{{0, 0, 0}, {1, 0, 0}})};
  gas.channels["velocity"] = {Place::voxel, Array::of(std::vector<Vec3f>(16, Vec3f{0, 0, 3}))};
  Frame frame;
  frame.objects.push_back(gas);
  PreviewLines lines;
  add_tile_edges(lines, frame);
  EXPECT_EQ(lines.color.size(), 12u + 8u);
  float far = 0;
  for (const Vec3f& p : lines.position) far = std::max(far, p.x);
  EXPECT_EQ(far, 1);
  EXPECT_EQ(reference_wind(frame), 3);
  PreviewLines arrows;
  add_wind_arrows(arrows, frame, 3);
  ASSERT_EQ(arrows.color.size(), 3 * 16u);  // a shaft and two barbs each
  const Vec3f along = arrows.position[1] - arrows.position[0];
  EXPECT_NEAR(along.x, 0, 1e-6);
  EXPECT_GT(along.z, 0.2f);
}

class SeeThrough : public OnBothBackends {};
INSTANTIATE_TEST_SUITE_P(Backends, SeeThrough, testing::Values(RenderBackend::embree, RenderBackend::raster),
                         backend_name);

TEST_P(SeeThrough, CollidersShowWhatIsBehindThem) {
  PreviewScene scene = dark_scene();
  add_glowing_sphere(scene, {0, 0, -1}, 0.8f, {1, 1, 1});
  add_quad(scene, {-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0});
  scene.camera = far_camera(2);
  EXPECT_EQ(render_linear(scene, options(33, 33)).at(16, 16).x, 0);
  scene.triangles.opacity = 0.3f;
  float mean = 0;
  const LinearImage image = render_linear(scene, options(33, 33));
  for (int y = 12; y < 21; ++y)
    for (int x = 12; x < 21; ++x) mean += image.at(x, y).x / 81;
  EXPECT_NEAR(mean, 0.7f, 0.05f);
}

TEST_P(SeeThrough, LinesOfOverlaysAreHiddenBySolidThings) {
  PreviewScene scene = dark_scene();
  scene.lines.position = {{-1, 0, 0}, {1, 0, 0}};
  scene.lines.color = {{0, 1, 0}};
  scene.lines.width = 2;
  scene.camera = far_camera(2);
  const auto green = [&] {
    const LinearImage image = render_linear(scene, options(33, 33));
    float sum = 0;
    for (int y = 0; y < 33; ++y) sum += image.at(16, y).y;
    return sum;
  };
  EXPECT_NEAR(green(), 2, 0.05f);
  add_quad(scene, {-1, -1, 0.5f}, {1, -1, 0.5f}, {1, 1, 0.5f}, {-1, 1, 0.5f});
  EXPECT_NEAR(green(), 0, 0.01f);
}

}  // namespace
}  // namespace ymir::preview_test
