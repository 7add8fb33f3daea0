#include "ymir/cache/formats/tetgen.h"

#include <utility>

#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/file_cells.h"
#include "ymir/cache/formats/node_numbers.h"
#include "ymir/cache/formats/number_words.h"
#include "ymir/data/quadratic_mesh.h"

namespace ymir {
namespace {

// Lines of words; comments and empty lines are left out.
class TetgenLines {
 public:
  explicit TetgenLines(const NamedBytes& file) : in_(file.bytes, file.name) {}

  bool next() {
    while (const auto line = in_.next_line()) {
      rest_ = line->substr(0, line->find('#'));
      if (rest_.find_first_not_of(" \t\r\v\f") != std::string_view::npos) return true;
    }
    return false;
  }
  void expect(std::string_view what) {
    if (!next())
      in_.fail(fmt::format("the file ends where {} should be; it is truncated or its counts are wrong: export it again",
                           what));
  }
  std::string_view next_word() { return take_word(rest_); }
  std::size_t remaining() const { return in_.remaining(); }
  [[noreturn]] void fail(std::string_view message) const { in_.fail(message); }
  void expect_end() {
    if (next()) fail("more lines follow than the first line announces; its counts are wrong: export the file again");
  }

 private:
  BoundedReader in_;
  std::string_view rest_;
};

constexpr std::size_t most_attributes = 256;  // each is a channel

std::vector<Column> attributes(TetgenLines& in, std::string_view word) {
  const std::size_t count = word.empty() ? 0 : bounded_count(in, word, 2, "attributes");
  if (count > most_attributes)
    in.fail(fmt::format("{} attributes, more than {}; export fewer", count, most_attributes));
  std::vector<Column> columns(count);
  for (std::size_t k = 0; k < count; ++k) columns[k].name = "attribute_" + std::to_string(k + 1);
  return columns;
}

NodeNumbers read_nodes(TetgenLines in, FileCells& file) {
  in.expect("the number of nodes");
  const std::size_t count = bounded_count(in, in.next_word(), 8, "nodes");  // "1 0 0 0\n"
  if (whole_number(in, in.next_word(), "the dimension") != 3) in.fail("the nodes are not of dimension 3; mesh a solid");
  file.vertex_columns = attributes(in, in.next_word());
  const std::string_view marked = in.next_word();
  if (!marked.empty() && whole_number(in, marked, "0 or 1 for boundary markers") != 0)
    file.vertex_columns.push_back({"marker", ScalarType::i32, 1, {}});
  NodeNumbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    in.expect(fmt::format("node {} of {}", i + 1, count));
    const std::int64_t number = whole_number(in, in.next_word(), "the number of a node");
    numbers.add(number);
    file.positions.push_back(finite_position(in, "node", number));
    for (Column& column : file.vertex_columns) {
      const std::string_view word = in.next_word();
      if (column.type == ScalarType::i32 && !std::in_range<std::int32_t>(whole_number(in, word, "a boundary marker")))
        in.fail(
            fmt::format("node {}: the boundary marker {} exceeds 32 bits; choose another", number, printable(word)));
      column.values.push_back(finite_number(in, word, "node", number));
    }
  }
  in.expect_end();
  if (const auto twice = numbers.sort()) in.fail(fmt::format("node {} is given twice; export the file again", *twice));
  return numbers;
}

void read_tetrahedra(TetgenLines in, const NodeNumbers& nodes, FileCells& file) {
  in.expect("the number of tetrahedra");
  const std::size_t count = bounded_count(in, in.next_word(), 10, "tetrahedra");  // "1 1 2 3 4\n"
  const std::string_view size = in.next_word();
  const std::int64_t corners = size.empty() ? 4 : whole_number(in, size, "the number of nodes of a tetrahedron");
  if (corners != 4 && corners != 10) in.fail(fmt::format("tetrahedra of {} nodes; write them with 4 or 10", corners));
  file.element_columns = attributes(in, in.next_word());
  NodeNumbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    in.expect(fmt::format("tetrahedron {} of {}", i + 1, count));
    const std::int64_t number = whole_number(in, in.next_word(), "the number of a tetrahedron");
    numbers.add(number);
    for (std::int64_t k = 0; k < corners; ++k) {
      const std::int64_t n = whole_number(in, in.next_word(), "the number of a node");
      const std::int32_t position = nodes.find(n);
      if (position < 0)
        in.fail(fmt::format("tetrahedron {} uses node {}, which the .node file does not have; export both files again",
                            number, n));
      file.nodes.push_back(position);
    }
    if (corners == 10) order_middles(file.positions, file.nodes.data() + file.nodes.size() - 10);
    for (Column& column : file.element_columns)
      column.values.push_back(finite_number(in, in.next_word(), "tetrahedron", number));
    file.rows.push_back(static_cast<std::int32_t>(i));
    file.numbers.push_back(number);
    file.shape = corners == 10 ? CellShape::quadratic_tetrahedron : CellShape::tetrahedron;
  }
  in.expect_end();
  if (const auto twice = numbers.sort())
    in.fail(fmt::format("tetrahedron {} is given twice; export the file again", *twice));
}

}  // namespace

SolidMesh read_tetgen(const NamedBytes& node, const NamedBytes& ele) {
  FileCells file;
  const NodeNumbers numbers = read_nodes(TetgenLines(node), file);
  read_tetrahedra(TetgenLines(ele), numbers, file);
  return solid_mesh_of(std::move(file), ele.name);
}

}  // namespace ymir
