// Small volume meshes, written in every format that is read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format_samples.h"
#include "ymir/cache/formats/solid_mesh_file.h"

namespace ymir::solid_samples {

struct Sample {
  std::vector<Vec3d> nodes;
  std::vector<std::vector<int>> cells;  // of 4, 8 or 10 nodes, from 0
};

// The unit cube along its diagonal: 6 tetrahedra around the edge from node 0 to node 6.
inline Sample cube() {
  Sample s;
  s.nodes = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  s.cells = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  return s;
}

// 2 x 1 x 1.
inline Sample two_hexahedra() {
  Sample s;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) s.nodes.push_back({1.0 * x, 1.0 * y, 1.0 * z});
  s.cells = {{0, 1, 4, 3, 6, 7, 10, 9}, {1, 2, 5, 4, 7, 8, 11, 10}};
  return s;
}

inline Sample quadratic() {
  Sample s;
  s.nodes = {{0, 0, 0},     {1, 0, 0},   {0, 1, 0},   {0, 0, 1},     {0.5, 0, 0},
             {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  s.cells = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  return s;
}

inline std::string joined(const std::vector<int>& cell, int first) {
  std::string text;
  for (const int n : cell) text += fmt::format(" {}", n + first);
  return text;
}
inline std::string xyz(Vec3d p) { return fmt::format("{} {} {}", p.x, p.y, p.z); }

// Gmsh exchanges the last two nodes between corners.
inline std::vector<int> gmsh_order(std::vector<int> cell) {
  if (cell.size() == 10) std::swap(cell[8], cell[9]);
  return cell;
}

inline std::string msh_2(const Sample& s) {
  std::string text = fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", s.nodes.size());
  for (std::size_t n = 0; n < s.nodes.size(); ++n) text += fmt::format("{} {}\n", n + 1, xyz(s.nodes[n]));
  text += fmt::format("$EndNodes\n$Elements\n{}\n", s.cells.size());
  for (std::size_t c = 0; c < s.cells.size(); ++c) {
    const std::size_t size = s.cells[c].size();
    text += fmt::format("{} {} 2 1 1{}\n", c + 1,
                        size == 4   ? 4
                        : size == 8 ? 5
                                    : 11,
                        joined(gmsh_order(s.cells[c]), 1));
  }
  return text + "$EndElements\n";
}

inline std::string msh_4(const Sample& s) {
  const std::size_t n = s.nodes.size(), size = s.cells[0].size();
  std::string text = fmt::format(
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
      "$Nodes\n1 {} 1 {}\n3 1 0 {}\n",
      n, n, n);
  for (std::size_t i = 1; i <= n; ++i) text += fmt::format("{}\n", i);
  for (const Vec3d& p : s.nodes) text += xyz(p) + "\n";
  const int type = size == 4 ? 4 : size == 8 ? 5 : 11;
  text +=
      fmt::format("$EndNodes\n$Elements\n1 {} 1 {}\n3 1 {} {}\n", s.cells.size(), s.cells.size(), type, s.cells.size());
  for (std::size_t c = 0; c < s.cells.size(); ++c)
    text += fmt::format("{}{}\n", c + 1, joined(gmsh_order(s.cells[c]), 1));
  return text + "$EndElements\n";
}

inline int vtk_type(std::size_t size) { return size == 4 ? 10 : size == 8 ? 12 : 24; }

inline std::string vtk_header(const Sample& s, const char* version) {
  std::string text =
      fmt::format("# vtk DataFile Version {}\na cube\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n", version,
                  s.nodes.size());
  for (const Vec3d& p : s.nodes) text += xyz(p) + "\n";
  return text;
}
inline std::string vtk_types(const Sample& s) {
  std::string text = fmt::format("CELL_TYPES {}\n", s.cells.size());
  for (const auto& cell : s.cells) text += fmt::format("{}\n", vtk_type(cell.size()));
  return text;
}
inline std::string vtk_3(const Sample& s) {
  const std::size_t size = s.cells[0].size();
  std::string text = vtk_header(s, "3.0") + fmt::format("CELLS {} {}\n", s.cells.size(), s.cells.size() * (size + 1));
  for (const auto& cell : s.cells) text += fmt::format("{}{}\n", size, joined(cell, 0));
  return text + vtk_types(s);
}
inline std::string vtk_5(const Sample& s) {
  const std::size_t size = s.cells[0].size();
  std::string text = vtk_header(s, "5.1") +
                     fmt::format("CELLS {} {}\nOFFSETS vtktypeint64\n0", s.cells.size() + 1, s.cells.size() * size);
  for (std::size_t c = 1; c <= s.cells.size(); ++c) text += fmt::format(" {}", c * size);
  text += "\nCONNECTIVITY vtktypeint64\n";
  for (const auto& cell : s.cells) text += joined(cell, 0) + "\n";
  return text + vtk_types(s);
}

inline std::string vtu(const Sample& s) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<PointData/>\n<CellData>\n</CellData>\n"
      "<Points>\n<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" format=\"ascii\">\n",
      s.nodes.size(), s.cells.size());
  for (const Vec3d& p : s.nodes) text += xyz(p) + "\n";
  text += "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n";
  for (const auto& cell : s.cells) text += joined(cell, 0) + "\n";
  text += "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n";
  for (std::size_t c = 1; c <= s.cells.size(); ++c) text += fmt::format("{} ", c * s.cells[0].size());
  text += "\n</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n";
  for (const auto& cell : s.cells) text += fmt::format("{} ", vtk_type(cell.size()));
  return text + "\n</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

inline std::string node(const Sample& s, int first = 1) {
  std::string text = fmt::format("# nodes\n{} 3 0 0\n", s.nodes.size());
  for (std::size_t n = 0; n < s.nodes.size(); ++n)
    text += fmt::format("{} {}\n", static_cast<int>(n) + first, xyz(s.nodes[n]));
  return text;
}
inline std::string ele(const Sample& s, int first = 1) {
  std::string text = fmt::format("{} {} 0\n", s.cells.size(), s.cells[0].size());
  for (std::size_t c = 0; c < s.cells.size(); ++c)
    text += fmt::format("{}{}\n", static_cast<int>(c) + first, joined(s.cells[c], first));
  return text;
}

// One file, and one that has to lie beside it.
struct Written {
  std::string extension, text;
  std::string beside_extension{}, beside{};
};

inline SolidMesh read(const TestFolder& folder, const Written& file) {
  format_samples::write_file(folder / ("a" + file.extension), file.text);
  if (!file.beside_extension.empty()) format_samples::write_file(folder / ("a" + file.beside_extension), file.beside);
  return read_solid_mesh(folder / ("a" + file.extension));
}

inline std::vector<Written> all_formats(const Sample& s) {
  std::vector<Written> files{
      {".msh", msh_2(s)}, {".msh", msh_4(s)}, {".vtk", vtk_3(s)}, {".vtk", vtk_5(s)}, {".vtu", vtu(s)}};
  if (s.cells[0].size() == 8) return files;
  for (const int first : {0, 1}) {
    files.push_back({".ele", ele(s, first), ".node", node(s, first)});
    files.push_back({".node", node(s, first), ".ele", ele(s, first)});
  }
  return files;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the sample lacks " + std::string(from));
  return text.replace(at, from.size(), to);
}

}  // namespace ymir::solid_samples
