#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "format_samples.h"
#include "ymir/base/random.h"
#include "ymir/cache/formats/frame_volumes.h"
#include "ymir/cache/formats/vdb.h"
#include "ymir/cache/formats/vdb_stream.h"

namespace ymir {
namespace {

using namespace format_samples;

VolumeGrid sample_volume(const std::string& name, int components) {
  VolumeGrid grid;
  grid.name = name;
  grid.components = components;
  grid.voxel = 0.125;
  grid.origin = {1, -2, 0.5};
  grid.background = {0.5f, 0.5f, 0.5f};
  grid.blocks = {{-3, 2, -1}, {0, 0, 0}, {1, 0, 0}, {0, 0, 600}};
  grid.values.resize(grid.blocks.size() * grid.values_per_block());
  for (std::size_t i = 0; i < grid.values.size(); ++i) grid.values[i] = static_cast<float>(i);
  if (components == 1) grid.background = {0.5f, 0, 0};
  return grid;
}

void expect_same(const VolumeGrid& a, const VolumeGrid& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.staggered, b.staggered);
  EXPECT_DOUBLE_EQ(a.voxel, b.voxel);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.background, b.background);
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_EQ(a.values, b.values);
}

TEST(VdbStream, CarriesContentsUnchanged) {
  VdbContents contents;
  contents.volumes = {sample_volume("density", 1), sample_volume("velocity", 3)};
  contents.points = {{"sparks", sample_points()}};
  contents.skipped = {"mask (bool)"};
  const VdbContents back = decode_vdb(encode_vdb(contents).bytes(), "a.vdb");
  ASSERT_EQ(back.volumes.size(), 2u);
  expect_same(back.volumes[0], contents.volumes[0]);
  expect_same(back.volumes[1], contents.volumes[1]);
  EXPECT_EQ(back.points[0].points.positions, sample_points().positions);
  format_samples::expect_same(back.points[0].points.vertices, sample_points().vertices);
  EXPECT_EQ(back.skipped, contents.skipped);
}

TEST(VdbStream, RefusesTruncationAtEveryByte) {
  VdbContents contents;
  contents.volumes = {sample_volume("density", 1)};
  contents.volumes[0].blocks.resize(1);
  contents.volumes[0].values.resize(512);
  contents.points = {{"sparks", sample_points()}};
  const ByteWriter whole = encode_vdb(contents);
  for (std::size_t size = 0; size < whole.bytes().size(); ++size)
    expect_refusal([&] { decode_vdb(whole.bytes().first(size), "a.vdb"); }, {"a.vdb: byte"});
}

TEST(VdbStream, NamesGridAndVoxelOfAValueThatIsNotFinite) {
  VdbContents contents;
  contents.volumes = {sample_volume("velocity", 3)};
  // Voxel (5, 2, 1) of block (1, 0, 0), component 2.
  contents.volumes[0].values[(2 * 512 + 64 + 2 * 8 + 5) * 3 + 2] = std::numeric_limits<float>::quiet_NaN();
  const ByteWriter bytes = encode_vdb(contents);
  expect_refusal([&] { decode_vdb(bytes.bytes(), "a.vdb"); }, {"a.vdb", "'velocity'", "voxel (13, 2, 1)"});
}

TEST(VdbStream, RefusesBlocksOutOfOrderAndPositionsThatAreNotFinite) {
  VdbContents contents;
  contents.volumes = {sample_volume("density", 1)};
  std::swap(contents.volumes[0].blocks[0], contents.volumes[0].blocks[1]);
  const ByteWriter unordered = encode_vdb(contents);
  expect_refusal([&] { decode_vdb(unordered.bytes(), "a.vdb"); }, {"'density'", "out of order"});
  contents = {};
  contents.points = {{"sparks", sample_points()}};
  contents.points[0].points.positions[2].z = std::numeric_limits<double>::infinity();
  const ByteWriter infinite = encode_vdb(contents);
  expect_refusal([&] { decode_vdb(infinite.bytes(), "a.vdb"); }, {"'sparks'", "point 2"});
}

TEST(VdbFormat, WithoutOpenVdbSaysSo) {
  if (has_openvdb()) GTEST_SKIP() << "this build has OpenVDB";
  expect_refusal([] { read_vdb("a.vdb"); }, {"a.vdb", "built without OpenVDB"});
  expect_refusal([] { write_vdb("a.vdb", {}); }, {"a.vdb", "built without OpenVDB"});
}

class VdbFile : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  }
  TestFolder folder;
};

