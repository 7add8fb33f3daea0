#include "ymir/data/strand_system.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ymir {
namespace {

struct StrandSystemTest : testing::Test {
  Communicator alone;
  GridDomain domain{1.0, 1, alone};
  StrandSystem system{domain};
  int position = system.add_vector("position", StrandSystem::Kind::state);
  int radius = system.add_channel("radius", StrandSystem::Kind::constant);

  // Values that name their strand, channel and vertex.
  Strand make(std::int64_t id, int vertices) const {
    Strand s = system.make_strand(id, vertices);
    for (int c = 0; c < system.channel_count(); ++c)
      for (std::size_t i = 0; i < s.channel(c).size(); ++i)
        s.channel(c)[i] = static_cast<double>(id) + 0.1 * c + 0.001 * static_cast<double>(i);
    return s;
  }
  std::vector<Strand> strands() const {
    return {make(0, 3), make(1, 5), make(2, 3), make(3, 8), make(4, 5), make(5, 1)};
  }
};

TEST_F(StrandSystemTest, FindsChannelsByName) {
  EXPECT_EQ(system.find("position"), position);
  EXPECT_EQ(system.find("radius"), radius);
  EXPECT_EQ(system.find("mass"), -1);
  EXPECT_EQ(system.channel_count(), 4);
}

TEST_F(StrandSystemTest, PacksStrandsByLengthThenId) {
  system.assign(strands());
  ASSERT_EQ(system.group_count(), 2);
  EXPECT_EQ(system.group(0).vertices, 8);
  EXPECT_EQ(system.group(0).id, (std::array<std::int64_t, 4>{3, 1, 4, 0}));
  EXPECT_EQ(system.group(0).count, (std::array<int, 4>{8, 5, 5, 3}));
  EXPECT_EQ(system.group(1).id, (std::array<std::int64_t, 4>{2, 5, -1, -1}));
  EXPECT_EQ(system.group(1).vertices, 3);
  EXPECT_EQ(system.strand_count(), 6);
  EXPECT_EQ(system.vertex_count(), 25);
}

TEST_F(StrandSystemTest, GivesBackWhatItWasGiven) {
  const auto given = strands();
  system.assign(given);
  const auto got = system.copy_all();
  ASSERT_EQ(got.size(), given.size());
  for (std::size_t s = 0; s < got.size(); ++s) {
    EXPECT_EQ(got[s].id, given[s].id);
    EXPECT_EQ(got[s].values, given[s].values);
  }
  EXPECT_EQ(system.at(0, radius, 4, 1), given[1].channel(radius)[4]);
  EXPECT_EQ(system.plane(0, radius)[4][1], given[1].channel(radius)[4]);
}

TEST_F(StrandSystemTest, IsEmptyAfterAllWereTaken) {
  system.assign(strands());
  EXPECT_EQ(system.take_all().size(), 6u);
  EXPECT_EQ(system.group_count(), 0);
  EXPECT_EQ(system.strand_count(), 0);
  EXPECT_EQ(system.vertex_count(), 0);
}

TEST_F(StrandSystemTest, RollsStateBackAndLeavesConstants) {
  system.assign(strands());
  system.save();
  const double x = system.at(0, position + 1, 2, 0);
  system.at(0, position + 1, 2, 0) = 99;
  system.at(0, radius, 2, 0) = 77;
  EXPECT_EQ(system.saved(0, position + 1)[2][0], x);
  system.rollback();
  EXPECT_EQ(system.at(0, position + 1, 2, 0), x);
  EXPECT_EQ(system.at(0, radius, 2, 0), 77);
}

TEST_F(StrandSystemTest, RollsOneGroupBackAlone) {
  system.assign(strands());
  system.save();
  system.at(0, position, 0, 0) = 99;
  system.at(1, position, 0, 0) = 98;
  system.rollback(1);
  EXPECT_EQ(system.at(0, position, 0, 0), 99);
  EXPECT_NE(system.at(1, position, 0, 0), 98);
}

TEST_F(StrandSystemTest, HashesContentsWhateverTheOrderOfArrival) {
  system.assign(strands());
  const auto hash = system.hash();
  auto reversed = strands();
  std::reverse(reversed.begin(), reversed.end());
  system.assign(reversed);
  EXPECT_EQ(system.hash(), hash);
  system.at(0, position, 0, 0) += 1e-15;
  EXPECT_NE(system.hash(), hash);
}

TEST_F(StrandSystemTest, NamesAChannelThatIsNotFinite) {
  system.assign(strands());
  EXPECT_EQ(system.non_finite_channel(), nullptr);
  system.at(1, position, 0, 1) = std::nan("");
  ASSERT_NE(system.non_finite_channel(), nullptr);
  EXPECT_EQ(*system.non_finite_channel(), "position");
}

TEST_F(StrandSystemTest, KeepsItsStrandsWhenThereIsOneRank) {
  system.assign(strands());
  const auto hash = system.hash();
  system.migrate();
  EXPECT_EQ(system.strand_count(), 6);
  EXPECT_EQ(system.hash(), hash);
}

TEST_F(StrandSystemTest, PutsAStrandIntoTheBucketOfItsHome) {
  Strand s = make(0, 2);
  s.home = {2.7, -1.2, 0.5};
  system.assign({s});
  EXPECT_EQ(system.bucket_of(0, 0), key_of(domain.bucket_of({2.7, -1.2, 0.5})));
  system.migrate();
  EXPECT_EQ(system.strand(0, 0).home, (Vec3d{2.7, -1.2, 0.5}));
}

TEST_F(StrandSystemTest, RollsOneStrandBackAlone) {
  system.assign(strands());
  system.save();
  const double x = system.at(0, position, 2, 1);
  system.at(0, position, 2, 1) = 99;
  system.at(0, position, 2, 2) = 98;
  system.rollback(0, 1);
  EXPECT_EQ(system.at(0, position, 2, 1), x);
  EXPECT_EQ(system.at(0, position, 2, 2), 98);
}

}  // namespace
}  // namespace ymir
