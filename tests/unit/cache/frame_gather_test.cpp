// Runs on one rank under ctest, and as `mpirun -n 3 test_cache --gtest_filter='Gather*'` on several.
#include "ymir/cache/gather.h"

#include <gtest/gtest.h>

#include "frame_samples.h"
#include "ymir/base/check.h"

namespace ymir {
namespace {

// Rank r holds r + 1 points with ids 10 r, 10 r + 1, ...; r strands of two vertices; r triangles on 3 r vertices.
Frame part_of(int rank) {
  Frame frame{.number = 5, .time = 0.25, .hash = 9, .attributes = {{"a", 1.5}}, .objects = {}};
  ObjectState points{.name = "P", .kind = "points", .channels = {}, .attributes = {}};
  std::vector<std::uint64_t> id;
  for (int i = 0; i <= rank; ++i) id.push_back(static_cast<std::uint64_t>(10 * rank + i));
  points.channels["id"] = {Place::particle, Array::of(id)};
  points.channels["@shared"] = {Place::object, Array::of(std::vector<double>{1, 2})};
  frame.objects.push_back(points);

  ObjectState curves{.name = "C", .kind = "curves", .channels = {}, .attributes = {}};
  std::vector<std::int64_t> first{0};
  std::vector<Vec3f> position;
  for (int s = 0; s < rank; ++s) {
    position.resize(position.size() + 2, Vec3f(static_cast<float>(rank), static_cast<float>(s), 0));
    first.push_back(static_cast<std::int64_t>(position.size()));
  }
  curves.channels["first"] = {Place::object, Array::of(first)};
  curves.channels["position"] = {Place::vertex, Array::of(position)};
  frame.objects.push_back(curves);

  ObjectState surface{.name = "S", .kind = "surface", .channels = {}, .attributes = {}};
  std::vector<Vec3i> triangles;
  for (int t = 0; t < rank; ++t) triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  surface.channels["triangles"] = {Place::face, Array::of(triangles)};
  surface.channels["position"] = {Place::vertex, Array(ScalarType::f32, 3, static_cast<std::size_t>(3 * rank))};
  frame.objects.push_back(surface);
  return frame;
}

template <class T>
std::vector<T> values(const Frame& frame, std::size_t object, const char* channel) {
  const auto span = frame.objects.at(object).channels.at(channel).as<T>();
  return {span.begin(), span.end()};
}

TEST(Gather, JoinsChannelsInRankOrderAndShiftsIndices) {
  const Frame whole = join_frames({part_of(0), part_of(1), part_of(2)});
  EXPECT_EQ(values<std::uint64_t>(whole, 0, "id"), (std::vector<std::uint64_t>{0, 10, 11, 20, 21, 22}));
  EXPECT_EQ(values<double>(whole, 0, "@shared"), (std::vector<double>{1, 2}));
  EXPECT_EQ(values<std::int64_t>(whole, 1, "first"), (std::vector<std::int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(whole.objects[1].channels.at("position").count(), 6u);
  const auto triangles = values<Vec3i>(whole, 2, "triangles");
  ASSERT_EQ(triangles.size(), 3u);
  EXPECT_EQ(triangles[2], Vec3i(6, 7, 8));
  EXPECT_EQ(whole.number, 5);
  EXPECT_EQ(whole.attributes.size(), 1u);
}

TEST(Gather, JoinsCurvesOfRanksThatHoldNone) {
  Frame none = part_of(0);
  none.objects[1].channels["first"] = {Place::object, Array(ScalarType::i64, 1, 0)};  // not even the leading 0
  EXPECT_EQ(values<std::int64_t>(join_frames({none, part_of(1), none, part_of(2)}), 1, "first"),
            (std::vector<std::int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(values<std::int64_t>(join_frames({part_of(1), part_of(0)}), 1, "first"), (std::vector<std::int64_t>{0, 2}));
}

TEST(Gather, RefusesRanksWithDifferentChannels) {
  Frame other = part_of(1);
  other.objects[0].channels["extra"] = {Place::particle, Array(ScalarType::f32, 1, 0)};
  EXPECT_THROW(join_frames({part_of(0), other}), CheckFailed);
  other = part_of(1);
  other.objects[0].channels["id"] = {Place::particle, Array(ScalarType::i64, 1, 2)};
  EXPECT_THROW(join_frames({part_of(0), other}), CheckFailed);
}

TEST(Gather, BringsEveryRanksPartToTheRoot) {
  Communicator& world = Communicator::world();
  const Frame gathered = gather_frame(part_of(world.rank()), world);
  if (!world.root()) {
    EXPECT_TRUE(gathered.objects.empty());
    return;
  }
  std::vector<Frame> parts;
  for (int r = 0; r < world.size(); ++r) parts.push_back(part_of(r));
  expect_same(gathered, join_frames(std::move(parts)));
}

}  // namespace
}  // namespace ymir
