#include "format_samples.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/formats/hair.h"
#include "ymir/cache/formats/obj.h"
#include "ymir/cache/formats/ply.h"
#include "ymir/cache/formats/usc_data.h"
#include "ymir/cache/formats/usda.h"
#include "ymir/cache/formats/vdb.h"

namespace ymir {
namespace {

using namespace format_samples;

template <class T>
T value(const FileSummary& summary, std::string_view key) {
  for (const auto& [name, v] : summary.values)
    if (name == key) return std::get<T>(v);
  ADD_FAILURE() << "no value " << key;
  return T();
}

TEST(DescribeFile, MeasuresStrands) {
  const TestFolder folder;
  Curves curves;
  curves.positions = {{0, 0, 0}, {0, 2, 0}, {5, 5, 5}, {0, 0, 0}, {3, 0, 0}, {3, 0, 1}};
  curves.first = {0, 2, 3, 6};
  curves.vertices.resize(6);
  write_usc_data(folder / "a.data", curves);
  write_hair(folder / "a.hair", curves);
  for (const char* name : {"a.data", "a.hair"}) {
    const FileSummary summary = describe_file(folder / name);
    EXPECT_EQ(summary.format, std::string_view(name).substr(2));
    EXPECT_EQ(value<std::int64_t>(summary, "strands"), 3);
    EXPECT_EQ(value<std::int64_t>(summary, "vertices"), 6);
    EXPECT_EQ(value<std::int64_t>(summary, "fewest vertices per strand"), 1);
    EXPECT_EQ(value<std::int64_t>(summary, "most vertices per strand"), 3);
    EXPECT_EQ(value<std::int64_t>(summary, "strands of one vertex (roots without hair)"), 1);
    EXPECT_EQ(value<double>(summary, "shortest strand"), 2);
    EXPECT_EQ(value<double>(summary, "mean strand"), 3);
    EXPECT_EQ(value<double>(summary, "longest strand"), 4);
    EXPECT_EQ(summary.bounds->high, (Vec3d{5, 5, 5}));
  }
}

TEST(DescribeFile, TellsClosedFromOpenMeshes) {
  const TestFolder folder;
  Surface surface = sample_tetrahedron();
  write_obj(folder / "closed.obj", surface);
  surface.triangles.pop_back();
  surface.faces.resize(3);
  write_ply(folder / "open.ply", surface);
  EXPECT_TRUE(value<bool>(describe_file(folder / "closed.obj"), "closed"));
  const FileSummary open = describe_file(folder / "open.ply");
  EXPECT_FALSE(value<bool>(open, "closed"));
  EXPECT_EQ(value<std::int64_t>(open, "triangles"), 3);
}

TEST(DescribeFile, ListsChannelsOfPoints) {
  const TestFolder folder;
  write_ply(folder / "a.ply", sample_points());
  const FileSummary summary = describe_file(folder / "a.ply");
  EXPECT_EQ(value<std::string>(summary, "vertex channel velocity"), "f32x3");
  EXPECT_EQ(value<std::string>(summary, "vertex channel id"), "u64");
  EXPECT_EQ(value<std::string>(summary, "encoding"), "binary_little_endian");
}

TEST(ReadCurves, TakesStrandsAndPaintedChannelsFromPly) {
  const TestFolder folder;
  Points points;
  points.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}};
  points.vertices.resize(5);
  const std::vector<std::int32_t> strand{4, 4, 7, 7, 7};
  const std::vector<float> bend{1, 2, 3, 4, 5};
  points.vertices.set("strand", Array::of(strand));
  points.vertices.set("bend", Array::of(bend));
  write_ply(folder / "painted.ply", points);
  const Curves curves = read_curves(folder / "painted.ply");
  EXPECT_EQ(curves.first, (std::vector<std::int64_t>{0, 2, 5}));
  EXPECT_EQ(curves.positions, points.positions);
  ASSERT_TRUE(curves.vertices.has("bend"));
  EXPECT_EQ(curves.vertices.get<float>("bend")[3], 4);

