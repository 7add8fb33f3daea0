#include "ymir/cache/formats/vtk.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/vtk_grid.h"

namespace ymir {
namespace {

// Keywords and types are written in any case.
std::string lower(std::string_view word) {
  std::string text(word.substr(0, 40));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Spaces and other characters in names are written as %20.
std::string decoded(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    unsigned char code = 0;
    const char* digits = word.data() + i + 1;
    if (word[i] == '%' && i + 2 < word.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      text += static_cast<char>(code);
      i += 2;
    } else {
      text += word[i];
    }
  }
  return text;
}

class VtkParser {
 public:
  VtkParser(std::span<const std::byte> bytes, const std::string& name) : in_(bytes, name) {}

  SolidMesh parse() {
    header();
    for (auto word = in_.next_word(); !word.empty(); word = in_.next_word()) statement(lower(word), word);
    if (grid_.types.size() != grid_.ends.size())
      in_.fail(fmt::format("{} cells, but types of {}; the file is truncated: export it again", grid_.ends.size(),
                           grid_.types.size()));
    return solid_mesh_of(std::move(grid_), in_.name());
  }

 private:
  void header() {
    const auto first = in_.next_line();
    if (!first || !first->starts_with("# vtk DataFile Version"))
      in_.fail("the first line is not '# vtk DataFile Version ...'; this is not a legacy file of VTK");
    in_.next_line();  // title
    const std::string coding = lower(in_.next_word());
    if (coding == "binary") in_.fail("the file is binary; write it as ASCII (ParaView: File Type = Ascii)");
    if (coding != "ascii") in_.fail(fmt::format("expected ASCII, found {}; export the file again", printable(coding)));
    if (lower(in_.next_word()) != "dataset") in_.fail("expected DATASET; the file is damaged: export it again");
    const std::string kind = lower(in_.next_word());
    if (kind != "unstructured_grid")
      in_.fail(fmt::format("a dataset {}; export an UNSTRUCTURED_GRID of tetrahedra or hexahedra", printable(kind)));
  }

  void statement(const std::string& keyword, std::string_view word) {
    if (keyword == "points") {
      points();
    } else if (keyword == "cells") {
      cells();
    } else if (keyword == "cell_types") {
      const std::size_t count = bounded_count(in_, in_.next_word(), 2, "types of cells");
      if (!grid_.types.empty()) in_.fail("a second CELL_TYPES; export the file again");
      for (std::size_t c = 0; c < count; ++c) grid_.types.push_back(integer("the type of a cell"));
    } else if (keyword == "point_data") {
      begin_data(grid_.point_data, grid_.points.size(), "points");
    } else if (keyword == "cell_data") {
      begin_data(grid_.cell_data, grid_.ends.size(), "cells");
    } else if (keyword == "field") {
      field();
    } else if (keyword == "metadata") {
      metadata();
    } else if (columns_) {
      attribute(keyword, word);
    } else {
      unknown(word);
    }
  }
  // Up to the next empty line.
  void metadata() {
    in_.next_line();
    for (auto line = in_.next_line(); line && line->find_first_not_of(" \t") != std::string_view::npos;)
      line = in_.next_line();
  }
  [[noreturn]] void unknown(std::string_view word) const {
    in_.fail(fmt::format("unknown statement {}; the file is damaged or its counts are wrong: export it again",
                         printable(word)));
  }
  std::int64_t integer(std::string_view what) { return whole_number(in_, in_.next_word(), what); }
  ScalarType type() {
    const std::string_view word = in_.next_word();
    const auto known = vtk_type(lower(word));
    if (!known)
      in_.fail(fmt::format("unknown type of values {}; export them as float, double or int", printable(word)));
    return *known;
  }

  void points() {
    if (!grid_.points.empty()) in_.fail("a second POINTS; export the file again");
    const std::size_t count = bounded_count(in_, in_.next_word(), 6, "points");  // "0 0 0 "
    type();
    for (std::size_t i = 0; i < count; ++i)
      grid_.points.push_back(finite_position(in_, "point", static_cast<std::int64_t>(i)));
  }

