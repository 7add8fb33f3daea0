#include "ymir/cache/formats/file_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "ymir/base/error.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/data/cell_orientation.h"
#include "ymir/data/mesh_skin.h"

namespace ymir {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ExitCode::bad_input, name + ": " + what);
}

const char* name_of(CellShape shape) {
  switch (shape) {
    case CellShape::tetrahedron: return "tetrahedra of 4 nodes";
    case CellShape::hexahedron: return "hexahedra";
    case CellShape::quadratic_tetrahedron: return "tetrahedra of 10 nodes";
  }
  return "";
}

void add_to(std::string& warning, const std::string& what) {
  if (!warning.empty()) warning += "; ";
  warning += what;
}

// Keeps the nodes that a cell uses, in their order. The kept number of each node; below 0: none.
std::vector<std::int32_t> keep_used_nodes(SolidMesh& mesh, std::vector<Vec3d> positions) {
  std::vector<std::int32_t> kept(positions.size(), -1);
  for (const std::int32_t n : mesh.cells) kept[static_cast<std::size_t>(n)] = 0;
  for (std::size_t n = 0; n < kept.size(); ++n) {
    if (kept[n] < 0) continue;
    kept[n] = static_cast<std::int32_t>(mesh.positions.size());
    mesh.positions.push_back(positions[n]);
  }
  for (std::int32_t& n : mesh.cells) n = kept[static_cast<std::size_t>(n)];
  return kept;
}

void orient_cells(SolidMesh& mesh, const std::vector<std::int64_t>& numbers, const std::string& name) {
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  std::int64_t folded = 0, first = 0;
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    const auto nodes = std::span(mesh.cells).subspan(c * each, each);
    for (std::size_t a = 0; a < each; ++a)
      if (std::find(nodes.begin() + static_cast<std::ptrdiff_t>(a) + 1, nodes.end(), nodes[a]) != nodes.end())
        refuse(name, fmt::format("cell {} has a node twice; remove it, or cut the mesh into tetrahedra", numbers[c]));
    switch (orientation_of(mesh, c)) {
      case CellOrientation::upright: break;
      case CellOrientation::inverted: turn(mesh, c); break;
      case CellOrientation::flat:
        refuse(name, fmt::format("cell {} has no volume; remove it, or mesh the solid again", numbers[c]));
      case CellOrientation::folded:
        refuse(name, fmt::format("cell {} is folded: a part of it is inside out; mesh the solid again, or cut it into "
                                 "tetrahedra",
                                 numbers[c]));
    }
    if (folded_at_corner(mesh, c) && folded++ == 0) first = numbers[c];
  }
  if (folded > 0)
    add_to(mesh.warning,
           fmt::format("cell {}{} inside out at a corner, and overlaps its neighbours there; mesh the solid again, or "
                       "cut it into tetrahedra",
                       first, folded == 1 ? " is" : fmt::format(" and {} more are", folded - 1)));
}

template <class T>
Array typed(const std::vector<double>& values) {
  std::vector<T> converted(values.size());
  std::transform(values.begin(), values.end(), converted.begin(), [](double v) { return static_cast<T>(v); });
  return Array::of(converted);
}

template <class T>
Array typed_vectors(const std::vector<double>& values) {
  std::vector<Vec3<T>> converted(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); ++i) converted[i / 3][static_cast<int>(i % 3)] = static_cast<T>(values[i]);
  return Array::of(converted);
}

template <class T>
Array array_of(const Column& column, const std::vector<double>& values) {
  return column.components == 3 ? typed_vectors<T>(values) : typed<T>(values);
}

Array array_of(const Column& column, const std::vector<double>& values) {
  switch (column.type) {
    case ScalarType::f32: return array_of<float>(column, values);
    case ScalarType::u8: return array_of<std::uint8_t>(column, values);
    case ScalarType::i32: return array_of<std::int32_t>(column, values);
    case ScalarType::i64: return array_of<std::int64_t>(column, values);
    default: return array_of<double>(column, values);
  }
}

// Rows of a file as entries of channels.
struct Rows {
  const std::vector<std::int32_t>& entry;  // of each row up to the last that has one; below 0: none
  Channels& channels;
  const char* what;  // "nodes" or "cells"