  Points loose;
  loose.positions = {{0, 0, 0}};
  loose.vertices.resize(1);
  write_ply(folder / "loose.ply", loose);
  EXPECT_THROW(read_curves(folder / "loose.ply"), Error);
}

TEST(DescribeFile, NamesThePrimsOfUsda) {
  const TestFolder folder;
  UsdaWriter usda(folder / "a.usda", 30);
  usda.begin_frame(3);
  usda.add("hair", sample_curves());
  usda.finish();
  const FileSummary summary = describe_file(folder / "a.usda");
  EXPECT_EQ(value<std::string>(summary, "timeCodesPerSecond"), "30");
  EXPECT_EQ(value<std::string>(summary, "prim \"hair\""), "BasisCurves");
}

TEST(DescribeFile, DescribesVdbGrids) {
  if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TestFolder folder;
  VolumeGrid grid;
  grid.name = "density";
  grid.voxel = 0.5;
  grid.blocks = {{0, 0, 0}};
  grid.values.assign(512, 2);
  VolumeGrid odd = grid;
  odd.name = "odd\x1b\xff";
  write_vdb(folder / "a.vdb", {{grid, odd}, {{"sparks", sample_points()}}, {}});
  const FileSummary summary = describe_file(folder / "a.vdb");
  EXPECT_EQ(value<double>(summary, "grid density voxel"), 0.5);
  EXPECT_EQ(value<double>(summary, "grid density greatest value"), 2);
  EXPECT_EQ(value<double>(summary, "grid odd?? voxel"), 0.5) << "names are made fit for terminals and JSON";
  EXPECT_EQ(value<std::int64_t>(summary, "grid sparks points"), 3);
  EXPECT_EQ(value<std::string>(summary, "grid sparks vertex channel id"), "u64");
  EXPECT_NEAR(summary.bounds->low.y, -2, 1e-5) << "of the lowest point";
  EXPECT_EQ(summary.bounds->high.x, 3.75);
}

TEST(DescribeFile, TrustsTheFirstBytesBeforeTheExtension) {
  const TestFolder folder;
  write_ply(folder / "a.obj", sample_points());
  EXPECT_EQ(describe_file(folder / "a.obj").format, "ply");
  EXPECT_EQ(read_points(folder / "a.obj").positions.size(), 3u);
}

TEST(DescribeFile, RefusesUnknownFilesAndWrongKinds) {
  const TestFolder folder;
  write_file(folder / "a.txt", "hello");
  expect_refusal([&] { describe_file(folder / "a.txt"); }, {"a.txt", "no known format", ".hair"});
  expect_refusal([&] { describe_file(folder / "none.txt"); }, {"none.txt", "No such file"});
  expect_refusal([&] { describe_file(folder.path()); }, {"folder"});
  write_ply(folder / "a.ply", sample_points());
  expect_refusal([&] { read_curves(folder / "a.ply"); }, {"a.ply", "no curves"});
  write_hair(folder / "a.hair", sample_curves());
  expect_refusal([&] { read_surface(folder / "a.hair"); }, {"a.hair", "no surface"});
  EXPECT_EQ(read_curves(folder / "a.hair").strand_count(), 3u);
  EXPECT_EQ(read_points(folder / "a.hair").positions.size(), 6u);
}

TEST(DescribeFile, DescribesRealGrooms) {
  if (!std::filesystem::exists(groom("straight.hair"))) GTEST_SKIP() << "no grooms";
  const FileSummary straight = describe_file(groom("straight.hair"));
  EXPECT_EQ(value<std::int64_t>(straight, "strands"), 10'000);
  EXPECT_EQ(value<std::int64_t>(straight, "most vertices per strand"), 16);
  const FileSummary longo = describe_file(groom("harolongo.data"));
  EXPECT_EQ(value<std::int64_t>(longo, "strands"), 7'905);
  EXPECT_GT(value<double>(longo, "shortest strand"), 0);
}

}  // namespace
}  // namespace ymir
