#include "ymir/cache/formats/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ymir/base/error.h"
#include "ymir/base/reach.h"

namespace ymir {
namespace {

// One scalar property of all elements; a double holds every PLY type exactly.
struct Column {
  const PlyProperty* property;
  std::vector<double> values;
};

struct PlyFile {
  std::vector<Column> vertex;
  std::vector<Column> face;
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<std::size_t> polygon;  // of each triangle
};

double limit(PlyType type, bool upper) {
  const int bits = static_cast<int>(size_of(type)) * 8;
  const bool is_signed = type == PlyType::i8 || type == PlyType::i16 || type == PlyType::i32;
  if (!upper) return is_signed ? -std::ldexp(1.0, bits - 1) : 0;
  return std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1;
}

template <class T>
double decode(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return static_cast<double>(value);
}

class PlyBody {
 public:
  PlyBody(BoundedReader& in, const PlyHeader& header) : in_(in), header_(header) {
    if (header.encoding != PlyEncoding::ascii) in_.end_text();
  }

  PlyFile read() {
    for (const PlyElement& element : header_.elements) read_element(element);
    if (header_.encoding != PlyEncoding::ascii) {
      in_.expect_end();
    } else if (const auto word = in_.next_word(); !word.empty()) {
      in_.fail(fmt::format("{} follows the end of the data; the counts in the header are wrong", printable(word)));
    }
    return std::move(file_);
  }

 private:
  double value(PlyType type, const PlyProperty& property) {
    if (header_.encoding == PlyEncoding::ascii) return ascii_value(type, property);
    const std::size_t size = size_of(type);
    auto bytes = in_.take(1, size, "values");
    std::array<std::byte, 8> swapped;
    if (header_.encoding == PlyEncoding::binary_big_endian) {
      std::reverse_copy(bytes.begin(), bytes.end(), swapped.begin());
      bytes = std::span(swapped).first(size);
    }
    switch (type) {
      case PlyType::i8: return decode<std::int8_t>(bytes);
      case PlyType::u8: return decode<std::uint8_t>(bytes);
      case PlyType::i16: return decode<std::int16_t>(bytes);
      case PlyType::u16: return decode<std::uint16_t>(bytes);
      case PlyType::i32: return decode<std::int32_t>(bytes);
      case PlyType::u32: return decode<std::uint32_t>(bytes);
      case PlyType::f32: return decode<float>(bytes);
      case PlyType::f64: return decode<double>(bytes);
    }
    return 0;
  }
  double ascii_value(PlyType type, const PlyProperty& property) {
    const std::string_view word = in_.next_word();
    if (word.empty()) in_.fail("the file ends before its data; it is truncated or the counts in its header are wrong");
    double number = 0;
    const bool valid = parse_number(word, number) &&
                       (!is_integer(type) ||
                        (number == std::floor(number) && number >= limit(type, false) && number <= limit(type, true)));
    if (!valid)
      in_.fail(fmt::format("property {} is {}, expected a {}; export the file again", property.name, printable(word),
                           name_of(type)));
    return type == PlyType::f32 ? static_cast<double>(static_cast<float>(number)) : number;
  }

  // Every row of `element` takes at least this many bytes, so its count is bounded by what remains.
  void check_count(const PlyElement& element) {
    std::size_t row = 0;
    for (const PlyProperty& p : element.properties)
      row += header_.encoding == PlyEncoding::ascii ? 2 : size_of(p.list ? p.count_type : p.type);
    // The last value of an ascii file needs no separator.
    if (element.count > (in_.remaining() + 1) / row)
      in_.fail(
          fmt::format("{} elements {} cannot be stored in the {} bytes that remain; the file is truncated or its "
                      "counts are wrong: export it again",
                      element.count, element.name, in_.remaining()));
  }

