// What the file of a volume mesh holds, whatever its format, and the mesh that is made of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ymir/data/solid_mesh.h"

namespace ymir {

// One kind of cell as a format has it.
struct CellKind {
  int number;        // that stands for it in the file
  const char* name;  // in messages
  int dimension;
  int nodes = 0;  // of those that become cells
  std::optional<CellShape> shape{};
};

// Values of a channel. Row: of a node, or of a cell of any dimension, as the format counts them.
struct Column {
  std::string name;
  ScalarType type = ScalarType::f64;  // f32, f64, u8, i32 or i64
  int components = 1;                 // 1 or 3
  std::vector<double> values;
  std::vector<std::int32_t> rows{};  // that have values; empty: all, in order
};

// A named part of the mesh: 1 in its rows, 0 elsewhere. A few bytes name it, but it takes memory for every node, so the
// number of groups is bounded.
inline constexpr std::size_t most_groups = 128;
struct Group {
  std::string name;
  std::vector<std::int32_t> rows;
};

struct FileCells {
  std::vector<Vec3d> positions;
  std::optional<CellShape> shape;
  std::vector<std::int32_t> nodes;    // of the cells, numbered as ours, end to end, into positions
  std::vector<std::int64_t> numbers;  // of the cells, as the file counts them
  std::vector<std::int32_t> rows;     // of the cells, ascending
  std::vector<Column> vertex_columns, element_columns;
  std::vector<Group> vertex_groups, element_groups;
};

// Why a volume cell cannot be taken beside the others; empty when it can.
std::string refusal_of(const CellKind& kind, const std::optional<CellShape>& others);

// Nodes without a cell are dropped, inverted cells turned, the skin filled. Error(bad_input), naming file and cell,
// when there are no cells or a cell is flat, folded or inside another.
SolidMesh solid_mesh_of(FileCells file, const std::string& name);

}  // namespace ymir
