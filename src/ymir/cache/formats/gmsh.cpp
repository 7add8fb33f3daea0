#include "ymir/cache/formats/gmsh.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/file_cells.h"
#include "ymir/cache/formats/node_numbers.h"
#include "ymir/cache/formats/number_words.h"

namespace ymir {
namespace {

// Of the surfaces, curves and points of higher order only those that Gmsh makes by itself.
constexpr CellKind kinds[] = {
    {1, "line", 1},
    {2, "triangle", 2},
    {3, "quadrilateral", 2},
    {4, "tetrahedron of 4 nodes", 3, 4, CellShape::tetrahedron},
    {5, "hexahedron of 8 nodes", 3, 8, CellShape::hexahedron},
    {6, "prism", 3},
    {7, "pyramid", 3},
    {8, "line of 3 nodes", 1},
    {9, "triangle of 6 nodes", 2},
    {10, "quadrilateral of 9 nodes", 2},
    {11, "tetrahedron of 10 nodes", 3, 10, CellShape::quadratic_tetrahedron},
    {12, "hexahedron of 27 nodes", 3},
    {13, "prism of 18 nodes", 3},
    {14, "pyramid of 14 nodes", 3},
    {15, "point", 0},
    {16, "quadrilateral of 8 nodes", 2},
    {17, "hexahedron of 20 nodes", 3},
    {18, "prism of 15 nodes", 3},
    {19, "pyramid of 13 nodes", 3},
    {20, "triangle of 9 nodes", 2},
    {21, "triangle of 10 nodes", 2},
    {22, "triangle of 12 nodes", 2},
    {23, "triangle of 15 nodes", 2},
    {24, "triangle of 15 nodes", 2},
    {25, "triangle of 21 nodes", 2},
    {26, "line of 4 nodes", 1},
    {27, "line of 5 nodes", 1},
    {28, "line of 6 nodes", 1},
    {29, "tetrahedron of 20 nodes", 3},
    {30, "tetrahedron of 35 nodes", 3},
    {31, "tetrahedron of 56 nodes", 3},
    {92, "hexahedron of 64 nodes", 3},
    {93, "hexahedron of 125 nodes", 3},
};

class GmshParser {
 public:
  GmshParser(std::span<const std::byte> bytes, const std::string& name) : in_(bytes, name) {}

  SolidMesh parse() {
    for (auto word = in_.next_word(); !word.empty(); word = in_.next_word()) {
      if (version_ == 0 && word != "$MeshFormat" && word != "$Comments")
        in_.fail(fmt::format("expected $MeshFormat, found {}; this is not a mesh of Gmsh", printable(word)));
      section(word);
    }
    if (version_ == 0) in_.fail("no $MeshFormat; this is not a mesh of Gmsh");
    return solid_mesh_of(std::move(file_), in_.name());
  }

 private:
  using Place = std::pair<std::int64_t, std::int64_t>;  // dimension and number

  void section(std::string_view opening) {
    if (opening.size() < 2 || opening[0] != '$' || opening.starts_with("$End"))
      in_.fail(fmt::format("expected a section such as $Nodes, found {}; export the file again", printable(opening)));
    section_ = opening.substr(1);
    if (section_ == "MeshFormat") {
      format();
    } else if (section_ == "PhysicalNames") {
      physical_names();
    } else if (section_ == "Entities" && version_ == 4) {
      entities();
    } else if (section_ == "Nodes") {
      if (nodes_.size() > 0) in_.fail("a second $Nodes; join them and export the file again");
      version_ == 2 ? nodes_2() : nodes_4();
      if (const auto twice = nodes_.sort())
        in_.fail(fmt::format("node {} is given twice; export the file again", *twice));
    } else if (section_ == "Elements") {
      if (nodes_.size() == 0) in_.fail("$Elements without $Nodes before; export the file again");
      if (elements_.size() > 0) in_.fail("a second $Elements; join them and export the file again");
      version_ == 2 ? elements_2() : elements_4();
      if (const auto twice = elements_.sort())
        in_.fail(fmt::format("element {} is given twice; export the file again", *twice));
    } else if (section_ == "NodeData") {
      data(nodes_, file_.vertex_columns);
    } else if (section_ == "ElementData") {
      data(elements_, file_.element_columns);
    } else {
      skip();
      return;
    }
    const std::string_view end = in_.next_word();
    if (!end.starts_with("$End") || end.substr(4) != section_)
      in_.fail(fmt::format("expected $End{}, found {}; the file is truncated or its counts are wrong: export it again",
                           section_, end.empty() ? "the end of the file" : printable(end)));
  }