  void cells() {
    if (!grid_.ends.empty()) in_.fail("a second CELLS; export the file again");
    const std::size_t count = bounded_count(in_, in_.next_word(), 2, "cells");
    const std::size_t size = bounded_count(in_, in_.next_word(), 2, "connectivities");
    if (count == 0) in_.fail("no cells; export a volume mesh");
    const std::string_view next = in_.next_word();
    if (lower(next) == "offsets") {
      offsets(count, size);
      return;
    }
    // Each cell: the number of its nodes, and these.
    for (std::size_t c = 0; c < count; ++c) {
      const std::int64_t nodes = whole_number(in_, c == 0 ? next : in_.next_word(), "the number of nodes of a cell");
      if (nodes < 0 || grid_.connectivity.size() + c + 1 + static_cast<std::size_t>(nodes) > size)
        in_.fail(fmt::format("cell {} of {} nodes does not fit into the {} numbers announced; export the file again", c,
                             nodes, size));
      for (std::int64_t k = 0; k < nodes; ++k) grid_.connectivity.push_back(integer("a node of a cell"));
      grid_.ends.push_back(std::ssize(grid_.connectivity));
    }
    if (grid_.connectivity.size() + count != size)
      in_.fail(fmt::format("{} cells of {} numbers, but {} were announced; export the file again", count,
                           grid_.connectivity.size() + count, size));
  }
  void offsets(std::size_t count, std::size_t size) {
    type();
    for (std::size_t c = 0; c < count; ++c) {
      const std::int64_t end = integer("the offset of a cell");
      if (c > 0) grid_.ends.push_back(end);
      if (c == 0 && end != 0) in_.fail(fmt::format("the first offset is {}, not 0; export the file again", end));
    }
    if (lower(in_.next_word()) != "connectivity")
      in_.fail("expected CONNECTIVITY after OFFSETS; the file is truncated or its counts are wrong: export it again");
    type();
    for (std::size_t k = 0; k < size; ++k) grid_.connectivity.push_back(integer("a node of a cell"));
  }

  void begin_data(std::vector<Column>& columns, std::size_t expected, const char* what) {
    const std::int64_t count = integer("the number of values");
    if (count < 0 || static_cast<std::size_t>(count) != expected)
      in_.fail(fmt::format("data for {} {} of {}; export the file again", count, what, expected));
    columns_ = &columns;
    tuples_ = expected;
  }

  void attribute(const std::string& keyword, std::string_view word) {
    Column column;
    if (keyword == "lookup_table") {
      in_.next_word();
      column.components = 4;
      read_vtk_array(in_, column, bounded_count(in_, in_.next_word(), 2, "colours"), *columns_);
      return;
    }
    column.name = decoded(in_.next_word());
    if (keyword == "scalars") {
      column.type = type();
      std::string_view rest = in_.next_line().value_or("");
      if (const std::string_view components = take_word(rest); !components.empty())
        column.components = components_of(components);
      BoundedReader ahead = in_;  // some writers leave the table out
      if (lower(ahead.next_word()) == "lookup_table") {
        ahead.next_word();
        in_ = ahead;
      }
    } else if (keyword == "color_scalars") {
      column.components = components_of(in_.next_word());
      column.type = ScalarType::f32;
    } else if (keyword == "texture_coordinates") {
      column.components = components_of(in_.next_word());
      column.type = type();
    } else if (keyword == "vectors" || keyword == "normals" || keyword == "tensors" || keyword == "tensors6") {
      column.components = keyword == "tensors" ? 9 : keyword == "tensors6" ? 6 : 3;
      column.type = type();
    } else if (keyword == "global_ids" || keyword == "pedigree_ids") {
      column.type = type();
    } else {
      unknown(word);
    }
    read_vtk_array(in_, std::move(column), tuples_, *columns_);
  }
  int components_of(std::string_view word) const {
    const std::int64_t count = whole_number(in_, word, "the number of components");
    if (count < 1 || count > 100)
      in_.fail(fmt::format("{} components, expected 1 to 100; export the file again", count));
    return static_cast<int>(count);
  }

  // Before any data it describes the whole file, and is skipped.
  void field() {
    in_.next_word();
    std::vector<Column> skipped;
    for (std::size_t left = bounded_count(in_, in_.next_word(), 8, "arrays"); left > 0; --left) {
      std::string_view word = in_.next_word();
      if (lower(word) == "metadata") {
        metadata();
        word = in_.next_word();
      }
      Column column;
      column.name = columns_ ? decoded(word) : "";
      column.components = components_of(in_.next_word());
      const std::size_t tuples = bounded_count(in_, in_.next_word(), 2, "tuples");
      column.type = type();
      if (columns_ && tuples != tuples_)
        in_.fail(fmt::format("{} has {} tuples, expected {}; export the file again", printable(column.name), tuples,
                             tuples_));
      read_vtk_array(in_, std::move(column), tuples, columns_ ? *columns_ : skipped);
    }
  }

  BoundedReader in_;
  VtkGrid grid_;
  std::vector<Column>* columns_ = nullptr;  // that attributes belong to
  std::size_t tuples_ = 0;
};

}  // namespace

SolidMesh read_vtk(std::span<const std::byte> bytes, const std::string& name) { return VtkParser(bytes, name).parse(); }

}  // namespace ymir
