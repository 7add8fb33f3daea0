#include "ymir/cache/formats/vtk_grid.h"

#include <algorithm>
#include <limits>

#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr CellKind kinds[] = {
    {0, "empty cell", 0},
    {1, "vertex", 0},
    {2, "set of vertices", 0},
    {3, "line", 1},
    {4, "polyline", 1},
    {5, "triangle", 2},
    {6, "strip of triangles", 2},
    {7, "polygon", 2},
    {8, "pixel", 2},
    {9, "quadrilateral", 2},
    {10, "tetrahedron of 4 nodes", 3, 4, CellShape::tetrahedron},
    {11, "voxel", 3},
    {12, "hexahedron of 8 nodes", 3, 8, CellShape::hexahedron},
    {13, "wedge", 3},
    {14, "pyramid", 3},
    {15, "pentagonal prism", 3},
    {16, "hexagonal prism", 3},
    {21, "quadratic edge", 1},
    {22, "quadratic triangle", 2},
    {23, "quadratic quadrilateral", 2},
    {24, "tetrahedron of 10 nodes", 3, 10, CellShape::quadratic_tetrahedron},
    {25, "hexahedron of 20 nodes", 3},
    {26, "quadratic wedge", 3},
    {27, "quadratic pyramid", 3},
    {28, "biquadratic quadrilateral", 2},
    {29, "hexahedron of 27 nodes", 3},
    {30, "quadratic linear quadrilateral", 2},
    {31, "quadratic linear wedge", 3},
    {32, "biquadratic quadratic wedge", 3},
    {33, "biquadratic quadratic hexahedron", 3},
    {34, "biquadratic triangle", 2},
    {35, "cubic line", 1},
    {36, "quadratic polygon", 2},
    {37, "triquadratic pyramid", 3},
    {41, "convex set of points", 3},
    {42, "polyhedron", 3},
    {68, "Lagrange curve", 1},
    {69, "Lagrange triangle", 2},
    {70, "Lagrange quadrilateral", 2},
    {71, "Lagrange tetrahedron", 3},
    {72, "Lagrange hexahedron", 3},
    {73, "Lagrange wedge", 3},
    {74, "Lagrange pyramid", 3},
    {75, "Bezier curve", 1},
    {76, "Bezier triangle", 2},
    {77, "Bezier quadrilateral", 2},
    {78, "Bezier tetrahedron", 3},
    {79, "Bezier hexahedron", 3},
    {80, "Bezier wedge", 3},
    {81, "Bezier pyramid", 3},
};

[[noreturn]] void refuse_cell(const std::string& name, std::size_t cell, const std::string& what) {
  throw Error(ExitCode::bad_input, fmt::format("{}: cell {} {}", name, cell, what));
}

}  // namespace

std::optional<ScalarType> vtk_type(std::string_view name) {
  struct Named {
    std::string_view name;
    ScalarType type;
  };
  static constexpr Named types[] = {
      {"float", ScalarType::f32},        {"double", ScalarType::f64},         {"int", ScalarType::i32},
      {"unsigned_char", ScalarType::u8}, {"char", ScalarType::i32},           {"signed_char", ScalarType::i32},
      {"short", ScalarType::i32},        {"unsigned_short", ScalarType::i32}, {"bit", ScalarType::u8},
      {"unsigned_int", ScalarType::i64}, {"long", ScalarType::i64},           {"unsigned_long", ScalarType::i64},
      {"vtkidtype", ScalarType::i64},    {"vtktypeint64", ScalarType::i64},   {"vtktypeuint64", ScalarType::i64},
      {"Float32", ScalarType::f32},      {"Float64", ScalarType::f64},        {"Int8", ScalarType::i32},
      {"UInt8", ScalarType::u8},         {"Int16", ScalarType::i32},          {"UInt16", ScalarType::i32},
      {"Int32", ScalarType::i32},        {"UInt32", ScalarType::i64},         {"Int64", ScalarType::i64},
      {"UInt64", ScalarType::i64},
  };
  const auto found = std::find_if(std::begin(types), std::end(types), [&](const Named& t) { return t.name == name; });
  return found == std::end(types) ? std::nullopt : std::optional(found->type);
}

SolidMesh solid_mesh_of(VtkGrid grid, const std::string& name) {
  FileCells file;
  if (std::max(grid.points.size(), grid.types.size()) > std::numeric_limits<std::int32_t>::max())
    throw Error(ExitCode::bad_input, name + ": more than 2^31 - 1 points or cells; split the file");
  if (grid.types.size() != grid.ends.size())
    throw Error(ExitCode::bad_input, fmt::format("{}: {} cells, but types of {}; export the file again", name,
                                                 grid.ends.size(), grid.types.size()));
  std::int64_t first = 0;
  for (std::size_t c = 0; c < grid.types.size(); ++c) {
    const std::int64_t end = grid.ends[c], count = end - first;
    if (end < first || end > std::ssize(grid.connectivity))
      refuse_cell(name, c,
                  fmt::format("ends at {} of {} connectivities; export the file again", end, grid.connectivity.size()));
    const auto kind =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const CellKind& k) { return k.number == grid.types[c]; });
    if (kind == std::end(kinds))
      refuse_cell(name, c, fmt::format("is of the unknown type {}; export tetrahedra or hexahedra", grid.types[c]));
    if (kind->dimension == 3) {
      if (const std::string why = refusal_of(*kind, file.shape); !why.empty()) refuse_cell(name, c, why);
      if (count != kind->nodes)
        refuse_cell(name, c, fmt::format("is a {} with {} nodes; export the file again", kind->name, count));
      file.shape = kind->shape;
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t n = grid.connectivity[static_cast<std::size_t>(first + k)];
        if (n < 0 || n >= std::ssize(grid.points))
          refuse_cell(name, c,
                      fmt::format("uses point {}, but the file has {} points (from 0); export it again", n,
                                  grid.points.size()));
        file.nodes.push_back(static_cast<std::int32_t>(n));
      }
      file.numbers.push_back(static_cast<std::int64_t>(c));
      file.rows.push_back(static_cast<std::int32_t>(c));
    }
    first = end;
  }
  if (first != std::ssize(grid.connectivity))
    throw Error(ExitCode::bad_input, fmt::format("{}: the cells use {} of {} connectivities; export the file again",
                                                 name, first, grid.connectivity.size()));
  file.positions = std::move(grid.points);
  file.vertex_columns = std::move(grid.point_data);
  file.element_columns = std::move(grid.cell_data);
  return solid_mesh_of(std::move(file), name);
}

}  // namespace ymir
