// An unstructured grid of VTK, as .vtk and .vtu store it. [Schroeder2006]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/cache/formats/file_cells.h"
#include "ymir/cache/formats/number_words.h"

namespace ymir {

struct VtkGrid {
  std::vector<Vec3d> points;
  std::vector<std::int64_t> connectivity;  // nodes of all cells, end to end
  std::vector<std::int64_t> ends;          // of each cell in connectivity
  std::vector<std::int64_t> types;         // of each cell
  std::vector<Column> point_data, cell_data;
};

SolidMesh solid_mesh_of(VtkGrid grid, const std::string& name);

// The type of a channel for one of an array, by its name in .vtk or .vtu; 8- and 16-bit integers widen to i32, except
// u8.
std::optional<ScalarType> vtk_type(std::string_view name);

// The next tuples * components words of `in`. Their number is checked first; without a channel for so many components
// they are left out.
template <class In>
void read_vtk_array(In& in, Column column, std::size_t tuples, std::vector<Column>& columns) {
  const auto width = static_cast<std::size_t>(column.components);
  if (width > 0 && tuples > (in.remaining() + 1) / 2 / width)
    in.fail(
        fmt::format("{} tuples of {} values of {} cannot be stored in the {} bytes that remain; the file is "
                    "truncated or its counts are wrong: export it again",
                    tuples, width, printable(column.name), in.remaining()));
  const bool channel = (width == 1 || width == 3) && !column.name.empty();
  const bool whole = column.type != ScalarType::f32 && column.type != ScalarType::f64;
  const double most = column.type == ScalarType::u8 ? 255 : column.type == ScalarType::i32 ? 0x7fffffff : 0x1p53;
  const double least = column.type == ScalarType::u8 ? 0 : -most;
  for (std::size_t i = 0; i < tuples * width; ++i) {
    const std::string_view word = in.next_word();
    if (word.empty())
      in.fail(
          fmt::format("{} ends before its {} values; the file is truncated or its counts are wrong: export it again",
                      printable(column.name), tuples * width));
    if (!channel) continue;
    const double v = finite_number(in, word, "tuple", static_cast<std::int64_t>(i / width));
    if (whole && (v != std::floor(v) || v < least || v > most))
      in.fail(fmt::format("{}: {} is no whole number of its type; export the file again", printable(column.name),
                          printable(word)));
    column.values.push_back(v);
  }
  if (channel) columns.push_back(std::move(column));
}

}  // namespace ymir