  void skip() {
    while (const auto line = in_.next_line()) {
      std::string_view rest = *line;
      const std::string_view word = take_word(rest);
      if (word.starts_with("$End") && word.substr(4) == section_) return;
    }
    in_.fail(fmt::format("${} does not end; the file is truncated: export it again", printable(section_)));
  }

  // The next line that is not empty, for integer_of_line().
  void expect_line(std::string_view what) {
    do {
      const auto line = in_.next_line();
      if (!line) in_.fail(fmt::format("the file ends where {} should be; it is truncated: export it again", what));
      line_ = *line;
    } while (line_.find_first_not_of(" \t\r\v\f") == std::string_view::npos);
  }
  std::int64_t integer(std::string_view what) { return whole_number(in_, in_.next_word(), what); }
  std::int64_t integer_of_line(std::string_view what) { return whole_number(in_, take_word(line_), what); }
  std::size_t count(std::size_t bytes, std::string_view what) {
    return bounded_count(in_, in_.next_word(), bytes, what);
  }

  void format() {
    const std::string_view version = in_.next_word();
    if (version != "2.2" && version != "4.1")
      in_.fail(fmt::format("version {} of the format; save it as version 2.2 or 4.1 (Gmsh: Mesh.MshFileVersion = 4.1)",
                           printable(version)));
    version_ = version == "2.2" ? 2 : 4;
    if (integer("0 for ASCII or 1 for binary") != 0)
      in_.fail("the file is binary; save it as ASCII (Gmsh: Mesh.Binary = 0)");
    integer("the size of a number");
  }

  void physical_names() {
    const std::size_t names = count(7, "physical names");  // `3 1 "a"`
    for (std::size_t i = 0; i < names; ++i) {
      expect_line("a physical name");
      const std::int64_t dimension = integer_of_line("the dimension of a physical group");
      const std::int64_t number = integer_of_line("the number of a physical group");
      const std::string name = quoted(line_);
      auto& groups = dimension == 3 ? file_.element_groups : file_.vertex_groups;
      auto& known = group_named_[dimension == 3 ? 1 : 0];
      const auto [at, added] = known.try_emplace(name, groups.size());
      if (added) groups.push_back({name, {}});
      group_[{dimension, number}] = at->second;
    }
  }
  std::string quoted(std::string_view text) {
    const std::size_t first = text.find('"'), last = text.rfind('"');
    if (first == last || last - first < 2)
      in_.fail(fmt::format("expected a name in quotes, found {}; export the file again", printable(text)));
    return std::string(text.substr(first + 1, last - first - 1));
  }

  // Below 0: the group turns the entity round.
  std::optional<std::size_t> group_of(std::int64_t dimension, std::int64_t number) const {
    const bool turned = number < 0 && number > std::numeric_limits<std::int64_t>::min();
    const auto known = group_.find({dimension, turned ? -number : number});
    return known == group_.end() ? std::nullopt : std::optional(known->second);
  }

  void entities() {
    std::array<std::size_t, 4> counts{};
    for (std::size_t& c : counts) c = count(2, "entities");
    for (std::size_t dimension = 0; dimension < 4; ++dimension)
      for (std::size_t i = 0; i < counts[dimension]; ++i) entity(static_cast<std::int64_t>(dimension));
  }
  void entity(std::int64_t dimension) {
    const std::int64_t number = integer("the number of an entity");
    for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k)
      finite_number(in_, in_.next_word(), "bounds of the entity", number);
    for (std::size_t left = count(2, "physical groups of an entity"); left > 0; --left) {
      const auto known = group_of(dimension, integer("the number of a physical group"));
      if (!known) continue;
      auto& groups = groups_of_entity_[{dimension, number}];
      groups.push_back(*known);
      if (groups.size() > most_groups)
        in_.fail(fmt::format("entity {} is in more than {} named groups; join some", number, most_groups));
    }
    if (dimension == 0) return;
    for (std::size_t left = count(2, "boundaries of an entity"); left > 0; --left) integer("the number of a boundary");
  }

