#include "solid_mesh_samples.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"

namespace ymir {
namespace {

using namespace format_samples;
using namespace solid_samples;

// By the divergence theorem: positive only for a skin that points outwards.
double enclosed_volume(const Surface& s) {
  double volume = 0;
  const auto at = [&](std::int32_t v) { return s.positions[static_cast<std::size_t>(v)]; };
  for (const auto& [a, b, c] : s.triangles) volume += dot(at(a), cross(at(b), at(c))) / 6;
  return volume;
}
double area(const Surface& s) {
  double sum = 0;
  const auto at = [&](std::int32_t v) { return s.positions[static_cast<std::size_t>(v)]; };
  for (const auto& [a, b, c] : s.triangles) sum += norm(cross(at(b) - at(a), at(c) - at(a))) / 2;
  return sum;
}
std::ptrdiff_t euler_characteristic(const Surface& s) {
  return std::ssize(s.positions) - std::ssize(unique_edges(s)) + std::ssize(s.triangles);
}
double volume_of_tetrahedra(const SolidMesh& m) {
  double volume = 0;
  const auto at = [&](std::size_t i) { return m.positions[static_cast<std::size_t>(m.cells[i])]; };
  for (std::size_t i = 0; i < m.cells.size(); i += 4)
    volume += dot(at(i + 1) - at(i), cross(at(i + 2) - at(i), at(i + 3) - at(i))) / 6;
  return volume;
}

void expect_solid(const SolidMesh& mesh, double volume, double skin_area) {
  EXPECT_NEAR(enclosed_volume(mesh.skin), volume, 1e-14);
  EXPECT_NEAR(area(mesh.skin), skin_area, 1e-14);
  EXPECT_EQ(euler_characteristic(mesh.skin), 2);
  EXPECT_TRUE(closed(mesh.skin));
  EXPECT_EQ(mesh.fill, std::vector<double>(mesh.cell_count(), 1.0));
  ASSERT_EQ(mesh.embedded.size(), mesh.skin.positions.size());
}

TEST(SolidMeshFormats, GiveTheSameCubeOfTetrahedra) {
  for (const Written& file : all_formats(cube())) {
    SCOPED_TRACE(file.extension + "\n" + file.text);
    const TestFolder folder;
    const SolidMesh mesh = read(folder, file);
    EXPECT_EQ(mesh.shape, CellShape::tetrahedron);
    EXPECT_EQ(mesh.positions, cube().nodes);
    EXPECT_EQ(mesh.cell_count(), 6u);
    EXPECT_NEAR(volume_of_tetrahedra(mesh), 1, 1e-15);
    EXPECT_EQ(mesh.skin.triangles.size(), 12u);
    EXPECT_EQ(mesh.warning, "");
    expect_solid(mesh, 1, 6);
  }
}

TEST(SolidMeshFormats, GiveTheSameTwoHexahedra) {
  for (const Written& file : all_formats(two_hexahedra())) {
    SCOPED_TRACE(file.extension + "\n" + file.text);
    const TestFolder folder;
    const SolidMesh mesh = read(folder, file);
    EXPECT_EQ(mesh.shape, CellShape::hexahedron);
    EXPECT_EQ(mesh.cell_count(), 2u);
    EXPECT_EQ(mesh.positions.size(), 12u);
    EXPECT_EQ(mesh.skin.triangles.size(), 20u);
    expect_solid(mesh, 2, 10);
  }
}

TEST(SolidMeshFormats, KeepTheNodesBetweenCornersOnTheirEdges) {
  for (const Written& file : all_formats(quadratic())) {
    SCOPED_TRACE(file.extension + "\n" + file.text);
    const TestFolder folder;
    const SolidMesh mesh = read(folder, file);
    ASSERT_EQ(mesh.shape, CellShape::quadratic_tetrahedron);
    ASSERT_EQ(mesh.positions.size(), 10u);
    EXPECT_EQ(mesh.warning, "");
    EXPECT_EQ(mesh.skin.triangles.size(), 16u);
    const auto at = [&](int a) {
      return mesh.positions[static_cast<std::size_t>(mesh.cells[static_cast<std::size_t>(a)])];
    };
    for (int k = 0; k < 6; ++k)
      EXPECT_EQ(at(4 + k), (at(QuadraticTetrahedron::edge[k][0]) + at(QuadraticTetrahedron::edge[k][1])) * 0.5);
    expect_solid(mesh, 1.0 / 6, 1.5 + std::sqrt(3.0) / 2);
  }
}

TEST(SolidMeshFormats, TurnInvertedCells) {
  for (Sample s : {cube(), two_hexahedra()}) {
    const bool tetrahedra = s.cells[0].size() == 4;
    if (tetrahedra)
      std::swap(s.cells[2][0], s.cells[2][1]);
    else
      std::swap_ranges(s.cells[1].begin(), s.cells[1].begin() + 4, s.cells[1].begin() + 4);
    for (const Written& file : all_formats(s)) {
      SCOPED_TRACE(file.text);
      const TestFolder folder;
      const SolidMesh mesh = read(folder, file);
      expect_solid(mesh, tetrahedra ? 1 : 2, tetrahedra ? 6 : 10);
      if (tetrahedra) {
        EXPECT_NEAR(volume_of_tetrahedra(mesh), 1, 1e-15);
      }
    }
  }
}

TEST(SolidMeshFormats, DropNodesWithoutCells) {
  Sample s = cube();
  s.nodes.insert(s.nodes.begin() + 2, Vec3d{9, 9, 9});
  for (auto& cell : s.cells)
    for (int& n : cell) n += n >= 2 ? 1 : 0;
  for (const Written& file : all_formats(s)) {
    const TestFolder folder;
    EXPECT_EQ(read(folder, file).positions, cube().nodes) << file.text;
  }
}

TEST(SolidMeshFormats, LetNumbersOfGmshHaveGapsAndAnyOrder) {
  const TestFolder folder;
  const std::string text =
      "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$Comments\r\n$Nodes of a tetrahedron\r\n$EndComments\r\n"
      "$Nodes\r\n4\r\n900 0 0 1\r\n7 0 0 0\r\n4000000000 1 0 0\r\n-3 0 1 0\r\n$EndNodes\r\n"
      "$Elements\r\n1\r\n55 4 0 7 4000000000 -3 900\r\n$EndElements\r\n";
  const SolidMesh mesh = read(folder, {".msh", text});
  EXPECT_EQ(mesh.cells, (std::vector<std::int32_t>{1, 2, 3, 0}));
  EXPECT_NEAR(volume_of_tetrahedra(mesh), 1.0 / 6, 1e-16);
}

TEST(SolidMeshFormats, KeepGroupsAndDataOfGmsh2) {
  const TestFolder folder;
  const std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"held end\"\n3 2 \"flesh\"\n3 9 \"unused\"\n"
      "$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n4\n"
      "1 15 2 7 1 1\n2 2 2 1 1 1 2 3\n10 4 2 2 1 1 2 3 4\n11 4 2 3 1 2 3 4 5\n$EndElements\n"
      "$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n5\n1 10\n2 20\n3 30\n4 40\n5 50\n$EndNodeData\n"
      "$NodeData\n1\n\"heat\"\n1\n1.0\n3\n1\n1\n1\n1 99\n$EndNodeData\n"
      "$NodeData\n1\n\"some\"\n1\n0.0\n3\n0\n1\n1\n1 99\n$EndNodeData\n"
      "$ElementData\n1\n\"fibre\"\n1\n0\n3\n0\n3\n3\n2 7 7 7\n11 0 0 1\n10 1 0 0\n$EndElementData\n"
      "$ElementData\n1\n\"stress\"\n1\n0\n3\n0\n9\n1\n10 1 2 3 4 5 6 7 8 9\n$EndElementData\n";
  const SolidMesh mesh = read(folder, {".msh", text});
  ASSERT_EQ(mesh.vertices.all().size(), 2u);
  ASSERT_EQ(mesh.elements.all().size(), 2u);
  const auto held = mesh.vertices.get<float>("held end");
  EXPECT_EQ(std::vector<float>(held.begin(), held.end()), (std::vector<float>{1, 1, 1, 0, 0}));
  const auto flesh = mesh.elements.get<float>("flesh");
  EXPECT_EQ(std::vector<float>(flesh.begin(), flesh.end()), (std::vector<float>{1, 0}));
  EXPECT_EQ(mesh.vertices.get<double>("heat")[4], 50);
  EXPECT_EQ(mesh.elements.get<Vec3d>("fibre")[0], Vec3d(1, 0, 0));
  EXPECT_EQ(mesh.elements.get<Vec3d>("fibre")[1], Vec3d(0, 0, 1));
  EXPECT_NE(mesh.warning.find("'some'"), std::string::npos) << mesh.warning;
}

TEST(SolidMeshFormats, KeepGroupsOfGmsh4ByTheirEntities) {
  const TestFolder folder;
  const std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"held\"\n3 2 \"flesh\"\n$EndPhysicalNames\n"
      "$Entities\n1 1 1 2\n1 0 0 0 0\n1 0 0 0 1 0 0 0 2 1 -1\n5 0 0 0 1 1 0 1 -1 1 1\n"
      "1 0 0 0 1 1 1 0 1 5\n2 0 0 0 1 1 1 1 2 0\n$EndEntities\n"
      "$Nodes\n2 5 1 5\n2 5 1 3\n1\n2\n3\n0 0 0 0.5 0.5\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n3 1 0 2\n4\n5\n0 0 1\n1 1 1\n"
      "$EndNodes\n$Elements\n3 3 1 3\n2 5 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n3 2 4 1\n3 2 3 4 5\n$EndElements\n";
  const SolidMesh mesh = read(folder, {".msh", text});
  const auto held = mesh.vertices.get<float>("held");
  EXPECT_EQ(std::vector<float>(held.begin(), held.end()), (std::vector<float>{1, 1, 1, 0, 0}));
  const auto flesh = mesh.elements.get<float>("flesh");
  EXPECT_EQ(std::vector<float>(flesh.begin(), flesh.end()), (std::vector<float>{0, 1}));
}

TEST(SolidMeshFormats, KeepDataOfVtkAndSkipSurfaceCells) {
  const TestFolder folder;
  const std::string text =
      "# vtk DataFile Version 4.2\nt\nascii\ndataset unstructured_grid\nFIELD FieldData 1\nTIME 1 1 double\n0.5\n"
      "POINTS 5 float\n0 0 0  1 0 0  0 1 0\n0 0 1  5 5 5\nMETADATA\nINFORMATION 1\nNAME A LOCATION B\nDATA 2 0 1\n\n"
      "CELLS 3 12\n3 0 1 2\n4 0 1 2 3\n2 0\n4\nCELL_TYPES 3\n5 10 3\n"
      "CELL_DATA 3\nSCALARS part int\nLOOKUP_TABLE default\n7 8 9\nFIELD f 2\nfibre%20axis 3 3 double\n"
      "9 9 9 0 1 0 9 9 9\ntensor 9 3 float\n" +
      std::string("1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n") +
      "POINT_DATA 5\nSCALARS warm unsigned_char 1\n1 2 3 4 255\nVECTORS velocity float\n"
      "1 0 0 2 0 0 3 0 0 4 0 0 5 0 0\n";
  const SolidMesh mesh = read(folder, {".vtk", text});
  EXPECT_EQ(mesh.cell_count(), 1u);
  EXPECT_EQ(mesh.positions.size(), 4u);
  ASSERT_EQ(mesh.elements.all().size(), 2u);
  ASSERT_EQ(mesh.vertices.all().size(), 2u);
  EXPECT_EQ(mesh.elements.get<std::int32_t>("part")[0], 8);
  EXPECT_EQ(mesh.elements.get<Vec3d>("fibre axis")[0], Vec3d(0, 1, 0));
  EXPECT_EQ(mesh.vertices.get<std::uint8_t>("warm")[3], 4);
  EXPECT_EQ(mesh.vertices.get<Vec3f>("velocity")[3], Vec3f(4, 0, 0));
}

TEST(SolidMeshFormats, KeepDataOfVtu) {
  const TestFolder folder;
  std::string text =
      replaced(vtu(cube()), "<PointData/>",
               "<!-- <Piece> --><PointData Scalars='heat'><DataArray type='Float32' Name='heat &amp; "
               "&lt;dust&gt;' format='ascii'>0 1 2 3 4 5 6 7\n<InformationKey name='x>y'><Value>3</Value>"
               "</InformationKey></DataArray></PointData>");
  text = replaced(text, "<CellData>",
                  "<CellData><DataArray type=\"Int64\" Name=\"part\">10 11 12 13 14 9007199254740992</DataArray>"
                  "<DataArray type=\"Float64\" Name=\"fibre\" NumberOfComponents=\"3\">"
                  "1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 0 2 0</DataArray>");
  const SolidMesh mesh = read(folder, {".vtu", text});
  EXPECT_EQ(mesh.vertices.get<float>("heat & <dust>")[7], 7);
  EXPECT_EQ(mesh.elements.get<std::int64_t>("part")[5], 9007199254740992);
  EXPECT_EQ(mesh.elements.get<Vec3d>("fibre")[5], Vec3d(0, 2, 0));
}

TEST(SolidMeshFormats, KeepAttributesAndMarkersOfTetgen) {
  const TestFolder folder;
  const Written file{".ele", "# t\n1 4 1\n\n 0  0 1 2 3  2.5 # region\n", ".node",
                     "4 3 1 1\n0 0 0 0 0.5 0\n1 1 0 0 1.5 -1\n2 0 1 0 2.5 3\n3 0 0 1 3.5 7\n# made by TetGen\n"};
  const SolidMesh mesh = read(folder, file);
  EXPECT_EQ(mesh.vertices.get<double>("attribute_1")[2], 2.5);
  EXPECT_EQ(mesh.vertices.get<std::int32_t>("marker")[1], -1);
  EXPECT_EQ(mesh.elements.get<double>("attribute_1")[0], 2.5);
}

}  // namespace
}  // namespace ymir