TEST_F(VdbFile, WritesAndReadsBackVolumes) {
  VdbContents contents;
  contents.volumes = {sample_volume("density", 1), sample_volume("velocity", 3)};
  contents.volumes[1].staggered = true;
  write_vdb(folder / "a.vdb", contents);
  const VdbContents back = read_vdb(folder / "a.vdb");
  ASSERT_EQ(back.volumes.size(), 2u);
  expect_same(back.volumes[0], contents.volumes[0]);
  expect_same(back.volumes[1], contents.volumes[1]);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST_F(VdbFile, WritesAndReadsBackPoints) {
  VdbContents contents;
  contents.points = {{"sparks", sample_points()}};
  write_vdb(folder / "a.vdb", contents);
  const VdbContents back = read_vdb(folder / "a.vdb");
  ASSERT_EQ(back.points.size(), 1u);
  const Points& points = back.points[0].points;
  ASSERT_EQ(points.positions.size(), 3u);
  // Points come back in the order of their voxels; positions within a voxel are 32-bit.
  const Points sample = sample_points();
  const auto ids = points.vertices.get<std::uint64_t>("id");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto wanted = sample.vertices.get<std::uint64_t>("id");
    const auto at = static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), ids[i]) - wanted.begin());
    ASSERT_LT(at, 3u);
    EXPECT_LT(norm(points.positions[i] - sample.positions[at]), 1e-5);
    EXPECT_EQ(points.vertices.get<float>("radius")[i], sample.vertices.get<float>("radius")[at]);
    EXPECT_EQ(points.vertices.get<Vec3f>("velocity")[i], sample.vertices.get<Vec3f>("velocity")[at]);
    EXPECT_EQ(points.vertices.get<double>("weight")[i], sample.vertices.get<double>("weight")[at]);
  }
}

TEST_F(VdbFile, RefusesWhatIsNoVdb) {
  expect_refusal([&] { read_vdb(folder / "none.vdb"); }, {"none.vdb", "no such file"});
  expect_refusal([&] { read_vdb(folder.path()); }, {"not a regular file"});
  ASSERT_EQ(mkfifo((folder / "pipe.vdb").c_str(), 0600), 0);
  expect_refusal([&] { read_vdb(folder / "pipe.vdb"); }, {"not a regular file"});
  write_file(folder / "a.vdb", "hello, this is text");
  expect_refusal([&] { read_vdb(folder / "a.vdb"); }, {"a.vdb: byte 0", "mark of a VDB file"});
}

// Files made by OpenVDB itself (format_vdb_samples/make.cpp).
std::filesystem::path sample(const char* name) {
  return std::filesystem::path(YMIR_SOURCE_DIR) / "tests/unit/cache/format_vdb_samples" / name;
}

float value_at(const VolumeGrid& grid, Vec3i voxel) {
  const Vec3i block{voxel.x >> 3, voxel.y >> 3, voxel.z >> 3};
  const auto at = std::find(grid.blocks.begin(), grid.blocks.end(), block) - grid.blocks.begin();
  if (static_cast<std::size_t>(at) == grid.blocks.size()) return grid.background[0];
  const int local = (voxel.z & 7) * 64 + (voxel.y & 7) * 8 + (voxel.x & 7);
  return grid.values[static_cast<std::size_t>(at) * 512 + static_cast<std::size_t>(local)];
}

TEST_F(VdbFile, UnpacksConstantTiles) {
  const VolumeGrid grid = read_vdb(sample("tiles.vdb")).volumes.at(0);
  EXPECT_EQ(grid.voxel, 0.5);
  EXPECT_EQ(grid.blocks.size(), 1 + 16 * 16 * 16 + 1u);
  EXPECT_EQ(value_at(grid, {-5, 7, 16}), 3);
  EXPECT_EQ(value_at(grid, {255, 127, 64}), 4);
  EXPECT_EQ(value_at(grid, {-1, -1, -1}), 5);
  EXPECT_EQ(value_at(grid, {-1, -1, -2}), 0);
}

TEST_F(VdbFile, KeepsTheInsideOfALevelSet) {
  const VolumeGrid grid = read_vdb(sample("sphere.vdb")).volumes.at(0);
  EXPECT_EQ(grid.background[0], 3);
  EXPECT_EQ(value_at(grid, {20, 20, 20}), -3);
  EXPECT_NEAR(value_at(grid, {20, 33, 20}), -1, 1e-2);
  EXPECT_NEAR(value_at(grid, {20, 20, 5}), 1, 1e-2);
  EXPECT_EQ(value_at(grid, {20, 50, 20}), 3);
}

TEST_F(VdbFile, RefusesWhatHasNoPlaceInAUniformGrid) {
  expect_refusal([] { read_vdb(sample("rotated.vdb")); }, {"rotated.vdb", "'density'", "rotated"});
  expect_refusal([] { read_vdb(sample("huge_tile.vdb")); }, {"huge_tile.vdb", "'density'", "crop or coarsen"});
  expect_refusal([] { read_vdb(sample("nan.vdb")); }, {"nan.vdb", "'density'", "voxel (1, -2, 300)"});
  const VdbContents mask = read_vdb(sample("mask.vdb"));
  EXPECT_TRUE(mask.volumes.empty());
  EXPECT_EQ(mask.skipped, std::vector<std::string>{"inside (bool)"});
}

// sphere.vdb with one byte changed: OpenVDB allocates what memory happens to say.
TEST_F(VdbFile, RefusesAFileThatAsksForGigabytesTheSameWayEveryTime) {
  for (int i = 0; i < 6; ++i) expect_refusal([] { read_vdb(sample("bomb.vdb")); }, {"bomb.vdb", "needs more memory"});
}

