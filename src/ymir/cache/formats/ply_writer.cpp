#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/byte_writer.h"
#include "ymir/cache/formats/ply.h"
#include "ymir/cache/formats/single_precision.h"

namespace ymir {
namespace {

// One property to write: component `component` of `array`.
struct Column {
  std::string name;
  PlyType type;
  const Array* array;
  std::size_t component;
};

template <class T>
double element(const Array& array, std::size_t index) {
  T value;
  std::memcpy(&value, array.bytes().data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double element(const Array& array, std::size_t index) {
  switch (array.type()) {
    case ScalarType::f32: return element<float>(array, index);
    case ScalarType::f64: return element<double>(array, index);
    case ScalarType::i32: return element<std::int32_t>(array, index);
    case ScalarType::i64: return element<std::int64_t>(array, index);
    case ScalarType::u8: return element<std::uint8_t>(array, index);
    case ScalarType::u64: return element<std::uint64_t>(array, index);
  }
  return 0;
}

// PLY has no 64-bit integers.
PlyType type_for_wide_integers(const Array& array, const std::string& file, const std::string& channel) {
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < array.bytes().size() / 8; ++i) {
    low = std::min(low, element(array, i));
    high = std::max(high, element(array, i));
  }
  if (low >= 0 && high <= std::numeric_limits<std::uint32_t>::max()) return PlyType::u32;
  if (low >= std::numeric_limits<std::int32_t>::min() && high <= std::numeric_limits<std::int32_t>::max())
    return PlyType::i32;
  if (low < -0x1p53 || high >= 0x1p53)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: channel {} holds integers beyond 2^53, which PLY cannot store; write "
                            "another format or leave the channel out",
                            file, channel));
  return PlyType::f64;
}

PlyType type_for(const Array& array, const std::string& file, const std::string& channel) {
  switch (array.type()) {
    case ScalarType::f32: return PlyType::f32;
    case ScalarType::f64: return PlyType::f64;
    case ScalarType::i32: return PlyType::i32;
    case ScalarType::u8: return PlyType::u8;
    default: return type_for_wide_integers(array, file, channel);
  }
}

std::string property_name(const std::string& channel, int components, int component) {
  if (components == 1) return channel;
  if (components != 3) return channel + "_" + std::to_string(component);
  constexpr const char* colors[] = {"red", "green", "blue"};
  const char axis = "xyz"[component];
  if (channel == "velocity") return std::string("v") + axis;
  if (channel == "normal") return std::string("n") + axis;
  if (channel == "color") return colors[component];
  return channel + "_" + axis;
}

void add_channels(std::vector<Column>& columns, const Channels& channels, const std::string& file) {
  std::set<std::string> names;
  for (const Column& column : columns) names.insert(column.name);
  for (const auto& [channel, array] : channels.all()) {
    const PlyType type = type_for(array, file, channel);
    for (int c = 0; c < array.components(); ++c) {
      std::string name = property_name(channel, array.components(), c);
      std::replace_if(
          name.begin(), name.end(), [](char letter) { return letter <= ' ' || letter >= 0x7f; }, '_');
      if (!names.insert(name).second)
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: two channels would both be the property {}; rename one", file, name));
      columns.push_back({std::move(name), type, &array, static_cast<std::size_t>(c)});
    }
  }
}

class PlyFileWriter {
 public:
  PlyFileWriter(const std::filesystem::path& path, PlyEncoding encoding) : file_(path), encoding_(encoding) {}

  void header(const std::vector<Column>& vertex, std::size_t vertices, const std::vector<Column>& face,
              std::size_t faces) {
    std::string text =
        fmt::format("ply\nformat {} 1.0\ncomment written by ymir\nelement vertex {}\n", name_of(encoding_), vertices);
    for (const Column& c : vertex) text += fmt::format("property {} {}\n", name_of(c.type), c.name);
    if (faces > 0) {
      text += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", faces);
      for (const Column& c : face) text += fmt::format("property {} {}\n", name_of(c.type), c.name);
    }
    file_.write(text + "end_header\n");
  }
  void values(const std::vector<Column>& columns, std::size_t row) {
    for (const Column& c : columns) {
      const double v = element(*c.array, row * static_cast<std::size_t>(c.array->components()) + c.component);
      if (!std::isfinite(v))
        throw Error(ExitCode::numerical,
                    fmt::format("{}: property {} of element {} is not finite; nothing was written: "
                                "check the simulation",
                                file_.path().string(), c.name, row));
      value(c.type, v);
    }
  }
  void value(PlyType type, double v) {
    if (encoding_ == PlyEncoding::ascii) {
      const std::string_view space = row_started_ ? " " : "";
      row_started_ = true;
      type == PlyType::f32 ? row_.put_text(fmt::format("{}{}", space, static_cast<float>(v)))
                           : row_.put_text(fmt::format("{}{}", space, v));
      return;
    }
    switch (type) {
      case PlyType::u8: return binary(static_cast<std::uint8_t>(v));
      case PlyType::i32: return binary(static_cast<std::int32_t>(v));
      case PlyType::u32: return binary(static_cast<std::uint32_t>(v));
      case PlyType::f32: return binary(static_cast<float>(v));
      default: return binary(v);
    }
  }
  void end_row() {
    if (encoding_ == PlyEncoding::ascii) row_.put_text("\n");
    row_started_ = false;
    file_.write(row_.bytes());
    row_.clear();
  }
  void commit() { file_.commit(); }

 private:
  template <class T>
  void binary(T v) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &v, sizeof(T));
    if (encoding_ == PlyEncoding::binary_big_endian) std::reverse(bytes.begin(), bytes.end());
    row_.put_array(std::span<const std::byte>(bytes));
  }

  AtomicFile file_;
  PlyEncoding encoding_;
  ByteWriter row_;
  bool row_started_ = false;
};

std::vector<Column> vertex_columns(const Array& positions, const Channels& channels, const std::string& file) {
  std::vector<Column> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back({std::string(1, "xyz"[axis]), PlyType::f32, &positions, axis});
  add_channels(columns, channels, file);
  return columns;
}

}  // namespace

void write_ply(const std::filesystem::path& path, const Surface& surface, PlyEncoding encoding) {
  const Array positions = Array::of(single_precision(surface.positions, path.string()));
  const auto vertex = vertex_columns(positions, surface.vertices, path.string());
  std::vector<Column> face;
  add_channels(face, surface.faces, path.string());
  PlyFileWriter out(path, encoding);
  out.header(vertex, surface.positions.size(), face, surface.triangles.size());
  for (std::size_t i = 0; i < surface.positions.size(); ++i) {
    out.values(vertex, i);
    out.end_row();
  }
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    out.value(PlyType::u8, 3);
    for (const std::int32_t corner : surface.triangles[i]) out.value(PlyType::i32, corner);
    out.values(face, i);
    out.end_row();
  }
  out.commit();
}

void write_ply(const std::filesystem::path& path, const Points& points, PlyEncoding encoding) {
  const Array positions = Array::of(single_precision(points.positions, path.string()));
  const auto vertex = vertex_columns(positions, points.vertices, path.string());
  PlyFileWriter out(path, encoding);
  out.header(vertex, points.positions.size(), {}, 0);
  for (std::size_t i = 0; i < points.positions.size(); ++i) {
    out.values(vertex, i);
    out.end_row();
  }
  out.commit();
}

}  // namespace ymir
