#include <limits>

#include "format_samples.h"
#include "ymir/cache/formats/obj.h"

namespace ymir {
namespace {

using namespace format_samples;
using Triangles = std::vector<std::array<std::int32_t, 3>>;

Surface surface(std::string_view text) { return read_obj(bytes_of(text), "a.obj"); }
auto reading(std::string text) {
  return [text] { surface(text); };
}
const std::string four = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjFormat, ReadsEveryFormOfIndex) {
  const Triangles expected{{0, 1, 2}};
  for (const char* face : {"f 1 2 3", "f 1/9 2/9 3/9", "f 1/9/8 2/9/8 3/9/8", "f 1//8 2//8 3//8", "f -4 -3 -2",
                           "f +1 2 3", "f  1\t2  3  ", "f 1 2 3 # comment", "f 1 2 \\\n3", "f 1 \\\r\n2 \\\r\n3\r\n"})
    EXPECT_EQ(surface(four + face).triangles, expected) << face;
}

TEST(ObjFormat, CutsPolygonsIntoFansAndDropsRepeatedCorners) {
  EXPECT_EQ(surface(four + "f 1 2 3 4\n").triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(surface(four + "f 1 2 2 3\n").triangles, (Triangles{{0, 1, 2}}));
}

TEST(ObjFormat, KeepsTextureCoordinatesOfCornersWhereAllHaveThem) {
  const std::string uvs = "vt 0 0\nvt 1 0.25\nvt 0.5 1 0\n";
  const Surface mesh = surface(four + uvs + "f 1/1 2/2 3/3\nf 1/-3 3/-1 4/-2\n");
  ASSERT_TRUE(mesh.faces.has("uv0"));
  EXPECT_EQ(mesh.faces.get<Vec3f>("uv1")[0], Vec3f(1, 0.25f, 0));
  EXPECT_EQ(mesh.faces.get<Vec3f>("uv0")[1], Vec3f(0, 0, 0));
  EXPECT_EQ(mesh.faces.get<Vec3f>("uv2")[1], Vec3f(1, 0.25f, 0));
  for (const char* without : {"f 1/1 2/2 3/3\nf 1 3 4\n", "f 1/1 2/2 3/9\n", "f 1/1 2/2 3/-9\n", "f 1//1 2//2 3//3\n"})
    EXPECT_FALSE(surface(four + uvs + without).faces.has("uv0")) << without;
  EXPECT_FALSE(surface(four + "vt nan 0\nf 1/1 2/1 3/1\n").faces.has("uv0"));
}

TEST(ObjFormat, SkipsWhatIsNotGeometry) {
  const auto s =
      surface("# made by hand\r\nmtllib a.mtl\r\no thing\r\n\r\nvn 0 0 1\r\nvt 0 0\r\ng a b\r\ns 1\r\nusemtl x\r\n" +
              four + "f 1 2 3\r\n");
  EXPECT_EQ(s.positions.size(), 4u);
  EXPECT_EQ(s.triangles.size(), 1u);
}

TEST(ObjFormat, ReadsNumbersExactly) {
  const auto s = surface("v 0.1 +2.5e-3 -1E2 0.5 0.5 0.5\nv .5 5. 1e-400\nv 0 0 0\nf 1 2 3\n");
  EXPECT_EQ(s.positions[0], (Vec3d{0.1, 2.5e-3, -1e2}));
  EXPECT_EQ(s.positions[1], (Vec3d{0.5, 5, 0}));
}

TEST(ObjFormat, ReadsPolylinesAsStrands) {
  const std::string text = four + "l 1 2 3\nl -1/1 -2/2\n";
  const Curves curves = read_obj_curves(bytes_of(text), "a.obj");
  EXPECT_EQ(curves.first, (std::vector<std::int64_t>{0, 3, 5}));
  EXPECT_EQ(curves.positions[3], (Vec3d{0, 1, 0}));
  EXPECT_EQ(curves.edges.count(), 3u);
  expect_refusal([] { read_obj_curves(bytes_of(four), "a.obj"); }, {"a.obj", "no polylines"});
}

TEST(ObjFormat, AllowsFacesBeforeTheirVertices) {
  EXPECT_EQ(surface("f 1 2 3\n" + four).triangles.size(), 1u);
  expect_refusal(reading("v 0 0 0\nf 1 2 9\nv 1 0 0\nf 1 2 3\n"), {"a.obj:2:", "vertex 9", "has 2"});
}

TEST(ObjFormat, NamesTheLineOfEveryMistake) {
  expect_refusal(reading(four + "f 1 2 0\n"), {"a.obj:5:", "'0'"});
  expect_refusal(reading(four + "f 1 2 -5\n"), {"a.obj:5:", "vertex -5"});
  expect_refusal(reading(four + "f 1 2\n"), {"a.obj:5:", "needs 3"});
  expect_refusal(reading(four + "f 1 2 3x\n"), {"a.obj:5:", "'3x'"});
  expect_refusal(reading(four + "f 1/ 2 3/1/\n"), {"a.obj:5:", "'3/1/'"});
  expect_refusal(reading(four + "f 1 2 3/1/1/1\n"), {"a.obj:5:", "'3/1/1/1'"});
  expect_refusal(reading(four + "f 1 2 99999999999999999999\n"), {"a.obj:5:"});
  expect_refusal(reading(four + "f 1 2 5000000000\n"), {"a.obj:5:", "does not exist"});
  expect_refusal(reading("v 0 0\n"), {"a.obj:1:", "coordinate z of vertex 1"});
  expect_refusal(reading("v 0 nan 0\n"), {"a.obj:1:", "coordinate y", "'nan'"});
  expect_refusal(reading("v 0 0 1e999\n"), {"a.obj:1:", "coordinate z"});
  expect_refusal(reading("\n\nhello world\n"), {"a.obj:3:", "'hello'"});
  expect_refusal(reading(four), {"a.obj: no faces"});
  expect_refusal(reading(""), {"a.obj: no faces"});
}

TEST(ObjFormat, WritesAndReadsBackASurface) {
  const TestFolder folder;
  Surface original = sample_tetrahedron();
  original.positions[3] = {0.1, 1.0 / 3, 1e-7};
  write_obj(folder / "a.obj", original);
  const Surface back = read_obj(folder / "a.obj");
  EXPECT_EQ(back.positions, original.positions) << "all 17 digits";
  EXPECT_EQ(back.triangles, original.triangles);
  original.positions[1].x = std::numeric_limits<double>::quiet_NaN();
  expect_refusal([&] { write_obj(folder / "b.obj", original); }, {"b.obj", "vertex 1"}, ExitCode::numerical);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(ObjFormat, WritesAndReadsBackCurvesWithoutEmptyRoots) {
  const TestFolder folder;
  write_obj(folder / "a.obj", sample_curves());
  const Curves back = read_obj_curves(folder / "a.obj");
  EXPECT_EQ(back.first, (std::vector<std::int64_t>{0, 3, 5}));
  EXPECT_EQ(back.positions[3], sample_curves().positions[4]);
}

}  // namespace
}  // namespace ymir