TEST_F(VdbFile, SurvivesDamagedFiles) {
  VdbContents contents;
  contents.volumes = {sample_volume("density", 1)};
  contents.points = {{"sparks", sample_points()}};
  write_vdb(folder / "a.vdb", contents);
  const std::string whole = read_text(folder / "a.vdb");
  int refused = 0;
  for (std::uint64_t round = 0; round < 16; ++round) {
    Random random(1, round);
    std::string damaged = whole;
    if (round % 4 == 0) {
      damaged.resize(8 + static_cast<std::size_t>(random.uniform() * static_cast<double>(whole.size() - 8)));
    } else {
      for (int flips = 0; flips < 4; ++flips) {
        const auto at = 8 + static_cast<std::size_t>(random.uniform() * static_cast<double>(whole.size() - 8));
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random.bits() % 8)));
      }
    }
    write_file(folder / "b.vdb", damaged);
    try {
      read_vdb(folder / "b.vdb", {std::uint64_t{64} << 20, 20});
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find("b.vdb"), std::string_view::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GE(refused, 4) << "truncated files at least";
}

TEST_F(VdbFile, RefusesMoreVoxelsThanAllowed) {
  VdbContents contents;
  contents.volumes = {sample_volume("density", 1)};
  write_vdb(folder / "a.vdb", contents);
  expect_refusal([&] { read_vdb(folder / "a.vdb", {3 * 2048, 20}); }, {"a.vdb", "'density'", "crop or coarsen"});
}

// Two buckets of 16^3 voxels of 2 cm, smoke in a corner of each.
ObjectState gas_state() {
  ObjectState gas{"Smoke/gas", "volume", {}, {}};
  gas.attributes["bucket_size"] = 0.32;
  gas.channels["bucket"] = {Place::tile, Array::of(std::vector<Vec3i>{{1, 0, 0}, {-1, 0, 2}})};
  std::vector<float> density(2 * 4096);
  std::vector<Vec3f> velocity(2 * 4096);
  density[3] = 1.0f / 3;                          // voxel (3, 0, 0) of the first
  density[4096 + 15 * 256 + 15 * 16 + 15] = 0.5;  // the last of the second
  velocity[9] = {1, 2, 3};
  gas.channels["density"] = {Place::voxel, Array::of(density)};
  gas.channels["velocity"] = {Place::voxel, Array::of(velocity)};
  gas.attributes["density.resolution"] = std::int64_t{16};
  gas.attributes["velocity.resolution"] = std::int64_t{16};
  return gas;
}

TEST(FrameVolumes, AreSparseAndInPlace) {
  const std::vector<VolumeGrid> grids = volumes_of(gas_state());
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[0].name, "density");
  EXPECT_DOUBLE_EQ(grids[0].voxel, 0.02);
  EXPECT_EQ(grids[0].origin, Vec3d(0.01, 0.01, 0.01));
  EXPECT_EQ(grids[0].blocks, (std::vector<Vec3i>{{2, 0, 0}, {-1, 1, 5}}));
  EXPECT_EQ(grids[0].values[3], 1.0f / 3);
  EXPECT_EQ(grids[0].values[512 + 511], 0.5f);
  EXPECT_EQ(grids[1].blocks, (std::vector<Vec3i>{{3, 0, 0}}));
  EXPECT_EQ(grids[1].values[3], 1.0f);
  EXPECT_EQ(grids[1].values[5], 3.0f);
  ObjectState broken = gas_state();
  broken.channels["density"].resize(4095);
  expect_refusal([&] { volumes_of(broken); }, {"Smoke/gas", "density"});
  broken = gas_state();
  broken.channels["density"].as<float>()[3] = std::numeric_limits<float>::infinity();
  expect_refusal([&] { volumes_of(broken); }, {"Smoke/gas", "density", "not finite"});
}

TEST_F(VdbFile, GasComesBackInFullAndHalfPrecision) {
  VdbContents contents;
  contents.volumes = volumes_of(gas_state());
  write_vdb(folder / "full.vdb", contents);
  contents.half = true;
  write_vdb(folder / "half.vdb", contents);
  const VdbContents full = read_vdb(folder / "full.vdb"), half = read_vdb(folder / "half.vdb");
  ASSERT_EQ(full.volumes.size(), 2u);
  ASSERT_EQ(half.volumes.size(), 2u);
  for (std::size_t g = 0; g < 2; ++g) {
    expect_same(full.volumes[g], contents.volumes[g]);
    ASSERT_EQ(half.volumes[g].blocks, contents.volumes[g].blocks);
    for (std::size_t i = 0; i < contents.volumes[g].values.size(); ++i)
      EXPECT_NEAR(half.volumes[g].values[i], contents.volumes[g].values[i], 5e-4 * contents.volumes[g].values[i]);
  }
  EXPECT_NE(half.volumes[0].values[3], contents.volumes[0].values[3]);  // a third is no half-precision number
}

}  // namespace
}  // namespace ymir
