// Distance, side and velocity of surfaces that deform, against analytic ones and against the mesh at that very time.
#include "ymir/data/deforming_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/error.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/data/triangle_bvh.h"

namespace ymir {
namespace {

// Poses of `shape(time)` at 10 frames per second.
AnimatedSurface animated(std::function<Surface(double time)> shape, std::int64_t frames = 10) {
  SurfaceSequence sequence;
  sequence.first = 0;
  sequence.last = frames;
  sequence.fps = 10;
  sequence.frame_at_zero = 0;
  sequence.load = [shape = std::move(shape)](std::int64_t frame) { return shape(0.1 * static_cast<double>(frame)); };
  sequence.name = [](std::int64_t frame) { return "pose " + std::to_string(frame); };
  return AnimatedSurface(std::move(sequence));
}

Vec3d place(int i, double reach) {
  const auto at = [&](int k) { return reach * (2 * std::fmod(0.5 + 0.6180339887 * (3 * i + k) * (k + 1), 1.0) - 1); };
  return {at(0), at(1), at(2)};
}

Surface joined(Surface a, const Surface& b) {
  const auto first = static_cast<std::int32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

TEST(DeformingSurface, SeesAGrowingSphere) {
  const double speed = 0.3;
  const DeformingSurface sphere(animated([&](double t) { return sphere_mesh({1, 2, 3}, 0.5 + speed * t, 40); }), "s");
  const auto motion = sphere.during(0.32, 0.37);
  const double time = 0.34, radius = 0.5 + speed * time;
  const double sagitta = radius * (1 - std::cos(M_PI / 40)) * 2;  // of the diagonals of its quads, at most
  for (int i = 0; i < 500; ++i) {
    const Vec3d x = Vec3d{1, 2, 3} + place(i, 1.2);
    const double exact = norm(x - Vec3d{1, 2, 3}) - radius;
    const SurfaceSample s = motion->sample(x, time);
    EXPECT_NEAR(s.distance, exact, sagitta) << i;
    if (std::abs(exact) < 2 * sagitta || norm(x - Vec3d{1, 2, 3}) < 0.2) continue;
    const Vec3d outward = normalized(x - Vec3d{1, 2, 3}, Vec3d(0, 1, 0));
    EXPECT_GT(dot(s.normal, outward), 0.97);
    EXPECT_NEAR(dot(motion->velocity(s), outward), speed, 0.03 * speed);
  }
}

TEST(DeformingSurface, IsExactAtAnyTimeOfAStep) {
  // An ellipsoid that stretches, turns and shifts: against the mesh built for that time.
  const auto shape = [](double t) {
    Surface s = sphere_mesh({0, 0, 0}, 1, 16);
    const double c = std::cos(2 * t), d = std::sin(2 * t);
    for (Vec3d& p : s.positions) {
      p = {p.x * (0.3 + t), p.y * (0.5 - 0.2 * t), p.z * 0.2};
      p = {c * p.x - d * p.y + 100 + t, d * p.x + c * p.y, p.z - 2 * t};
    }
    return s;
  };
  const DeformingSurface surface(animated(shape), "e");
  const double begin = 0.42, end = 0.47;
  const auto motion = surface.during(begin, end);
  for (const double part : {0.0, 0.125, 0.5, 0.9, 1.0}) {
    Surface now = shape(0);
    for (std::size_t v = 0; v < now.positions.size(); ++v)
      now.positions[v] = motion->positions_at_start()[v] * (1 - part) + motion->positions_at_end()[v] * part;
    const TriangleBvh exact(now);
    const double time = begin + part * (end - begin);
    for (int i = 0; i < 200; ++i) {
      const Vec3d x = Vec3d{100.45, 0, -0.9} + place(i, 1);
      const SurfaceSample s = motion->sample(x, time);
      EXPECT_NEAR(s.distance, exact.signed_distance(x), 1e-12) << part << " " << i;
      const SurfaceSample bounded = motion->sample(x, time, std::abs(s.distance) * (1 + 1e-12));
      EXPECT_EQ(bounded.triangle, s.triangle) << "a bound changes nothing within it";
      EXPECT_EQ(motion->sample(x, time, std::abs(s.distance) * 0.999).triangle, -1);
    }
  }
}

TEST(DeformingSurface, DependsOnTimeAloneNotOnWhatWasAskedBefore) {
  const auto shape = [](double t) { return sphere_mesh({t * t, 0, 0}, 0.5 + 0.1 * std::sin(9 * t), 12); };
  const DeformingSurface forward(animated(shape), "f"), alone(animated(shape), "a");
  const double dt = 1.0 / 48;
  for (int k = 1; k <= 20; ++k) {
    const double end = k * dt;
    forward.during(end - dt, end);
  }
  const double end = 20 * dt;
  const auto a = forward.during(end - dt, end), b = alone.during(end - dt, end);
  EXPECT_EQ(a->positions_at_start(), b->positions_at_start());
  EXPECT_EQ(a->positions_at_end(), b->positions_at_end());
  const SurfaceSample s = a->sample({1, 0.1, 0.2}, end);
  EXPECT_EQ(a->velocity_before(s), b->velocity_before(s));
}

TEST(DeformingSurface, BoundsHowFarItHasMoved) {
  const DeformingSurface surface(animated([](double t) { return sphere_mesh({3 * t, 0, 0}, 0.5, 12); }), "m");
  const double seen_at = surface.during(0.1, 0.15)->odometer();
  const auto later = surface.during(0.3, 0.35);
  EXPECT_GE(later->moved_since(seen_at), 3 * 0.25 - 1e-12);
  const auto back = surface.during(0.2, 0.21);  // a substep that was undone
  EXPECT_GE(back->moved_since(later->odometer()), 3 * 0.15 - 1e-12);
}

TEST(DeformingSurface, KeepsTwoFingersApart) {
  // Radius 4 mm, 1 mm between them; triangles of 1 mm.
  const auto fingers = [](double t) {
    return joined(capsule_mesh({-4.5e-3, 1e-3 * t, 0}, 4e-3, 0.06, 24), capsule_mesh({4.5e-3, 0, 0}, 4e-3, 0.06, 24));
  };
  const DeformingSurface surface(animated(fingers), "fingers");
  EXPECT_EQ(surface.hierarchy().boundary_edges(), 0);
  const auto motion = surface.during(0.1, 0.15);
  const auto at = [&](double x) { return motion->sample({x, 0.004, 0.0}, 0.15); };
  EXPECT_NEAR(at(0).distance, 0.5e-3, 5e-5) << "between them is outside";
  for (const double side : {-1.0, 1.0}) {
    const SurfaceSample inner = at(side * 1.5e-3), outer = at(side * 7.5e-3);
    EXPECT_NEAR(inner.distance, -1e-3, 5e-5);
    EXPECT_LT(side * inner.normal.x, -0.99) << "out through the gap, the nearest way";
    EXPECT_NEAR(outer.distance, -1e-3, 5e-5);
    EXPECT_GT(side * outer.normal.x, 0.99);
  }
}

TEST(DeformingSurface, WithHolesKnowsItsInsideByWinding) {
  Surface holed = sphere_mesh({0, 0, 0}, 1, 24);
  // Without a patch near the pole and with a slit elsewhere.
  std::erase_if(holed.triangles, [&](const auto& t) {
    const Vec3d c = (holed.positions[t[0]] + holed.positions[t[1]] + holed.positions[t[2]]) / 3.0;
    return c.y > 0.9 || (std::abs(c.y) < 0.05 && c.x > 0.9);
  });
  const DeformingSurface surface(AnimatedSurface(holed), "holed");
  EXPECT_GT(surface.hierarchy().boundary_edges(), 40);
  const auto still = surface.during(0, 0);
  for (int i = 0; i < 500; ++i) {
    const Vec3d x = place(i, 1.5);
    const double r = norm(x);
    if (std::abs(r - 1) < 0.15 && (x.y > 0.6 || x.x > 0.8)) continue;  // at a hole there is no answer
    if (std::abs(r - 1) < 0.02) continue;
    EXPECT_EQ(still->sample(x, 0).distance < 0, r < 1) << x.x << " " << x.y << " " << x.z;
  }
}

TEST(DeformingSurface, RefusesWhatHasNoInside) {
  const auto refused = [](const Surface& s) {
    try {
      const DeformingSurface surface(AnimatedSurface(s), "leaf");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string sheet = refused(rectangle_mesh({0, 0, 0}, 1, 1, {1, 0, 0}, {0, 0, 1}));
  EXPECT_NE(sheet.find("leaf: the mesh is not closed (4 edges"), std::string::npos) << sheet;
  Surface turned = sphere_mesh({0, 0, 0}, 1, 12);
  for (std::size_t i = 0; i < turned.triangles.size(); i += 2)
    std::swap(turned.triangles[i][0], turned.triangles[i][1]);
  EXPECT_NE(refused(turned).find("orient all faces alike"), std::string::npos);
  EXPECT_NE(refused(Surface{}).find("no triangles"), std::string::npos);
  Surface inside_out = sphere_mesh({0, 0, 0}, 1, 12);
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  const DeformingSurface surface(AnimatedSurface(inside_out), "inside out");
  EXPECT_NEAR(surface.during(0, 0)->sample({0, 0, 0}, 0).distance, -1, 0.05);
}

TEST(DeformingSurface, NamesAPoseThatHasOtherTriangles) {
  const DeformingSurface surface(animated([](double t) {
                                   return sphere_mesh({0, 0, 0}, 1, t < 0.15 ? 12 : 13);
                                 }),
                                 "changes");
  EXPECT_NO_THROW(surface.during(0, 0.05));
  try {
    surface.during(0.1, 0.15);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("pose 2: its triangles differ"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace ymir
