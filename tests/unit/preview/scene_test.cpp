#include "ymir/preview/scene.h"

#include <cmath>

#include "scenes.h"
#include "ymir/base/random.h"
#include "ymir/preview/palette.h"
#include "ymir/preview/view.h"

namespace ymir::preview_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

PreviewScene cloud(int count, Vec3d size, Vec3d at) {
  PreviewScene scene;
  Random random(11, 4);
  for (int i = 0; i < count; ++i) {
    const Vec3d u{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    scene.spheres.center.push_back(Vec3f(at + Vec3d{u.x * size.x, u.y * size.y, u.z * size.z}));
    scene.spheres.radius.push_back(0.01f);
  }
  return scene;
}

// Largest |x|, |y| of all points on a picture that reaches from -1 to 1.
double farthest_on_picture(const PreviewScene& scene, const Camera& camera, double aspect) {
  const Vec3d forward = normalized(camera.target - camera.eye);
  const Vec3d right = normalized(cross(forward, camera.up)), up = cross(right, forward);
  const double tan_y = std::tan(0.5 * camera.fov);
  double farthest = 0;
  for (const Vec3f& p : scene.spheres.center) {
    const Vec3d d = Vec3d(p) - camera.eye;
    const double z = dot(d, forward);
    if (z <= 0) return std::numeric_limits<double>::infinity();
    farthest = std::max({farthest, std::abs(dot(d, right)) / (z * tan_y * aspect), std::abs(dot(d, up)) / (z * tan_y)});
  }
  return farthest;
}

TEST(Framing, HoldsAllPointsAndFillsThePicture) {
  for (const Vec3d size : {Vec3d{1, 1, 1}, Vec3d{5, 0.1, 2}, Vec3d{0.01, 0.2, 0.01}})
    for (const double aspect : {0.6, 16.0 / 9.0}) {
      const PreviewScene scene = cloud(2000, size, {10, -3, 4});
      Framing framing;
      framing.add(scene);
      const double farthest = farthest_on_picture(scene, framing.camera(aspect), aspect);
      EXPECT_LT(farthest, 1.0);
      EXPECT_GT(farthest, 0.75);
    }
}

TEST(Framing, HoldsTheUnionOfAllFrames) {
  const PreviewScene a = cloud(500, {1, 1, 1}, {0, 0, 0}), b = cloud(500, {1, 1, 1}, {6, 2, -3});
  Framing framing;
  framing.add(a);
  framing.add(b);
  const Camera camera = framing.camera(1.5);
  EXPECT_LT(farthest_on_picture(a, camera, 1.5), 1.0);
  EXPECT_LT(farthest_on_picture(b, camera, 1.5), 1.0);
}

TEST(Framing, IgnoresFarOutliersAndNonFinitePoints) {
  PreviewScene scene = cloud(2000, {1, 1, 1}, {});
  Framing plain;
  plain.add(scene);
  for (int i = 0; i < 5; ++i) {
    scene.spheres.center.push_back({1000.0f * static_cast<float>(i + 1), -500, 300});
    scene.spheres.radius.push_back(0.01f);
  }
  scene.spheres.center.push_back({nan, nan, nan});
  scene.spheres.radius.push_back(nan);
  Framing robust;
  robust.add(scene);
  EXPECT_NEAR(norm(robust.bounds().size()) / norm(plain.bounds().size()), 1, 0.02);
  EXPECT_NEAR(norm(robust.camera(1.5).eye - plain.camera(1.5).eye), 0, 0.2);
}

TEST(Framing, LooksFromAboveTheGround) {
  Framing framing;
  framing.add(cloud(100, {3, 0.2, 3}, {}));
  EXPECT_GT(framing.camera(1.5).eye.y, framing.ground_height());
}

TEST(Framing, ObeysTheUsersChoice) {
  Framing framing;
  framing.add(cloud(100, {1, 1, 1}, {}));
  const Camera camera = framing.camera(1.5, {Vec3d{1, 2, 3}, Vec3d{0, 1, 0}, 0.4});
  EXPECT_EQ(camera.eye, (Vec3d{1, 2, 3}));
  EXPECT_EQ(camera.target, (Vec3d{0, 1, 0}));
  EXPECT_EQ(camera.fov, 0.4);
}

TEST(Framing, WithoutAnythingStillGivesACamera) {
  const Camera camera = Framing().camera(1.5);
  EXPECT_TRUE(is_finite(camera.eye) && is_finite(camera.target));
  EXPECT_GT(norm(camera.eye - camera.target), 0);
}

TEST(View, PutsTheTargetInTheMiddleAndUpUpwards) {
  const View view({{3, 2, 5}, {0, 1, 0}, {0, 1, 0}, 0.7}, 100, 80);
  const Vec3f to_target = normalized(Vec3f{0, 1, 0} - view.eye);
  EXPECT_NEAR(dot(view.ray(50.0f, 40.0f).direction, to_target), 1, 1e-6);
  EXPECT_GT(view.ray(50.0f, 0.0f).direction.y, view.ray(50.0f, 80.0f).direction.y);
  // The vertical field of view is the angle between the rays at the middle of the upper and lower edge.
  EXPECT_NEAR(std::acos(dot(view.ray(50.0f, 0.0f).direction, view.ray(50.0f, 80.0f).direction)), 0.7, 1e-4);
}

ObjectState points(const std::vector<Vec3f>& position) {
  ObjectState object;
  object.name = "Embers/particle_object";
  object.kind = "points";
  object.channels["position"] = {Place::particle, Array::of(position)};
  return object;
}

float lightness(Vec3f c) { return c.x + c.y + c.z; }

TEST(SceneFromFrame, PrefersTheColorChannelAndElseShowsSpeed) {
  Frame frame;
  frame.objects.push_back(points({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
  frame.objects[0].channels["velocity"] = {Place::particle,
                                           Array::of(std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 4, 0}})};
  PreviewStyle style;
  style.reference_speed = 4;
  const PreviewScene by_speed = scene_from_frame(frame, style);
  ASSERT_EQ(by_speed.spheres.color.size(), 3u);
  EXPECT_LT(lightness(by_speed.spheres.color[0]), lightness(by_speed.spheres.color[1]));
  EXPECT_LT(lightness(by_speed.spheres.color[1]), lightness(by_speed.spheres.color[2]));
  EXPECT_TRUE(by_speed.spheres.emission.empty());
  const std::vector<Vec3f> given{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  frame.objects[0].channels["color"] = {Place::particle, Array::of(given)};
  EXPECT_EQ(scene_from_frame(frame, style).spheres.color, given);
  style.emissive = true;
  EXPECT_EQ(scene_from_frame(frame, style).spheres.emission.size(), 3u);
}

TEST(SceneFromFrame, EmbersGrowBrighterWithHeat) {
  for (int i = 1; i <= 20; ++i)
    EXPECT_GT(lightness(ember_color(static_cast<float>(i) / 20)),
              lightness(ember_color(static_cast<float>(i - 1) / 20)));
}

TEST(SceneFromFrame, ReferenceSpeedIsTheFastFew) {
  Frame frame;
  frame.objects.push_back(points(std::vector<Vec3f>(101)));
  std::vector<Vec3f> velocity(101);
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = {static_cast<float>(i), 0, 0};
  frame.objects[0].channels["velocity"] = {Place::particle, Array::of(velocity)};
  EXPECT_EQ(reference_speed(frame), 98);
  EXPECT_EQ(reference_speed({}), 0);
}

TEST(SceneFromFrame, TakesCurvesSurfacesAndVolumes) {
  Frame frame;
  ObjectState curves;
  curves.kind = "curves";
  curves.channels["position"] = {Place::vertex,
                                 Array::of(std::vector<Vec3f>{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}})};
  curves.channels["first"] = {Place::object, Array::of(std::vector<std::int64_t>{0, 2, 5})};
  ObjectState surface;
  surface.kind = "surface";
  surface.channels["position"] = {Place::vertex, Array::of(std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}})};
  surface.channels["triangles"] = {Place::face, Array::of(std::vector<Vec3i>{{0, 1, 2}})};
  ObjectState volume;
  volume.kind = "volume";
  volume.channels["bucket"] = {Place::tile, Array::of(std::vector<Vec3i>{{-1, 0, 0}, {2, 0, 0}})};
  volume.channels["density"] = {Place::voxel, Array::of(std::vector<float>(2 * 4 * 4 * 4, 1.0f))};
  volume.channels["temperature"] = {Place::voxel, Array::of(std::vector<float>(2 * 2 * 2 * 2, 900.0f))};
  volume.attributes["bucket_size"] = 0.8;
  volume.attributes["density.resolution"] = std::int64_t{4};
  volume.attributes["temperature.resolution"] = std::int64_t{2};
  frame.objects = {curves, surface, surface, volume};
  const PreviewScene scene = scene_from_frame(frame);
  EXPECT_EQ(scene.curves.first, (std::vector<std::int64_t>{0, 2, 5}));
  ASSERT_EQ(scene.triangles.triangles.size(), 2u);
  EXPECT_EQ(scene.triangles.triangles[1], (std::array<std::int32_t, 3>{3, 4, 5}));
  ASSERT_EQ(scene.volumes.size(), 1u);
  EXPECT_FLOAT_EQ(scene.volumes[0].axes[0].x, 0.2f);
  EXPECT_EQ(scene.volumes[0].temperature.size(), 2u * 4 * 4 * 4);
  EXPECT_EQ(scene.skipped, 0u);
  Framing framing;
  framing.add(scene);
  EXPECT_NEAR(framing.bounds().low.x, -0.8, 1e-6);
  EXPECT_NEAR(framing.bounds().high.x, 2.4, 1e-6);
}