  void read_element(const PlyElement& element) {
    check_count(element);
    std::vector<Column>* columns = element.name == "vertex" ? &file_.vertex
                                   : element.name == "face" ? &file_.face
                                                            : nullptr;
    std::vector<Column> unused;
    if (!columns) columns = &unused;
    for (const PlyProperty& p : element.properties) {
      columns->push_back({&p, {}});
      if (columns != &unused && !p.list) columns->back().values.reserve(static_cast<std::size_t>(element.count));
    }
    for (std::uint64_t row = 0; row < element.count; ++row) {
      for (Column& column : *columns) {
        if (column.property->list) {
          read_list(*column.property, columns == &file_.face, row);
        } else {
          const double v = value(column.property->type, *column.property);
          if (columns == &unused) continue;
          if (!fits_in_frames(v))
            in_.fail(fmt::format("{} {}: property {} is {}; repair it and export the file again", element.name, row,
                                 column.property->name,
                                 std::isfinite(v) ? "larger than 32 bits can hold" : "not finite"));
          column.values.push_back(v);
        }
      }
    }
    std::erase_if(*columns, [](const Column& c) { return c.property->list; });
  }

  void read_list(const PlyProperty& property, bool of_face, std::uint64_t row) {
    const double count = value(property.count_type, property);
    const std::size_t each = header_.encoding == PlyEncoding::ascii ? 2 : size_of(property.type);
    if (count < 0 || count > static_cast<double>((in_.remaining() + 1) / each))
      in_.fail(
          fmt::format("list {} of {} values does not fit into the {} bytes that remain; the file is truncated or its "
                      "counts are wrong",
                      property.name, count, in_.remaining()));
    const bool corners = of_face && (property.name == "vertex_indices" || property.name == "vertex_index");
    if (corners && !is_integer(property.type))
      in_.fail("corner indices must have an integer type; export the file again");
    corners_.clear();
    for (double i = 0; i < count; ++i) {
      const double v = value(property.type, property);
      if (corners) corners_.push_back(checked_corner(v, row));
    }
    if (!corners) return;
    if (corners_.size() < 3)
      in_.fail(fmt::format("face {} has {} corners, expected 3 or more; export the file again", row, corners_.size()));
    for (std::size_t i = 2; i < corners_.size(); ++i) {
      const std::array<std::int32_t, 3> t{corners_[0], corners_[i - 1], corners_[i]};
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;  // encloses nothing
      file_.triangles.push_back(t);
      file_.polygon.push_back(static_cast<std::size_t>(row));
    }
  }
  std::int32_t checked_corner(double v, std::uint64_t row) const {
    const PlyElement* vertex = header_.find("vertex");
    const auto count = static_cast<double>(vertex ? vertex->count : 0);
    if (v < 0 || v >= count || v > std::numeric_limits<std::int32_t>::max())
      in_.fail(fmt::format("face {} uses vertex {}, but the file has {} vertices; export it again", row, v, count));
    return static_cast<std::int32_t>(v);
  }

  BoundedReader& in_;
  const PlyHeader& header_;
  PlyFile file_;
  std::vector<std::int32_t> corners_;
};

template <class T>
Array converted(const std::vector<double>& values) {
  std::vector<T> typed(values.size());
  std::transform(values.begin(), values.end(), typed.begin(), [](double v) { return static_cast<T>(v); });
  return Array::of(typed);
}

Array scalar_channel(const Column& column) {
  // 2^53: beyond it a double no longer tells whole numbers apart.
  const bool whole = std::all_of(column.values.begin(), column.values.end(),
                                 [](double v) { return v >= 0 && v <= 0x1p53 && v == std::floor(v); });
  if (column.property->name == "id" && whole) return converted<std::uint64_t>(column.values);
  switch (column.property->type) {
    case PlyType::f32: return converted<float>(column.values);
    case PlyType::f64: return converted<double>(column.values);
    case PlyType::u8: return converted<std::uint8_t>(column.values);
    case PlyType::u32: return converted<std::int64_t>(column.values);
    default: return converted<std::int32_t>(column.values);
  }
}

template <class T>
Array vector_channel(const std::array<const Column*, 3>& parts, bool colour) {
  std::vector<Vec3<T>> values(parts[0]->values.size());
  for (int axis = 0; axis < 3; ++axis) {
    const PlyType type = parts[static_cast<std::size_t>(axis)]->property->type;
    const double scale = colour && is_integer(type) ? 1 / limit(type, true) : 1;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i][axis] = static_cast<T>(parts[static_cast<std::size_t>(axis)]->values[i] * scale);
  }
  return Array::of(values);
}

struct Group {
  std::string channel;
  std::array<std::string, 3> parts;
};

// The vector a property opens (by its first component), if any.
Group group_of(const std::string& name) {
  if (name == "vx") return {"velocity", {"vx", "vy", "vz"}};
  if (name == "nx") return {"normal", {"nx", "ny", "nz"}};
  if (name == "red") return {"color", {"red", "green", "blue"}};
  if (name.size() > 2 && name.ends_with("_x")) {
    const std::string base = name.substr(0, name.size() - 2);
    return {base, {base + "_x", base + "_y", base + "_z"}};
  }
  return {};
}

const Column* find(const std::vector<Column>& columns, std::string_view name) {
  const auto it =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.property->name == name; });
  return it == columns.end() ? nullptr : &*it;
}