  void node(std::int64_t number) {
    nodes_.add(number);
    if (nodes_.size() > std::numeric_limits<std::int32_t>::max()) in_.fail("more than 2^31 - 1 nodes; split the file");
  }
  void nodes_2() {
    for (std::size_t left = count(8, "nodes"); left > 0; --left) {  // "1 0 0 0\n"
      const std::int64_t number = integer("the number of a node");
      node(number);
      file_.positions.push_back(finite_position(in_, "node", number));
    }
  }
  void nodes_4() {
    const std::size_t blocks = count(8, "blocks of nodes");
    const std::size_t total = count(8, "nodes");  // "1\n0 0 0\n"
    integer("the lowest number of a node"), integer("the highest number of a node");
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = integer("the dimension of an entity");
      integer("the number of an entity");
      const bool parametric = integer("0 or 1 for parametric nodes") != 0;
      if (dimension < 0 || dimension > 3)
        in_.fail(fmt::format("an entity of dimension {}; export the file again", dimension));
      const std::size_t held = count(8, "nodes of a block");
      std::vector<std::int64_t> numbers(held);
      for (std::int64_t& number : numbers) node(number = integer("the number of a node"));
      for (std::size_t i = 0; i < held; ++i) {
        file_.positions.push_back(finite_position(in_, "node", numbers[i]));
        for (std::int64_t k = 0; parametric && k < dimension; ++k)
          finite_number(in_, in_.next_word(), "node", numbers[i]);
      }
    }
    if (file_.positions.size() != total)
      in_.fail(fmt::format("the blocks hold {} nodes of {} announced; the file is damaged: export it again",
                           file_.positions.size(), total));
  }

