#include <sys/resource.h>
#include <sys/stat.h>

#include "solid_mesh_samples.h"
#include "ymir/base/random.h"

namespace ymir {
namespace {

using namespace format_samples;
using namespace solid_samples;

void expect_refused(const Written& file, std::initializer_list<std::string_view> parts) {
  SCOPED_TRACE(file.text);
  const TestFolder folder;
  expect_refusal([&] { read(folder, file); }, parts);
}
void msh(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_refused({".msh", text}, parts);
}
void vtk(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_refused({".vtk", text}, parts);
}
void xml(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_refused({".vtu", text}, parts);
}
void tetgen(const std::string& nodes, const std::string& cells, std::initializer_list<std::string_view> parts) {
  expect_refused({".ele", cells, ".node", nodes}, parts);
}

TEST(SolidMeshDamage, RefusesValuesGivenTwice) {
  const std::string mesh =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
      "$Elements\n1\n7 4 0 1 2 3 4\n$EndElements\n";
  msh(mesh + "$NodeData\n1\n\"heat\"\n1\n0\n3\n0\n1\n5\n1 1\n2 1\n3 1\n4 1\n2 5\n$EndNodeData\n",
      {"heat", "twice", "row 5"});
}

TEST(SolidMeshDamage, IsRefusedWhereverTheFileIsCut) {
  for (const Sample& s : {cube(), quadratic(), two_hexahedra()})
    for (const Written& file : all_formats(s)) {
      const TestFolder folder;
      for (std::size_t end = file.text.find('\n'); end + 1 < file.text.size(); end = file.text.find('\n', end + 1)) {
        Written cut = file;
        cut.text.resize(end + 1);
        expect_refusal([&] { read(folder, cut); }, {"a."});
      }
    }
}

TEST(SolidMeshDamage, NamesMissingEmptyAndUnreadableFiles) {
  const TestFolder folder;
  for (const char* extension : {".msh", ".vtk", ".vtu", ".node", ".ele"}) {
    const auto path = folder / (std::string("x") + extension);
    const auto reading = [&] { read_solid_mesh(path); };
    expect_refusal(reading, {"x.", "cannot open"});
    write_file(path, "");
    expect_refusal(reading, {"x."});
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    expect_refusal(reading, {"x."});
    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_refusal(reading, {"x."});
    std::filesystem::remove(path);
  }
  write_file(folder / "a.ele", ele(cube()));
  expect_refusal([&] { read_solid_mesh(folder / "a.ele"); }, {"a.node", "cannot open"});
  expect_refusal([&] { read_solid_mesh(folder / "a.stl"); }, {"a.stl", ".msh, .vtk, .vtu"});
}

TEST(SolidMeshDamage, RefusesOtherFilesAndCodings) {
  msh("solid\n", {"a.msh:1:", "'solid'", "not a mesh of Gmsh"});
  msh("\n \n", {"a.msh:", "not a mesh of Gmsh"});
  msh(replaced(msh_2(cube()), "2.2 0 8", "2.2 1 8"), {"a.msh:2:", "binary", "Mesh.Binary = 0"});
  msh(replaced(msh_4(cube()), "4.1 0 8", "4.1 1 8"), {"a.msh:2:", "binary"});
  msh(replaced(msh_4(cube()), "4.1 0 8", "4 0 8"), {"a.msh:2:", "'4'", "2.2 or 4.1"});
  vtk("solid\n", {"a.vtk:1:", "not a legacy file"});
  vtk(replaced(vtk_3(cube()), "ASCII", "BINARY"), {"a.vtk:3:", "binary", "ASCII"});
  vtk(replaced(vtk_3(cube()), "UNSTRUCTURED_GRID", "POLYDATA"), {"a.vtk:4:", "'polydata'"});
  xml("{}\n", {"a.vtu:", "<VTKFile>"});
  xml(replaced(vtu(cube()), "\"UnstructuredGrid\"", "\"PolyData\""), {"a.vtu:2:", "'PolyData'"});
  for (const char* format : {"binary", "appended", "base64"})
    xml(replaced(vtu(cube()), "\"ascii\"", "\"" + std::string(format) + "\""),
        {"a.vtu:9:", format, "Data Mode = Ascii"});
  xml(replaced(vtu(cube()), "<Points>", "<!DOCTYPE a [<!ENTITY b \"c\">]><Points>"), {"a.vtu:8:", "document type"});
}

TEST(SolidMeshDamage, RefusesCountsThatDoNotFit) {
  for (const char* count : {"1000000000", "9223372036854775807", "99999999999999999999", "-1", "8.5", "many"}) {
    const std::string n = count;
    msh(replaced(msh_2(cube()), "$Nodes\n8", "$Nodes\n" + n), {"a.msh:5:", "nodes"});
    msh(replaced(msh_2(cube()), "$Elements\n6", "$Elements\n" + n), {"a.msh:16:", "elements"});
    msh(replaced(msh_4(cube()), "1 8 1 8", "1 " + n + " 1 8"), {"a.msh:9:", "nodes"});
    msh(replaced(msh_4(cube()), "1 8 1 8", n + " 8 1 8"), {"a.msh:9:", "blocks of nodes"});
    msh(replaced(msh_4(cube()), "3 1 0 8", "3 1 0 " + n), {"a.msh:10:", "nodes of a block"});
    msh(replaced(msh_4(cube()), "3 1 4 6", "3 1 4 " + n), {"a.msh:30:", "elements of a block"});
    msh(replaced(msh_4(cube()), "0 0 0 1\n", "0 0 0 " + n + "\n"), {"a.msh:5:", "entities"});
    vtk(replaced(vtk_3(cube()), "POINTS 8", "POINTS " + n), {"a.vtk:5:", "points"});
    vtk(replaced(vtk_3(cube()), "CELLS 6 30", "CELLS " + n + " 30"), {"a.vtk:14:", "cells"});
    vtk(replaced(vtk_3(cube()), "CELLS 6 30", "CELLS 6 " + n), {"a.vtk:14:", "connectivities"});
    vtk(replaced(vtk_3(cube()), "CELL_TYPES 6", "CELL_TYPES " + n), {"a.vtk:21:", "types"});
    vtk(vtk_3(cube()) + "POINT_DATA " + n + "\n", {"a.vtk:28:"});
    vtk(vtk_3(cube()) + "POINT_DATA 8\nFIELD f " + n + "\n", {"a.vtk:29:", "arrays"});
    vtk(vtk_3(cube()) + "POINT_DATA 8\nFIELD f 1\nabcdefgh 1 " + n + " int\n", {"a.vtk:30:", "tuples"});
    vtk(vtk_3(cube()) + "POINT_DATA 8\nSCALARS a int " + n + "\n", {"a.vtk:", "components"});
    xml(replaced(vtu(cube()), "NumberOfPoints=\"8\"", "NumberOfPoints=\"" + n + "\""), {"a.vtu:4:", "NumberOfPoints"});
    xml(replaced(vtu(cube()), "NumberOfCells=\"6\"", "NumberOfCells=\"" + n + "\""), {"a.vtu:4:", "NumberOfCells"});
    xml(replaced(vtu(cube()), "NumberOfComponents=\"3\"", "NumberOfComponents=\"" + n + "\""),
        {"a.vtu:9:", "components"});
    tetgen(replaced(node(cube()), "8 3", n + " 3"), ele(cube()), {"a.node:2:", "nodes"});
    tetgen(replaced(node(cube()), "8 3 0", "8 3 " + n), ele(cube()), {"a.node:2:", "attributes"});
    tetgen(node(cube()), replaced(ele(cube()), "6 4", n + " 4"), {"a.ele:1:", "tetrahedra"});
    tetgen(node(cube()), replaced(ele(cube()), "6 4", "6 " + n), {"a.ele:1:", "nodes"});
  }
  msh(replaced(msh_2(cube()), "$Nodes\n8", "$Nodes\n7"), {"a.msh:13:", "expected $EndNodes"});
  msh(replaced(msh_2(cube()), "$Elements\n6", "$Elements\n5"), {"a.msh:22:", "expected $EndElements"});
  msh(replaced(msh_4(cube()), "1 8 1 8", "1 7 1 8"), {"a.msh:", "8 nodes of 7"});
  msh(replaced(msh_4(cube()), "1 6 1 6", "1 7 1 8"), {"a.msh:", "6 elements of 7"});
  vtk(replaced(vtk_3(cube()), "POINTS 8", "POINTS 7"), {"a.vtk:13:", "unknown statement '0'"});
  vtk(replaced(vtk_3(cube()), "CELL_TYPES 6", "CELL_TYPES 5"), {"a.vtk:27:", "unknown statement '10'"});
  vtk(replaced(vtk_3(cube()), "CELLS 6 30", "CELLS 6 31"), {"a.vtk:20:", "31 were announced"});
  vtk(replaced(vtk_5(cube()), "0 4 8", "0 9 8"), {"a.vtk", "cell 0", "9 nodes"});
  vtk(replaced(vtk_5(cube()), "0 4 8", "0 4 99"), {"a.vtk", "cell 1", "99"});
  vtk(replaced(vtk_5(cube()), "0 4 8", "0 -4 8"), {"a.vtk", "cell 0"});
  xml(replaced(vtu(cube()), "NumberOfPoints=\"8\"", "NumberOfPoints=\"7\""), {"a.vtu:17:", "more values"});
  xml(replaced(vtu(cube()), "NumberOfCells=\"6\"", "NumberOfCells=\"5\""), {"a.vtu:", "6 values for 5 cells"});
  xml(replaced(vtu(cube()), "4 8 12", "4 8 99"), {"a.vtu", "cell 2"});
  tetgen(replaced(node(cube()), "8 3", "7 3"), ele(cube()), {"a.node:10:", "more lines"});
  tetgen(node(cube()), replaced(ele(cube()), "6 4", "5 4"), {"a.ele:7:", "more lines"});
}

TEST(SolidMeshDamage, RefusesNodesThatDoNotExistOrExistTwice) {
  for (const char* bad : {"9", "0", "-1", "4000000000", "99999999999999999999", "x"}) {
    const std::string n = bad;
    msh(replaced(msh_2(cube()), "1 4 2 1 1 1 2 3 7", "1 4 2 1 1 1 2 3 " + n), {"a.msh:17:", n});
    msh(replaced(msh_4(cube()), "1 1 2 3 7", "1 1 2 3 " + n), {"a.msh:31:", n});
    tetgen(node(cube()), replaced(ele(cube()), "1 1 2 3 7", "1 1 2 3 " + n), {"a.ele:2:", n});
  }
  for (const char* bad : {"8", "-1", "4000000000"}) {
    const std::string n = bad;
    vtk(replaced(vtk_3(cube()), "4 0 1 2 6", "4 0 1 2 " + n), {"a.vtk: cell 0", n});
    vtk(replaced(vtk_5(cube()), " 0 1 2 6", " 0 1 2 " + n), {"a.vtk: cell 0", n});
    xml(replaced(vtu(cube()), " 0 1 2 6", " 0 1 2 " + n), {"a.vtu: cell 0", n});
  }
  vtk(replaced(vtk_3(cube()), "4 0 1 2 6", "4 0 1 2 x"), {"a.vtk:15:", "'x'"});
  xml(replaced(vtu(cube()), " 0 1 2 6", " 0 1 2 x"), {"a.vtu:22:", "'x'"});
  msh(replaced(msh_2(cube()), "\n3 1 1 0", "\n2 1 1 0"), {"a.msh:", "node 2 is given twice"});
  msh(replaced(msh_4(cube()), "\n3\n", "\n2\n"), {"a.msh:", "node 2 is given twice"});
  tetgen(replaced(node(cube()), "\n3 1 1 0", "\n2 1 1 0"), ele(cube()), {"a.node:", "node 2 is given twice"});
  msh(replaced(msh_2(cube()), "\n3 4 2", "\n2 4 2"), {"a.msh:", "element 2 is given twice"});
  tetgen(node(cube()), replaced(ele(cube()), "\n3 ", "\n2 "), {"a.ele:", "tetrahedron 2 is given twice"});
}

TEST(SolidMeshDamage, RefusesNumbersThatAreNotFinite) {
  for (const char* bad : {"nan", "inf", "-inf", "1e999", "1e300", "NaN", "x", "0x1"}) {
    const std::string n = bad;
    msh(replaced(msh_2(cube()), "\n7 1 1 1", "\n7 1 " + n + " 1"), {"a.msh:12:", "node 7", n});
    msh(replaced(msh_4(cube()), "\n1 1 1\n", "\n1 1 " + n + "\n"), {"a.msh:25:", "node 7", n});
    vtk(replaced(vtk_3(cube()), "\n1 1 1\n", "\n" + n + " 1 1\n"), {"a.vtk:12:", "point 6", n});
    vtk(vtk_3(cube()) + "CELL_DATA 6\nSCALARS a float\nLOOKUP_TABLE default\n1 2 3 " + n + " 5 6\n", {"a.vtk:31:", n});
    xml(replaced(vtu(cube()), "\n1 1 1\n", "\n1 1 " + n + "\n"), {"a.vtu:16:", "point 6", n});
    tetgen(replaced(node(cube()), "\n7 1 1 1", "\n7 1 1 " + n), ele(cube()), {"a.node:9:", "node 7", n});
  }
  for (const char* bad : {"1.5", "256", "-1"})
    vtk(vtk_3(cube()) + "CELL_DATA 6\nSCALARS a unsigned_char\n1 2 3 " + bad + " 5 6\n", {"a.vtk:30:", bad});
}

TEST(SolidMeshDamage, NamesCellsWithoutVolume) {
  Sample flat = cube();
  flat.cells[3] = {0, 1, 2, 3};
  for (const Written& file : all_formats(flat)) expect_refused(file, {"a.", "no volume", "mesh the solid again"});
  Sample repeated = cube();
  repeated.cells[3] = {0, 7, 7, 6};
  for (const Written& file : all_formats(repeated)) expect_refused(file, {"a.", "cell ", "node twice"});
  msh(msh_2(flat), {"cell 4 has no volume"});
  vtk(vtk_3(flat), {"cell 3 has no volume"});
  Sample folded = two_hexahedra();
  std::swap(folded.cells[1][0], folded.cells[1][1]);
  for (const Written& file : all_formats(folded)) expect_refused(file, {"a.", "cell ", "folded"});
  Sample overlap = cube();
  overlap.cells[1] = overlap.cells[0];
  for (const Written& file : all_formats(overlap)) expect_refused(file, {"a.", "cells 1 and 2", "same side"});
}

TEST(SolidMeshDamage, NamesCellsOfOtherKinds) {
  msh(replaced(msh_2(cube()), "2 4 2 1 1", "2 5 2 1 1"), {"a.msh:18:", "element 2 is a hexahedron", "one kind"});
  msh(replaced(msh_2(cube()), "2 4 2 1 1", "2 6 2 1 1"), {"a.msh:18:", "element 2 is a prism"});
  msh(replaced(msh_2(cube()), "2 4 2 1 1", "2 17 2 1 1"), {"a.msh:18:", "hexahedron of 20 nodes"});
  msh(replaced(msh_2(cube()), "2 4 2 1 1", "2 4321 2 1 1"), {"a.msh:18:", "unknown type 4321"});
  msh(replaced(msh_4(cube()), "3 1 4 6", "3 1 7 6"), {"a.msh:", "is a pyramid"});
  msh(replaced(msh_4(cube()), "3 1 4 6", "3 1 777 6"), {"a.msh:30:", "unknown type 777"});
  msh(replaced(msh_4(cube()), "3 1 4 6", "2 1 2 6"), {"a.msh", "no tetrahedra or hexahedra"});
  msh(replaced(msh_4(cube()), "3 1 4 6", "3 1 2 6"), {"a.msh:30:", "a triangle in an entity of dimension 3"});
  msh(replaced(msh_2(cube()), "1 2 3 7\n", "1 2 3 7 8\n"), {"a.msh:17:", "more nodes"});
  for (const auto& [type, what] :
       {std::pair{"12", "hexahedron"}, {"11", "voxel"}, {"13", "wedge"}, {"42", "polyhedron"}})
    vtk(replaced(vtk_3(cube()), "CELL_TYPES 6\n10\n10\n", "CELL_TYPES 6\n10\n" + std::string(type) + "\n"),
        {"a.vtk: cell 1 is a ", what});
  vtk(replaced(vtk_3(cube()), "CELL_TYPES 6\n10", "CELL_TYPES 6\n99"), {"cell 0 is of the unknown type 99"});
  vtk(replaced(vtk_3(cube()), "CELL_TYPES 6\n10", "CELL_TYPES 6\n24"), {"cell 0 is a tetrahedron of 10 nodes with 4"});
  xml(replaced(vtu(cube()), "10 10 10", "10 14 10"), {"a.vtu: cell 1 is a pyramid"});
  xml(replaced(vtu(cube()), "10 10 10 10 10 10", "5 5 5 5 5 5"), {"a.vtu: no tetrahedra or hexahedra"});
  xml(replaced(vtu(cube()), "</Piece>", "</Piece><Piece NumberOfPoints='0' NumberOfCells='0'/>"), {"a.vtu:", "second"});
  tetgen(node(cube()), replaced(ele(cube()), "6 4 0", "6 8 0"), {"a.ele:1:", "8 nodes"});
  tetgen(replaced(node(cube()), "8 3", "8 2"), ele(cube()), {"a.node:2:", "dimension 3"});
}

TEST(SolidMeshDamage, RefusesChannelsOfOneName) {
  vtk(vtk_3(cube()) + "CELL_DATA 6\nSCALARS a int\n1 2 3 4 5 6\nSCALARS a int\n1 2 3 4 5 6\n",
      {"a.vtk", "'a'", "rename"});
}

TEST(SolidMeshDamage, BoundsTheGroupsThatFewBytesName) {
  std::string names = fmt::format("$PhysicalNames\n{}\n", 200), elements;
  for (int i = 1; i <= 200; ++i) {
    names += fmt::format("2 {} \"g{}\"\n", i, i);
    elements += fmt::format("{} 2 2 {} 1 1 2 3\n", 100 + i, i);
  }
  const std::string text = replaced(msh_2(cube()), "$Nodes", names + "$EndPhysicalNames\n$Nodes");
  msh(replaced(text, "$Elements\n6\n", "$Elements\n206\n" + elements), {"a.msh", "more than 128 named groups"});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Ends the process: 0 when the file is refused while memory may grow by 64 MB and no more.
[[noreturn]] void read_with_little_memory(const TestFolder& folder, const Written& file) {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
  try {
    read(folder, file);
  } catch (const Error&) {
    std::_Exit(0);
  } catch (const std::bad_alloc&) {
    std::_Exit(2);
  }
  std::_Exit(3);
}

TEST(SolidMeshDamage, TakesNoMemoryForWhatIsOnlyAnnounced) {
  const TestFolder folder;
  const std::vector<Written> files{
      {".msh", replaced(msh_2(cube()), "$Nodes\n8", "$Nodes\n1000000000")},
      {".msh", replaced(msh_4(cube()), "3 1 0 8", "3 1 0 1000000000")},
      {".vtk", replaced(vtk_3(cube()), "POINTS 8", "POINTS 1000000000")},
      {".vtk", replaced(vtk_5(cube()), "CELLS 7 24", "CELLS 1000000000 1000000000")},
      {".vtu", replaced(vtu(cube()), "NumberOfPoints=\"8\"", "NumberOfPoints=\"1000000000\"")},
      {".ele", replaced(ele(cube()), "6 4", "1000000000 4"), ".node", node(cube())},
      {".node", replaced(node(cube()), "8 3 0", "8 3 1000000000"), ".ele", ele(cube())}};
  for (const Written& file : files)
    EXPECT_EXIT(read_with_little_memory(folder, file), testing::ExitedWithCode(0), "") << file.text;
}
#endif

void expect_valid(const SolidMesh& mesh) {
  for (const Vec3d& x : mesh.positions) ASSERT_TRUE(is_finite(x));
  for (const std::int32_t n : mesh.cells) ASSERT_TRUE(n >= 0 && n < std::ssize(mesh.positions));
  ASSERT_GT(mesh.cell_count(), 0u);
  ASSERT_EQ(mesh.fill.size(), mesh.cell_count());
  ASSERT_EQ(mesh.embedded.size(), mesh.skin.positions.size());
  for (const CellPoint& p : mesh.embedded) ASSERT_TRUE(p.cell >= 0 && p.cell < std::ssize(mesh.fill));
  for (const auto& t : mesh.skin.triangles)
    for (const std::int32_t v : t) ASSERT_TRUE(v >= 0 && v < std::ssize(mesh.skin.positions));
  ASSERT_EQ(mesh.vertices.count(), mesh.positions.size());
  ASSERT_EQ(mesh.elements.count(), mesh.cell_count());
}

// What a sample of a format may also hold.
std::vector<Written> samples_with_data() {
  std::vector<Written> files;
  for (const Sample& s : {cube(), two_hexahedra(), quadratic()})
    for (Written& file : all_formats(s)) files.push_back(std::move(file));
  const std::string groups = "$PhysicalNames\n2\n2 1 \"held\"\n3 1 \"flesh\"\n$EndPhysicalNames\n";
  std::string values = "1\n\"heat\"\n1\n0.5\n3\n0\n1\n8\n1 1\n2 2\n3 3\n4 4\n5 5\n6 6\n7 7\n8 8\n$EndNodeData\n";
  files.push_back({".msh", replaced(msh_2(cube()), "$Nodes", groups + "$Nodes") + "$NodeData\n" + values});
  files.push_back(
      {".msh", replaced(replaced(msh_4(cube()), "$Entities", groups + "$Entities"), "1 1 1 0 0", "1 1 1 1 1 0")});
  files.push_back({".vtk", vtk_3(cube()) + "CELL_DATA 6\nSCALARS part int 1\nLOOKUP_TABLE default\n1 2 3 4 5 6\n" +
                               "FIELD f 1\nfibre%20x 3 6 float\n1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3\n"});
  files.push_back({".vtu", replaced(vtu(cube()), "<PointData/>",
                                    "<PointData><DataArray type=\"Float32\" Name=\"heat\" format=\"ascii\">"
                                    "0 1 2 3 4 5 6 7</DataArray></PointData>")});
  files.push_back(
      {".node", "4 3 1 1\n0 0 0 0 5 1\n1 1 0 0 6 1\n2 0 1 0 7 1\n3 0 0 1 8 1\n", ".ele", "1 4 1\n0 0 1 2 3 9\n"});
  return files;
}

TEST(SolidMeshDamage, RandomBytesGiveAMeshOrAnError) {
  constexpr int changes = 3000;
  std::size_t meshes = 0, errors = 0;
  const TestFolder folder;
  std::uint64_t seed = 0;
  for (const Written& file : samples_with_data()) {
    ASSERT_NO_THROW(read(folder, file)) << file.text;
    Random random(11, ++seed);
    for (int i = 0; i < changes; ++i) {
      Written changed = file;
      for (std::uint64_t k = 1 + random.bits() % 3; k > 0; --k) {
        // Half of the bytes are such as files have, which reach further into the reader.
        static constexpr std::string_view likely = "0123456789.-e \n$<>/\"=#";
        char& byte = changed.text[random.bits() % changed.text.size()];
        byte = random.bits() % 2 ? likely[random.bits() % likely.size()] : static_cast<char>(random.bits());
      }
      try {
        const SolidMesh mesh = read(folder, changed);
        ASSERT_NO_FATAL_FAILURE(expect_valid(mesh)) << changed.text;
        ++meshes;
      } catch (const Error& error) {
        ASSERT_NE(std::string_view(error.what()).find("a."), std::string_view::npos);
        ++errors;
      }
    }
  }
  EXPECT_GT(meshes, 1000u);
  EXPECT_GT(errors, 10000u);
}

}  // namespace
}  // namespace ymir