TEST(SceneFromFrame, SkipsAndCountsWhatIsBroken) {
  Frame frame;
  frame.objects.push_back(points({{0, 0, 0}, {nan, 0, 0}}));
  ObjectState curves;
  curves.kind = "curves";
  curves.channels["position"] = {Place::vertex, Array::of(std::vector<Vec3f>(4))};
  curves.channels["first"] = {Place::object, Array::of(std::vector<std::int64_t>{0, 2, 9})};
  ObjectState surface;
  surface.kind = "surface";
  surface.channels["position"] = {Place::vertex, Array::of(std::vector<Vec3f>(3))};
  surface.channels["triangles"] = {Place::face, Array::of(std::vector<Vec3i>{{0, 1, 3}})};
  ObjectState volume;
  volume.kind = "volume";
  volume.channels["bucket"] = {Place::tile, Array::of(std::vector<Vec3i>{{0, 0, 0}})};
  volume.channels["density"] = {Place::voxel, Array::of(std::vector<float>(7))};
  volume.attributes["bucket_size"] = 1.0;
  volume.attributes["density.resolution"] = std::int64_t{2};
  ObjectState bare;
  bare.kind = "points";
  ObjectState state;
  state.kind = "state";
  frame.objects.insert(frame.objects.end(), {curves, surface, volume, bare, state});
  const PreviewScene scene = scene_from_frame(frame);
  EXPECT_EQ(scene.spheres.center.size(), 1u);
  EXPECT_EQ(scene.curves.first.size(), 2u);
  EXPECT_TRUE(scene.triangles.triangles.empty());
  EXPECT_TRUE(scene.volumes.empty());
  EXPECT_EQ(scene.skipped, 4u);
}

}  // namespace
}  // namespace ymir::preview_test
