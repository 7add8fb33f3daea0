#include "ymir/grooms/generate.h"

#include <gtest/gtest.h>

#include "groom_samples.h"
#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/grooms/polyline.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

std::uint64_t hash_of(const Curves& curves) { return hash_bytes(std::as_bytes(std::span(curves.positions))); }

class EveryStyle : public testing::TestWithParam<std::size_t> {
 protected:
  Hairstyle style() const { return hairstyle_of(hairstyle_names[GetParam()]); }
};

TEST_P(EveryStyle, IsTheSameForAnyThreadCount) {
  const GroomParams params = small_params(style(), traits_of(style()).locks + 20);
  set_threads(1);
  const std::uint64_t one = hash_of(generate_groom(head_scalp(), params));
  set_threads(2);
  const std::uint64_t two = hash_of(generate_groom(head_scalp(), params));
  set_threads(0);
  EXPECT_EQ(one, two);
}

TEST_P(EveryStyle, ChangesWithTheSeed) {
  GroomParams params = small_params(style(), 5);
  const std::uint64_t first = hash_of(generate_groom(head_scalp(), params));
  params.seed = 2;
  EXPECT_NE(hash_of(generate_groom(head_scalp(), params)), first);
}

TEST_P(EveryStyle, FewerStrandsAreTheFirstOfMore) {
  const Curves few = generate_groom(head_scalp(), small_params(style(), 20));
  const Curves many = generate_groom(head_scalp(), small_params(style(), traits_of(style()).locks + 5));
  for (std::size_t v = 0; v < few.positions.size(); ++v) ASSERT_EQ(few.positions[v], many.positions[v]);
}

TEST_P(EveryStyle, StaysOutOfTheHead) {
  // The first strands are middles of locks; what follows them is drawn to those.
  const std::int64_t strands = traits_of(style()).locks + 60;
  const Curves groom = generate_groom(head_scalp(), small_params(style(), strands));
  for (auto s = static_cast<std::size_t>(strands - 120); s < groom.strand_count(); ++s) {
    EXPECT_NEAR(head_scalp().contact(groom.positions[static_cast<std::size_t>(groom.first[s])], 0.2).distance, 0, 1e-9);
    for (std::int64_t v = groom.first[s] + 1; v < groom.first[s + 1]; ++v) {
      const SkinContact skin = head_scalp().contact(groom.positions[static_cast<std::size_t>(v)], 0.2);
      EXPECT_TRUE(!skin.near || skin.distance > 1e-5) << "strand " << s << " vertex " << v - groom.first[s];
    }
  }
}

TEST_P(EveryStyle, HasTheStrandsVerticesAndLengthsAskedFor) {
  const GroomParams params = small_params(style());
  const Curves groom = generate_groom(head_scalp(), params);
  ASSERT_EQ(groom.strand_count(), static_cast<std::size_t>(params.strands));
  const auto radius = groom.vertices.get<float>("radius");
  double longest = 0;
  for (std::size_t s = 0; s < groom.strand_count(); ++s) {
    ASSERT_EQ(groom.first[s + 1] - groom.first[s], params.vertices);
    const std::span<const Vec3d> points(&groom.positions[static_cast<std::size_t>(groom.first[s])],
                                        static_cast<std::size_t>(params.vertices));
    const double length = polyline_length(points), mean = length / static_cast<double>(params.vertices - 1);
    longest = std::max(longest, length);
    EXPECT_GT(length, 0.01);
    for (std::size_t v = 1; v < points.size(); ++v) {
      ASSERT_TRUE(is_finite(points[v]));
      EXPECT_GT(norm(points[v] - points[v - 1]), 0.3 * mean) << "strand " << s << " segment " << v;
      EXPECT_LT(norm(points[v] - points[v - 1]), 1.7 * mean) << "strand " << s << " segment " << v;
    }
  }
  EXPECT_LE(longest, 1.01 * params.length);
  EXPECT_GT(longest, 0.6 * params.length);
  for (const float r : radius) EXPECT_TRUE(r > 0 && r <= static_cast<float>(params.radius));
}

TEST_P(EveryStyle, LeavesTheSkinAtTheRoot) {
  const Curves groom = generate_groom(head_scalp(), small_params(style()));
  const auto roots = head_scalp().roots(groom.strand_count(), 1);
  for (std::size_t s = 0; s < groom.strand_count(); ++s) {
    const auto first = static_cast<std::size_t>(groom.first[s]);
    EXPECT_EQ(groom.positions[first], roots[s].position);
    EXPECT_GT(dot(groom.positions[first + 1] - groom.positions[first], roots[s].normal), -1e-3) << "strand " << s;
  }
}

