#include <limits>

#include "format_samples.h"
#include "ymir/cache/formats/usda.h"

namespace ymir {
namespace {

using namespace format_samples;

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The text of `declaration.timeSamples = { ... }`.
std::string samples(const std::string& text, const std::string& declaration) {
  const auto begin = text.find(declaration + ".timeSamples = {");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('}', begin) - begin);
}

TEST(UsdaExport, WritesStageMetadataAndSamplesOfEveryKind) {
  const TestFolder folder;
  UsdaWriter usda(folder / "a.usda", 24);
  for (int frame = 1; frame <= 2; ++frame) {
    usda.begin_frame(frame);
    Points points = sample_points();
    points.positions[0].x = frame;
    usda.add("Group/sparks", points);
    usda.add("1 hair", sample_curves());
    usda.add("mesh", sample_tetrahedron());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a.usda"));
  usda.finish();
  EXPECT_EQ(files_in(folder), 1u);
  const std::string text = read_text(folder / "a.usda");
  EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
  for (const char* part :
       {"metersPerUnit = 1\n", "upAxis = \"Y\"", "timeCodesPerSecond = 24", "startTimeCode = 1\n", "endTimeCode = 2\n",
        "def Points \"Group_sparks\"", "def BasisCurves \"_1_hair\"", "def Mesh \"mesh\"", "\"Group/sparks\"",
        "uniform token type = \"linear\"", "interpolation = \"vertex\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(samples(text, "float[] widths"),
            "float[] widths.timeSamples = {\n            1: [0.2, 0.4, 0.6],\n        ");
  EXPECT_NE(samples(text, "int64[] ids").find("1: [7, 0, 4000000000]"), std::string::npos);
  EXPECT_NE(samples(text, "vector3f[] velocities").find("(1, 2, 3)"), std::string::npos);
  EXPECT_NE(samples(text, "int[] curveVertexCounts").find("1: [3, 1, 2]"), std::string::npos);
  EXPECT_NE(samples(text, "int[] faceVertexIndices").find("1: [0, 2, 1, 0, 1, 3"), std::string::npos);
  EXPECT_EQ(occurrences(text, "point3f[] points.timeSamples"), 3u);
  EXPECT_NE(text.find("2: [(2, 0, 0)"), std::string::npos);
  EXPECT_EQ(occurrences(text, "{"), occurrences(text, "}"));
}

TEST(UsdaExport, HoldsAValueUntilItChanges) {
  const TestFolder folder;
  UsdaWriter usda(folder / "a.usda", 24);
  Points points;
  points.positions = {{0, 0, 0}};
  points.vertices.resize(1);
  for (int frame = 1; frame <= 5; ++frame) {
    usda.begin_frame(frame);
    if (frame == 4) points.positions[0].x = 1;
    usda.add("p", points);
  }
  usda.finish();
  // USD interpolates: without the sample at 3 the point would drift from 1 to 4.
  EXPECT_EQ(samples(read_text(folder / "a.usda"), "point3f[] points"),
            "point3f[] points.timeSamples = {\n            1: [(0, 0, 0)],\n            3: [(0, 0, 0)],\n"
            "            4: [(1, 0, 0)],\n        ");
}

TEST(UsdaExport, EmptiesObjectsInFramesWithoutThem) {
  const TestFolder folder;
  UsdaWriter usda(folder / "a.usda", 24);
  Points points;
  points.positions = {{0, 0, 0}};
  points.vertices.resize(1);
  for (int frame = 1; frame <= 6; ++frame) {
    usda.begin_frame(frame);
    if (frame == 2 || frame == 5) usda.add("p", points);
  }
  usda.finish();
  EXPECT_EQ(samples(read_text(folder / "a.usda"), "point3f[] points"),
            "point3f[] points.timeSamples = {\n            1: [],\n            2: [(0, 0, 0)],\n            3: [],\n"
            "            5: [(0, 0, 0)],\n            6: [],\n        ");
}

TEST(UsdaExport, TakesFramesOfACache) {
  const TestFolder folder;
  Frame frame;
  frame.number = 7;
  ObjectState object{"a\"b", "points", {}, {}};
  const std::vector<Vec3f> position{{1, 2, 3}};
  object.channels["position"] = {Place::particle, Array::of(position)};
  frame.objects = {object};
  UsdaWriter usda(folder / "a.usda", 24);
  usda.add_frame(frame);
  usda.finish();
  const std::string text = read_text(folder / "a.usda");
  EXPECT_NE(text.find("7: [(1, 2, 3)]"), std::string::npos);
  EXPECT_NE(text.find("ymir:name = \"a\\\"b\""), std::string::npos);

  object.kind = "surface";
  frame.objects = {object};
  UsdaWriter broken(folder / "b.usda", 24);
  expect_refusal([&] { broken.add_frame(frame); }, {"triangles"});
}

TEST(UsdaExport, LeavesNothingBehindWhenAValueIsNotFinite) {
  const TestFolder folder;
  {
    UsdaWriter usda(folder / "a.usda", 24);
    usda.begin_frame(1);
    Points points = sample_points();
    const std::vector<float> radius{1, std::numeric_limits<float>::quiet_NaN(), 1};
    points.vertices.set("radius", Array::of(radius));
    expect_refusal([&] { usda.add("p", points); }, {"a.usda", "radius of vertex 1 in frame 1"}, ExitCode::numerical);
  }
  EXPECT_EQ(files_in(folder), 0u);
}

// Two strands; the second vertex goes up with the frame.
Frame strand_frame(std::int64_t number) {
  Frame frame;
  frame.number = number;
  ObjectState object{"Hair/hairs", "curves", {}, {}};
  const auto up = static_cast<float>(number);
  object.channels["position"] = {Place::vertex,
                                 Array::of(std::vector<Vec3f>{{0, 0, 0}, {0, up, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}})};
  object.channels["velocity"] = {Place::vertex, Array::of(std::vector<Vec3f>(5, {0, 24, 0}))};
  object.channels["radius"] = {Place::vertex, Array::of(std::vector<float>(5, 0.5f))};
  object.channels["first"] = {Place::object, Array::of(std::vector<std::int64_t>{0, 2, 5})};
  object.channels["strand"] = {Place::strand, Array::of(std::vector<std::int64_t>{0, 1})};
  Array uv(ScalarType::f32, 2, 2);
  const float values[] = {0.25f, 0.5f, 0.75f, 1};
  std::copy_n(reinterpret_cast<const std::byte*>(values), sizeof values, uv.bytes().begin());
  object.channels["root_uv"] = {Place::strand, uv};
  frame.objects = {object};
  return frame;
}

TEST(UsdaExport, HasRestPositionsRootCoordinatesAndASampleAtTimeZero) {
  const TestFolder folder;
  UsdaWriter usda(folder / "a.usda", 25);
  usda.add_initial(strand_frame(0));
  usda.add_frame(strand_frame(1));
  usda.add_frame(strand_frame(2));
  usda.finish();
  const std::string text = read_text(folder / "a.usda");
  for (const char* part : {"startTimeCode = 1\n", "endTimeCode = 2\n", "framesPerSecond = 25\n",
                           "point3f[] primvars:rest = [(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 2, 0)] (\n"
                           "            interpolation = \"vertex\"",
                           "texCoord2f[] primvars:st = [(0.25, 0.5), (0.75, 1)] (\n"
                           "            interpolation = \"uniform\"",
                           "int64[] primvars:id (\n            interpolation = \"uniform\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_NE(samples(text, "point3f[] points").find("0: [(0, 0, 0), (0, 0, 0)"), std::string::npos);
  EXPECT_NE(samples(text, "point3f[] points").find("2: [(0, 0, 0), (0, 2, 0)"), std::string::npos);
  EXPECT_NE(samples(text, "vector3f[] velocities").find("(0, 24, 0)"), std::string::npos);
  EXPECT_EQ(occurrences(text, "{"), occurrences(text, "}"));
}

TEST(UsdaExport, RefersToVolumesOverTime) {
  const TestFolder folder;
  UsdaWriter usda(folder / "shot.usda", 24);
  for (int frame = 1; frame <= 2; ++frame) {
    usda.begin_frame(frame);
    usda.add_volume("Smoke/gas", {"density", "velocity"}, "shot.Smoke_gas.000" + std::to_string(frame) + ".vdb");
  }
  usda.finish();
  const std::string text = read_text(folder / "shot.usda");
  for (const char* part :
       {"def Volume \"Smoke_gas\"", "rel field:density = </World/Smoke_gas/density>", "def OpenVDBAsset \"velocity\"",
        "token fieldName = \"density\"", "1: @./shot.Smoke_gas.0001.vdb@", "2: @./shot.Smoke_gas.0002.vdb@"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(occurrences(text, "{"), occurrences(text, "}"));
}

TEST(UsdaExport, GathersALayerPerFrameAsValueClips) {
  const TestFolder folder;
  UsdaWriter usda(folder / "shot.usda", 24, UsdaWriter::Layers::per_frame);
  usda.add_initial(strand_frame(0));
  usda.add_frame(strand_frame(1));
  EXPECT_FALSE(std::filesystem::exists(folder / "shot.0001.usda"));  // complete when the next frame begins
  usda.add_frame(strand_frame(2));
  EXPECT_TRUE(std::filesystem::exists(folder / "shot.0001.usda"));
  usda.finish();
  EXPECT_EQ(files_in(folder), 5u);  // shot.usda, its manifest, three layers
  const std::string root = read_text(folder / "shot.usda");
  for (const char* part : {"asset[] assetPaths = [@./shot.0000.usda@, @./shot.0001.usda@, @./shot.0002.usda@]",
                           "double2[] active = [(0, 0), (1, 1), (2, 2)]", "double2[] times = [(0, 0), (1, 1), (2, 2)]",
                           "asset manifestAssetPath = @./shot.manifest.usda@", "string primPath = \"/World\"",
                           "def BasisCurves \"Hair_hairs\"", "primvars:rest = ["})
    EXPECT_NE(root.find(part), std::string::npos) << part;
  EXPECT_EQ(root.find("timeSamples"), std::string::npos);
  EXPECT_NE(read_text(folder / "shot.manifest.usda").find("point3f[] points\n"), std::string::npos);
  const std::string layer = read_text(folder / "shot.0002.usda");
  EXPECT_NE(samples(layer, "point3f[] points").find("2: [(0, 0, 0), (0, 2, 0)"), std::string::npos);
  EXPECT_NE(samples(layer, "int[] curveVertexCounts").find("2: [2, 3]"), std::string::npos);
  for (const std::string& text : {root, layer}) EXPECT_EQ(occurrences(text, "{"), occurrences(text, "}"));
}

}  // namespace
}  // namespace ymir