  void elements_2() {
    std::vector<std::size_t> groups;
    for (std::size_t left = count(8, "elements"); left > 0; --left) {  // "1 15 0 1"
      expect_line("an element");
      const std::int64_t number = integer_of_line("the number of an element");
      const CellKind& kind = kind_of(integer_of_line("the type of an element"), number);
      const std::int64_t tags = integer_of_line("the number of tags of an element");
      groups.clear();
      for (std::int64_t k = 0; k < tags; ++k) {
        const std::int64_t tag = integer_of_line("a tag of an element");
        const auto known = k == 0 ? group_of(kind.dimension, tag) : std::nullopt;
        if (known) groups.push_back(*known);
      }
      element(kind, number, groups);
    }
  }
  void elements_4() {
    const std::size_t blocks = count(8, "blocks of elements");
    const std::size_t total = count(4, "elements");  // "1 1\n"
    integer("the lowest number of an element"), integer("the highest number of an element");
    std::size_t read = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = integer("the dimension of an entity");
      const std::int64_t entity = integer("the number of an entity");
      const std::int64_t type = integer("the type of elements");
      const std::size_t held = count(4, "elements of a block");
      const CellKind& kind =
          dimension >= 0 && dimension < 3 ? lower_[static_cast<std::size_t>(dimension)] : kind_of(type, b + 1, "block");
      if (kind.dimension != dimension)
        in_.fail(fmt::format("a {} in an entity of dimension {}; export the file again", kind.name, dimension));
      const auto known = groups_of_entity_.find({dimension, entity});
      for (std::size_t i = 0; i < held; ++i) {
        expect_line("an element");
        element(kind, integer_of_line("the number of an element"),
                known == groups_of_entity_.end() ? no_groups_ : known->second);
      }
      read += held;
    }
    if (read != total)
      in_.fail(fmt::format("the blocks hold {} elements of {} announced; the file is damaged: export it again", read,
                           total));
  }

  const CellKind& kind_of(std::int64_t type, std::int64_t number, const char* what = "element") const {
    const auto kind =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const CellKind& k) { return k.number == type; });
    if (kind == std::end(kinds))
      in_.fail(fmt::format("{} {} is of the unknown type {}; save elements of first order", what, number, type));
    return *kind;
  }

  // The rest of the line are its nodes.
  void element(const CellKind& kind, std::int64_t number, const std::vector<std::size_t>& groups) {
    if (kind.dimension < 3) {
      for (const std::size_t g : groups) {
        std::string_view rest = line_;
        for (auto word = take_word(rest); !word.empty(); word = take_word(rest))
          file_.vertex_groups[g].rows.push_back(node_of(word, number));
      }
      return;
    }
    if (const std::string why = refusal_of(kind, file_.shape); !why.empty())
      in_.fail(fmt::format("element {} {}", number, why));
    file_.shape = kind.shape;
    std::array<std::int32_t, 10> nodes{};
    for (int k = 0; k < kind.nodes; ++k) nodes[static_cast<std::size_t>(k)] = node_of(take_word(line_), number);
    if (kind.nodes == 10) std::swap(nodes[8], nodes[9]);  // Gmsh has the edges 1-3 and 2-3 the other way round
    file_.nodes.insert(file_.nodes.end(), nodes.begin(), nodes.begin() + kind.nodes);
    if (!take_word(line_).empty())
      in_.fail(fmt::format("element {}, a {}, has more nodes; export the file again", number, kind.name));
    const auto row = static_cast<std::int32_t>(elements_.size());
    elements_.add(number);
    file_.rows.push_back(row);
    file_.numbers.push_back(number);
    for (const std::size_t g : groups) file_.element_groups[g].rows.push_back(row);
  }
  std::int32_t node_of(std::string_view word, std::int64_t element) const {
    const std::int64_t number = whole_number(in_, word, "a node of an element");
    const std::int32_t node = nodes_.find(number);
    if (node < 0)
      in_.fail(fmt::format("element {} uses node {}, which the file does not have; export it again", element, number));
    return node;
  }

  void data(const NodeNumbers& known, std::vector<Column>& columns) {
    Column column;
    const std::size_t strings = count(3, "string tags");
    for (std::size_t k = 0; k < strings; ++k) {
      expect_line("a string tag");
      if (k == 0) column.name = quoted(line_);
    }
    if (column.name.empty()) in_.fail("the values have no name; give them one and export the file again");
    for (std::size_t left = count(2, "real tags"); left > 0; --left)
      finite_number(in_, in_.next_word(), "real tag", static_cast<std::int64_t>(left));
    std::array<std::int64_t, 3> tags{};  // time step, components, rows
    const std::size_t integers = count(2, "integer tags");
    for (std::size_t k = 0; k < integers; ++k) {
      const std::int64_t tag = integer("an integer tag");
      if (k < 3) tags[k] = tag;
    }
    if (integers < 3 || tags[1] < 1 || tags[1] > 9 || tags[2] < 0)
      in_.fail(
          fmt::format("{} has no valid number of components and rows; export the file again", printable(column.name)));
    column.components = static_cast<int>(tags[1]);
    for (std::int64_t i = 0; i < tags[2]; ++i) {
      const std::int64_t number = integer("a node or element with values");
      const std::int32_t row = known.find(number);
      for (int k = 0; k < column.components; ++k) {
        const double v = finite_number(in_, in_.next_word(), "values of", number);
        if (row >= 0) column.values.push_back(v);
      }
      if (row >= 0) column.rows.push_back(row);
    }
    auto rows = column.rows;
    std::sort(rows.begin(), rows.end());
    if (const auto twice = std::adjacent_find(rows.begin(), rows.end()); twice != rows.end())
      in_.fail(fmt::format(
          "{} is given twice for the same node or element, row {} of the values; leave one out", printable(column.name),
          std::distance(column.rows.begin(), std::find(column.rows.rbegin(), column.rows.rend(), *twice).base())));
    const bool later_step =
        std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column.name; });
    const bool channel = column.components == 1 || column.components == 3;
    if (channel && !later_step && !column.rows.empty()) columns.push_back(std::move(column));
  }

  static constexpr CellKind lower_[] = {{0, "point", 0}, {0, "curve", 1}, {0, "surface", 2}};

  BoundedReader in_;
  FileCells file_;
  std::string_view section_, line_;
  int version_ = 0;                                    // 2 or 4
  NodeNumbers nodes_, elements_;                       // of volume cells
  std::map<std::string, std::size_t> group_named_[2];  // of nodes, of cells
  std::map<Place, std::size_t> group_;                 // of a physical number
  std::map<Place, std::vector<std::size_t>> groups_of_entity_;
  const std::vector<std::size_t> no_groups_;
};

}  // namespace

SolidMesh read_gmsh(std::span<const std::byte> bytes, const std::string& name) {
  return GmshParser(bytes, name).parse();
}

}  // namespace ymir
