#include "ymir/cache/formats/vtu.h"

#include <algorithm>

#include "ymir/cache/formats/vtk_grid.h"
#include "ymir/cache/formats/xml_reader.h"

namespace ymir {
namespace {

class VtuParser {
 public:
  VtuParser(std::span<const std::byte> bytes, const std::string& name)
      : in_({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name), name_(name) {}

  SolidMesh parse() {
    const auto first = in_.next_tag();
    if (!first || first->name != "VTKFile" || first->closes || first->empty)
      in_.fail("the file does not begin with <VTKFile>; this is not an XML file of VTK");
    if (const auto type = in_.attribute(*first, "type"); type != "UnstructuredGrid")
      in_.fail(fmt::format("a file of type {}; export an UnstructuredGrid of tetrahedra or hexahedra",
                           printable(type.value_or(""))));
    open_.push_back(first->name);
    while (!open_.empty()) {
      const auto tag = in_.next_tag();
      if (!tag)
        in_.fail(fmt::format("<{}> does not end; the file is truncated: export it again", printable(open_.back())));
      if (tag->closes)
        close(*tag);
      else
        open(*tag);
    }
    if (pieces_ == 0) in_.fail("no <Piece>; the file is empty or damaged: export it again");
    return solid_mesh_of(std::move(grid_), name_);
  }

 private:
  void close(const XmlTag& tag) {
    if (tag.name != open_.back())
      in_.fail(fmt::format("</{}> where </{}> should be; the file is damaged: export it again", printable(tag.name),
                           printable(open_.back())));
    open_.pop_back();
  }

  void open(const XmlTag& tag) {
    if (tag.name == "Piece") {
      if (++pieces_ > 1) in_.fail("a second <Piece>; merge the pieces (ParaView: Merge Blocks) and export again");
      points_ = count(tag, "NumberOfPoints", 6);  // "0 0 0 "
      cells_ = count(tag, "NumberOfCells", 4);    // "0 0 ": an offset and a type
    } else if (tag.name == "DataArray" && !tag.empty) {
      array(tag);
    }
    if (!tag.empty) open_.push_back(tag.name);
  }
  std::size_t count(const XmlTag& tag, std::string_view attribute, std::size_t bytes) const {
    return bounded_count(in_, in_.attribute(tag, attribute).value_or(""), bytes, attribute);
  }

  void array(const XmlTag& tag) {
    const std::string_view section = open_.back();
    const bool channel = section == "PointData" || section == "CellData";
    if (!channel && section != "Points" && section != "Cells") return;
    const std::string format = in_.attribute(tag, "format").value_or("ascii");
    if (format != "ascii")
      in_.fail(fmt::format("an array in format {}; write the file with ascii arrays (ParaView: Data Mode = Ascii)",
                           printable(format)));
    Column column;
    column.name = in_.attribute(tag, "Name").value_or("");
    if (const auto components = in_.attribute(tag, "NumberOfComponents")) {
      const std::int64_t number = whole_number(in_, *components, "the number of components");
      if (number < 0 || number > 100)
        in_.fail(fmt::format("{} components, expected 1 to 100; export the file again", number));
      column.components = std::max(1, static_cast<int>(number));  // VTK writes 0 for 1 at times
    }
    if (section == "Points")
      points(column);
    else if (section == "Cells")
      cells(column);
    else
      data(tag, column, section == "PointData");
    if (section != "Cells" && !in_.next_word().empty())
      in_.fail(fmt::format("{} has more values than the counts of the piece; export the file again",
                           printable(column.name)));
  }

  void points(const Column& column) {
    if (column.components != 3) in_.fail("points without 3 components; export the file again");
    if (!grid_.points.empty()) in_.fail("a second array of points; export the file again");
    for (std::size_t i = 0; i < points_; ++i)
      grid_.points.push_back(finite_position(in_, "point", static_cast<std::int64_t>(i)));
  }

  void cells(const Column& column) {
    auto* values = column.name == "connectivity" ? &grid_.connectivity
                   : column.name == "offsets"    ? &grid_.ends
                   : column.name == "types"      ? &grid_.types
                                                 : nullptr;
    if (!values) return;  // faces of polyhedra, which are refused by their type
    if (!values->empty()) in_.fail(fmt::format("a second array {}; export the file again", column.name));
    for (auto word = in_.next_word(); !word.empty(); word = in_.next_word())
      values->push_back(whole_number(in_, word, "a number of " + column.name));
    if (values != &grid_.connectivity && values->size() != cells_)
      in_.fail(
          fmt::format("{} has {} values for {} cells; export the file again", column.name, values->size(), cells_));
  }

  void data(const XmlTag& tag, Column column, bool of_points) {
    const std::string type = in_.attribute(tag, "type").value_or("");
    if (type == "String") {
      while (!in_.next_word().empty()) continue;
      return;
    }
    const auto known = vtk_type(type);
    if (!known) in_.fail(fmt::format("unknown type of values {}; export them as Float64 or Int32", printable(type)));
    column.type = *known;
    read_vtk_array(in_, std::move(column), of_points ? points_ : cells_,
                   of_points ? grid_.point_data : grid_.cell_data);
  }

  XmlReader in_;
  std::string name_;
  VtkGrid grid_;
  std::vector<std::string_view> open_;
  int pieces_ = 0;
  std::size_t points_ = 0, cells_ = 0;
};

}  // namespace

SolidMesh read_vtu(std::span<const std::byte> bytes, const std::string& name) { return VtuParser(bytes, name).parse(); }

}  // namespace ymir