  std::int32_t entry_of(std::size_t row) const { return row < entry.size() ? entry[row] : -1; }

  void add(const std::string& channel, Array array, const std::string& name) const {
    if (channels.has(channel))
      refuse(name, fmt::format("two sets of values of the {} are named {}; rename one", what, printable(channel)));
    channels.set(channel, std::move(array));
  }

  // What has no value for every entry is no channel.
  void add(const Column& column, const std::string& name, std::string& warning) const {
    const auto width = static_cast<std::size_t>(column.components);
    const std::size_t given = column.values.size() / width;
    std::size_t filled = 0;
    std::vector<double> values;
    if (given >= channels.count()) {
      values.resize(channels.count() * width);
      std::vector<bool> known(channels.count());
      for (std::size_t i = 0; i < given; ++i) {
        const std::int32_t to = entry_of(column.rows.empty() ? i : static_cast<std::size_t>(column.rows[i]));
        if (to < 0) continue;
        filled += known[static_cast<std::size_t>(to)] ? 0 : 1;
        known[static_cast<std::size_t>(to)] = true;
        for (std::size_t k = 0; k < width; ++k)
          values[static_cast<std::size_t>(to) * width + k] = column.values[i * width + k];
      }
    }
    if (filled == channels.count())
      add(column.name, array_of(column, values), name);
    else
      add_to(warning, fmt::format("{} has no value for some {} and was left out", printable(column.name), what));
  }

  void add(const std::vector<Group>& groups, const std::string& name) const {
    const auto used = [](const Group& g) { return !g.rows.empty(); };
    if (std::count_if(groups.begin(), groups.end(), used) > static_cast<std::ptrdiff_t>(most_groups))
      refuse(name, fmt::format("more than {} named groups of {}; join some", most_groups, what));
    for (const Group& group : groups) {
      if (!used(group)) continue;
      std::vector<float> member(channels.count(), 0.0f);
      for (const std::int32_t row : group.rows)
        if (const std::int32_t to = entry_of(static_cast<std::size_t>(row)); to >= 0)
          member[static_cast<std::size_t>(to)] = 1;
      add(group.name, Array::of(member), name);
    }
  }
};

}  // namespace

std::string refusal_of(const CellKind& kind, const std::optional<CellShape>& others) {
  if (!kind.shape)
    return fmt::format("is a {}; cut the mesh into tetrahedra (4 or 10 nodes) or hexahedra (8 nodes)", kind.name);
  if (others && *others != *kind.shape)
    return fmt::format("is a {}, but the cells before it are {}; write a file with one kind", kind.name,
                       name_of(*others));
  return {};
}

SolidMesh solid_mesh_of(FileCells file, const std::string& name) {
  if (!file.shape)
    refuse(name,
           "no tetrahedra or hexahedra; export a volume mesh, or read a surface as such and fill it with `cell:`");
  if (std::max(file.positions.size(), file.numbers.size()) > std::numeric_limits<std::int32_t>::max() / 8)
    refuse(name, "more than 2^28 nodes or cells; split the file");
  SolidMesh mesh;
  mesh.shape = *file.shape;
  mesh.cells = std::move(file.nodes);
  mesh.fill.assign(mesh.cell_count(), 1.0);
  const std::vector<std::int32_t> node_entry = keep_used_nodes(mesh, std::move(file.positions));
  orient_cells(mesh, file.numbers, name);

  // Rows ascend, as cells come in the order of the file.
  std::vector<std::int32_t> cell_entry(static_cast<std::size_t>(file.rows.back()) + 1, -1);
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    cell_entry[static_cast<std::size_t>(file.rows[c])] = static_cast<std::int32_t>(c);

  mesh.vertices.resize(mesh.positions.size());
  mesh.elements.resize(mesh.cell_count());
  const Rows nodes{node_entry, mesh.vertices, "nodes"}, cells{cell_entry, mesh.elements, "cells"};
  for (const Column& column : file.vertex_columns) nodes.add(column, name, mesh.warning);
  for (const Column& column : file.element_columns) cells.add(column, name, mesh.warning);
  nodes.add(file.vertex_groups, name);
  cells.add(file.element_groups, name);
  fill_skin(mesh, name);
  return mesh;
}

}  // namespace ymir
