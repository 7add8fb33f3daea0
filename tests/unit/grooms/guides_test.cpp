#include "ymir/grooms/guides.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "groom_samples.h"
#include "ymir/base/error.h"
#include "ymir/grooms/strand_signature.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

TEST(Guides, AreCompleteStrandsOfTheGroom) {
  Curves groom = generate_groom(head_scalp(), small_params(Hairstyle::straight, 200));
  const auto number = groom.strands.add<std::int32_t>("number");
  for (std::size_t s = 0; s < number.size(); ++s) number[s] = static_cast<std::int32_t>(s);
  const auto edge = groom.edges.add<std::int32_t>("edge");
  for (std::size_t e = 0; e < edge.size(); ++e) edge[e] = static_cast<std::int32_t>(e);
  const GuideSelection selection = select_guides(groom, 20, "groom");
  ASSERT_EQ(selection.strands.size(), 20u);
  EXPECT_TRUE(std::adjacent_find(selection.strands.begin(), selection.strands.end()) == selection.strands.end());
  const Curves guides = strands_of(groom, selection.strands);
  for (std::size_t g = 0; g < 20; ++g) {
    const auto s = static_cast<std::size_t>(selection.strands[g]);
    ASSERT_EQ(guides.first[g + 1] - guides.first[g], groom.first[s + 1] - groom.first[s]);
    for (std::int64_t v = 0; v < guides.first[g + 1] - guides.first[g]; ++v)
      EXPECT_EQ(guides.positions[static_cast<std::size_t>(guides.first[g] + v)],
                groom.positions[static_cast<std::size_t>(groom.first[s] + v)]);
    EXPECT_EQ(guides.strands.get<std::int32_t>("number")[g], selection.strands[g]);
    EXPECT_EQ(guides.edges.get<std::int32_t>("edge")[static_cast<std::size_t>(guides.first[g]) - g],
              groom.first[s] - selection.strands[g]);
  }
}

TEST(Guides, AreTheSameForAnyThreadCountAndCoverBetterWithMore) {
  const Curves groom = generate_groom(head_scalp(), small_params(Hairstyle::wavy, 300));
  set_threads(1);
  const GuideSelection one = select_guides(groom, 15, "groom");
  set_threads(2);
  const GuideSelection two = select_guides(groom, 15, "groom");
  set_threads(0);
  EXPECT_EQ(one.strands, two.strands);
  EXPECT_EQ(one.mean_distance, two.mean_distance);
  const GuideSelection more = select_guides(groom, 60, "groom");
  EXPECT_LT(more.mean_distance, 0.75 * one.mean_distance);
  EXPECT_LE(more.mean_distance, more.max_distance);
  EXPECT_EQ(select_guides(groom, 300, "groom").max_distance, 0);
}

TEST(Guides, CoverBetterThanAnEvenSpreadOfRoots) {
  // The first strands of a generated groom are evenly spread by root, but blind to shape.
  const Curves groom = generate_groom(head_scalp(), small_params(Hairstyle::long_hair, 400));
  const auto signature = [&](std::size_t s) {
    return signature_of({&groom.positions[static_cast<std::size_t>(groom.first[s])],
                         static_cast<std::size_t>(groom.first[s + 1] - groom.first[s])});
  };
  double even = 0;
  for (std::size_t s = 0; s < groom.strand_count(); ++s) {
    double nearest = 1;
    for (std::size_t g = 0; g < 20; ++g) nearest = std::min(nearest, distance2(signature(g), signature(s)));
    even += std::sqrt(nearest) / static_cast<double>(groom.strand_count());
  }
  EXPECT_LT(select_guides(groom, 20, "groom").mean_distance, 0.95 * even);
}

TEST(Guides, SkipStrandsWithoutLengthAndRefuseTooMany) {
  const Curves groom =
      curves_from({{{0, 0, 0}}, {{0, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {1, 0, 0}}, {{2, 0, 0}, {2, 1, 0}}});
  EXPECT_EQ(select_guides(groom, 2, "groom").strands, (std::vector<std::int64_t>{1, 3}));
  EXPECT_THROW(select_guides(groom, 3, "groom"), Error);
  EXPECT_THROW(select_guides(groom, 0, "groom"), Error);
}

TEST(Guides, ChooseDistinctStrandsAmongCopies) {
  const std::vector<Vec3d> strand{{0, 0, 0}, {0, 1, 0}};
  const GuideSelection selection = select_guides(curves_from({strand, strand, strand}), 3, "groom");
  EXPECT_EQ(selection.strands, (std::vector<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace ymir