// Columns as channels; `taken` are not channels (positions).
Channels channels_of(const BoundedReader& in, const std::vector<Column>& columns, std::size_t count,
                     std::vector<const Column*> taken) {
  Channels channels;
  channels.resize(count);
  const auto add = [&](const std::string& name, Array array) {
    if (channels.has(name))
      in.fail(fmt::format("two sets of properties name the channel {}; rename one", printable(name)));
    channels.set(name, std::move(array));
  };
  for (const Column& column : columns) {
    const Group group = group_of(column.property->name);
    std::array<const Column*, 3> parts{};
    for (std::size_t i = 0; i < 3; ++i) parts[i] = find(columns, group.parts[i]);
    if (!std::all_of(parts.begin(), parts.end(), [](const Column* p) { return p != nullptr; })) continue;
    taken.insert(taken.end(), parts.begin(), parts.end());
    const bool colour = group.channel == "color";
    const bool wide = !colour && std::any_of(parts.begin(), parts.end(), [](const Column* p) {
      return p->property->type != PlyType::f32;
    });
    add(group.channel, wide ? vector_channel<double>(parts, colour) : vector_channel<float>(parts, colour));
  }
  for (const Column& column : columns)
    if (std::find(taken.begin(), taken.end(), &column) == taken.end())
      add(column.property->name, scalar_channel(column));
  return channels;
}

struct Vertices {
  std::vector<Vec3d> positions;
  Channels channels;
};

Vertices vertices_of(const BoundedReader& in, const PlyFile& file) {
  const Column* x = find(file.vertex, "x");
  const Column* y = find(file.vertex, "y");
  const Column* z = find(file.vertex, "z");
  if (!x || !y || !z) in.fail("the file has no vertices with properties x, y and z; export it with positions");
  Vertices vertices;
  vertices.positions.resize(x->values.size());
  for (std::size_t i = 0; i < vertices.positions.size(); ++i)
    vertices.positions[i] = {x->values[i], y->values[i], z->values[i]};
  vertices.channels = channels_of(in, file.vertex, vertices.positions.size(), {x, y, z});
  return vertices;
}

}  // namespace

Surface read_ply(std::span<const std::byte> bytes, const std::string& name) {
  BoundedReader in(bytes, name);
  const PlyHeader header = read_ply_header(in);
  PlyFile file = PlyBody(in, header).read();
  if (file.triangles.empty()) in.fail("the file has no faces; export a mesh, or read it as points");
  Surface surface;
  Vertices vertices = vertices_of(in, file);
  surface.positions = std::move(vertices.positions);
  surface.vertices = std::move(vertices.channels);
  surface.triangles = std::move(file.triangles);
  for (Column& column : file.face) {
    std::vector<double> repeated;
    repeated.reserve(file.polygon.size());
    for (const std::size_t p : file.polygon) repeated.push_back(column.values[p]);
    column.values = std::move(repeated);
  }
  surface.faces = channels_of(in, file.face, surface.triangles.size(), {});
  return surface;
}

Points read_ply_points(std::span<const std::byte> bytes, const std::string& name) {
  BoundedReader in(bytes, name);
  const PlyHeader header = read_ply_header(in);
  Vertices vertices = vertices_of(in, PlyBody(in, header).read());
  return {std::move(vertices.positions), std::move(vertices.channels)};
}

Surface read_ply(const std::filesystem::path& path) { return read_ply(FileBytes(path).bytes(), path.string()); }
Points read_ply_points(const std::filesystem::path& path) {
  return read_ply_points(FileBytes(path).bytes(), path.string());
}

}  // namespace ymir