INSTANTIATE_TEST_SUITE_P(Grooms, EveryStyle, testing::Range<std::size_t>(0, hairstyle_names.size()),
                         [](const auto& test) { return std::string(hairstyle_names[test.param]); });

TEST(Ponytail, PassesTheRing) {
  const GroomParams params = small_params(Hairstyle::ponytail, 300);
  const Curves groom = generate_groom(head_scalp(), params);
  const Ring ring = Comb(head_scalp(), params).ring();
  for (std::size_t s = 0; s < groom.strand_count(); ++s) {
    double nearest = 1;
    for (std::int64_t v = groom.first[s] + 1; v < groom.first[s + 1]; ++v) {
      const Vec3d a = groom.positions[static_cast<std::size_t>(v - 1)] - ring.center;
      const Vec3d b = groom.positions[static_cast<std::size_t>(v)] - ring.center;
      const double da = dot(a, ring.axis), db = dot(b, ring.axis);
      if (da <= 0 && db > 0) nearest = std::min(nearest, norm(a + (b - a) * (da / (da - db))));
    }
    EXPECT_LT(nearest, ring.radius + 0.001) << "strand " << s;
  }
}

TEST(Ponytail, RefusesHairThatDoesNotReachTheTie) {
  GroomParams params = small_params(Hairstyle::ponytail);
  params.length = 0.15;
  EXPECT_THROW(generate_groom(head_scalp(), params), Error);
}

TEST(Bob, EndsAboutTheChin) {
  const Curves groom = generate_groom(head_scalp(), small_params(Hairstyle::bob));
  for (const Vec3d& p : groom.positions) EXPECT_GT(p.y, 0.04);
}

TEST(Curls, AreWiderThanTheHairIsCombed) {
  GroomParams params = small_params(Hairstyle::afro, 40);
  const double curled = bounds(generate_groom(head_scalp(), params).positions).size().x;
  params.curl_radius = 0;
  const double straight = bounds(generate_groom(head_scalp(), params).positions).size().x;
  EXPECT_GT(straight, 1.5 * curled);  // the same length of hair reaches farther without curls
}

TEST(Groom, StaysOutOfTheHeadWithWideUnrulyCurls) {
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::curly, Hairstyle::bob}) {
    GroomParams params = small_params(style);
    params.curl_radius = 0.03;
    params.curl_pitch = 0.05;
    params.noise = 1;
    params.vertices = 24;
    for (const Vec3d& p : generate_groom(head_scalp(), params).positions) {
      const SkinContact skin = head_scalp().contact(p, 0.2);
      EXPECT_TRUE(!skin.near || skin.distance > -1e-9) << hairstyle_names[static_cast<std::size_t>(style)];
    }
  }
}

TEST(Groom, GrowsOnAFlatOpenMesh) {
  Surface flat;
  flat.positions = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
  flat.triangles = {{0, 2, 1}, {0, 3, 2}};
  flat.vertices.resize(4);
  const Scalp scalp(flat, {}, "flat");
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::curly, Hairstyle::afro}) {
    const Curves groom = generate_groom(scalp, small_params(style, 30));
    for (const Vec3d& p : groom.positions)
      EXPECT_TRUE(is_finite(p) && (p.y > -1e-9 || std::max(std::abs(p.x), std::abs(p.z)) > 1));
  }
}

TEST(Groom, GrowsOnMinuteAndOnHugeMeshes) {
  for (const double size : {1e-4, 1e5}) {
    Surface head = head_scalp().surface();
    for (Vec3d& p : head.positions) p *= size;
    const Scalp scalp(head, {}, "head");
    for (const Hairstyle style : {Hairstyle::straight, Hairstyle::afro}) {
      const Curves groom = generate_groom(scalp, small_params(style, 4));
      for (const Vec3d& p : groom.positions) EXPECT_TRUE(is_finite(p));
    }
  }
}

TEST(Groom, RefusesParametersOutOfRange) {
  const auto refused = [](auto change) {
    GroomParams params = small_params(Hairstyle::straight);
    change(params);
    EXPECT_THROW(generate_groom(head_scalp(), params), Error);
  };
  refused([](GroomParams& p) { p.strands = 0; });
  refused([](GroomParams& p) { p.vertices = 1; });
  refused([](GroomParams& p) { p.strands = 10'000'000, p.vertices = 10'000; });
  refused([](GroomParams& p) { p.length = 0; });
  refused([](GroomParams& p) { p.length = std::nan(""); });
  refused([](GroomParams& p) { p.curl_radius = -1; });
  refused([](GroomParams& p) { p.curl_pitch = 0; });
  refused([](GroomParams& p) { p.noise = 2; });
  refused([](GroomParams& p) { p.radius = 0; });
  EXPECT_THROW(hairstyle_of("mohawk"), Error);
}

}  // namespace
}  // namespace ymir
