#include <limits>

#include "format_samples.h"
#include "ymir/cache/formats/ply.h"

namespace ymir {
namespace {

using namespace format_samples;

const PlyEncoding encodings[] = {PlyEncoding::ascii, PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian};

std::string ascii(const std::string& elements, const std::string& data) {
  return "ply\nformat ascii 1.0\ncomment by hand\n" + elements + "end_header\n" + data;
}
const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
const std::string triangle_header =
    "element vertex 3\n" + xyz + "element face 1\nproperty list uchar int vertex_indices\n";
const std::string triangle_vertices = "0 0 0\n1 0 0\n0 1 0\n";

auto reading(std::string text) {
  return [text] { read_ply(bytes_of(text), "a.ply"); };
}
auto reading_points(std::string text) {
  return [text] { read_ply_points(bytes_of(text), "a.ply"); };
}

TEST(PlyFormat, WritesAndReadsBackPointsInEveryEncoding) {
  const TestFolder folder;
  const Points points = sample_points();
  for (const PlyEncoding encoding : encodings) {
    write_ply(folder / "a.ply", points, encoding);
    const Points back = read_ply_points(folder / "a.ply");
    EXPECT_EQ(back.positions, points.positions);
    expect_same(points.vertices, back.vertices);
  }
}

TEST(PlyFormat, WritesAndReadsBackASurfaceWithFaceChannels) {
  const TestFolder folder;
  Surface surface = sample_tetrahedron();
  const std::vector<Vec3f> color(4, Vec3f{0.5f, 0.25f, 0});
  const std::vector<std::uint8_t> side{1, 2, 3, 255};
  const std::vector<Vec3d> stress(4, Vec3d{0.1, 0.2, 0.3});
  surface.vertices.set("color", Array::of(color));
  surface.faces.set("side", Array::of(side));
  surface.faces.set("stress", Array::of(stress));
  for (const PlyEncoding encoding : encodings) {
    write_ply(folder / "a.ply", surface, encoding);
    const Surface back = read_ply(folder / "a.ply");
    EXPECT_EQ(back.positions, surface.positions);
    EXPECT_EQ(back.triangles, surface.triangles);
    expect_same(surface.vertices, back.vertices);
    expect_same(surface.faces, back.faces);
  }
}

TEST(PlyFormat, ScalesIntegerColorsAndRepeatsFaceChannelsPerTriangle) {
  const std::string text = ascii("element vertex 4\n" + xyz +
                                     "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"
                                     "property list uchar uint vertex_index\nproperty short part\n",
                                 "0 0 0 255 0 51\n1 0 0 0 0 0\n1 1 0 0 0 0\n0 1 0 0 0 0\n4 0 1 2 3 -7\n");
  const Surface surface = read_ply(bytes_of(text), "a.ply");
  EXPECT_EQ(surface.triangles.size(), 2u);
  EXPECT_EQ(surface.vertices.get<Vec3f>("color")[0], (Vec3f{1, 0, 0.2f}));
  EXPECT_EQ(surface.faces.get<std::int32_t>("part")[1], -7);
}

TEST(PlyFormat, SkipsOtherElementsAndLists) {
  const std::string text = ascii(
      "element camera 1\nproperty list uint char raw\nproperty int k\nelement vertex 1\n"
      "property list uchar float weights\n" +
          xyz,
      "3 1 2 3 9\n2 0.5 0.5 1 2 3\n");
  EXPECT_EQ(read_ply_points(bytes_of(text), "a.ply").positions[0], (Vec3d{1, 2, 3}));
}

TEST(PlyFormat, RefusesCountsBeyondTheFile) {
  const std::string binary = "ply\nformat binary_little_endian 1.0\n";
  expect_refusal(reading_points(binary + "element vertex 4000000000000000000\n" + xyz + "end_header\n"),
                 {"a.ply: byte", "4000000000000000000", "0 bytes"});
  expect_refusal(reading_points(ascii("element vertex 1000000000\n" + xyz, "0 0 0\n")), {"a.ply:8:", "1000000000"});
  expect_refusal(reading_points(ascii("element vertex 1000000000\n", "")), {"no properties"});
  std::string list = binary + "element face 1\nproperty list uint int vertex_indices\nend_header\n";
  expect_refusal(reading(list + std::string(4, '\xff')), {"list vertex_indices of 4294967295"});
  expect_refusal(reading_points(ascii("element vertex 2\n" + xyz, "0 0 0\n1 1 x\n")), {"a.ply:10:", "'x'"});
  expect_refusal(reading_points(ascii("element vertex 2\n" + xyz, "0.00 0.00 0.00 1 1\n")), {"ends before its data"});
}

TEST(PlyFormat, RefusesDataThatFollowsTheEnd) {
  expect_refusal(reading_points(ascii("element vertex 1\n" + xyz, "0 0 0\n1 1 1\n")), {"a.ply:10:", "'1'"});
  expect_refusal(reading_points("ply\nformat binary_little_endian 1.0\nelement vertex 0\n" + xyz + "end_header\nx"),
                 {"1 bytes follow"});
}

TEST(PlyFormat, NamesFaceAndVertexOfEveryMistake) {
  const auto with_face = [](const std::string& face) {
    return reading(ascii(triangle_header, triangle_vertices + face));
  };
  expect_refusal(with_face("3 0 1 3\n"), {"a.ply:14:", "face 0 uses vertex 3", "3 vertices"});
  expect_refusal(with_face("3 0 1 -1\n"), {"vertex -1"});
  expect_refusal(with_face("2 0 1\n"), {"face 0 has 2 corners"});
  expect_refusal(with_face("3 0 1 1.5\n"), {"'1.5'", "expected a int"});
  expect_refusal(with_face("-1\n"), {"'-1'", "expected a uchar"});
  expect_refusal(reading_points(ascii("element vertex 2\n" + xyz, "0 0 0\n0 inf 0\n")), {"vertex 1", "property y"});
}

TEST(PlyFormat, RefusesBrokenHeaders) {
  expect_refusal(reading("plx\n"), {"a.ply:1:", "not a PLY file"});
  expect_refusal(reading("ply\n"), {"no end_header"});
  expect_refusal(reading("ply\nend_header\n"), {"no format"});
  expect_refusal(reading("ply\nformat binary 1.0\n"), {"a.ply:2:", "'binary'"});
  expect_refusal(reading("ply\nproperty float x\n"), {"a.ply:2:", "'property'"});
  expect_refusal(reading(ascii("element vertex -1\n", "")), {"'-1'"});
  expect_refusal(reading(ascii("element vertex 1\nproperty real x\n", "")), {"a.ply:5:", "'real'"});
  expect_refusal(reading(ascii("element vertex 1\nproperty int x\nproperty int x\n", "")), {"a.ply:6:", "twice"});
  expect_refusal(reading(ascii("element vertex 1\nproperty list float int x\n", "")), {"integer type"});
  expect_refusal(reading_points(ascii("element vertex 1\nproperty float x\n", "0\n")), {"x, y and z"});
  expect_refusal(reading(ascii("element vertex 1\n" + xyz, "0 0 0\n")), {"no faces"});
}

TEST(PlyFormat, RefusesIntegersItCannotStoreAndValuesThatAreNotFinite) {
  const TestFolder folder;
  Points points = sample_points();
  const std::vector<std::uint64_t> id{1, 2, std::uint64_t{1} << 60};
  points.vertices.set("id", Array::of(id));
  expect_refusal([&] { write_ply(folder / "a.ply", points); }, {"a.ply", "channel id"});
  points = sample_points();
  const std::vector<float> radius{1, std::numeric_limits<float>::infinity(), 1};
  points.vertices.set("radius", Array::of(radius));
  expect_refusal([&] { write_ply(folder / "a.ply", points); }, {"radius of element 1"}, ExitCode::numerical);
  EXPECT_EQ(files_in(folder), 0u);
}

}  // namespace
}  // namespace ymir
