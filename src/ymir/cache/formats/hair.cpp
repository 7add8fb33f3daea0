#include "ymir/cache/formats/hair.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/byte_writer.h"
#include "ymir/cache/formats/single_precision.h"

namespace ymir {
namespace {

constexpr std::uint32_t segments_bit = 1, points_bit = 2, thickness_bit = 4, transparency_bit = 8, color_bit = 16;
constexpr std::uint32_t known_bits = 31;
constexpr std::size_t info_bytes = 88;

HairHeader parse_header(BoundedReader& in) {
  const auto magic = in.take(1, 4, "header");
  if (std::memcmp(magic.data(), "HAIR", 4) != 0) in.fail("expected the letters HAIR; this is not a .hair file");
  HairHeader header;
  header.strands = in.get<std::uint32_t>("strand count");
  header.points = in.get<std::uint32_t>("point count");
  header.flags = in.get<std::uint32_t>("flags");
  header.default_segments = in.get<std::uint32_t>("default segment count");
  header.default_thickness = in.get<float>("default thickness");
  header.default_transparency = in.get<float>("default transparency");
  for (float& c : header.default_color) c = in.get<float>("default color");
  const auto info = in.take(1, info_bytes, "information");
  const auto* text = reinterpret_cast<const char*>(info.data());
  header.info.assign(text, std::find(text, text + info_bytes, '\0'));
  return header;
}

std::vector<std::int64_t> parse_segments(BoundedReader& in, const HairHeader& header) {
  std::vector<std::uint16_t> segments;
  if (header.flags & segments_bit) segments = in.get_array<std::uint16_t>(header.strands, "segment counts");
  // Every point has bytes and every strand has a point, so the index below is bounded by the file.
  in.require(header.points, 3 * sizeof(float), "points");
  if (header.strands > header.points)
    in.fail(fmt::format("{} strands cannot share {} points; export the file again", header.strands, header.points));
  std::vector<std::int64_t> first(std::size_t{header.strands} + 1, 0);
  for (std::size_t s = 0; s < header.strands; ++s)
    first[s + 1] = first[s] + 1 + (segments.empty() ? std::int64_t{header.default_segments} : segments[s]);
  if (first.back() != header.points)
    in.fail(fmt::format("the segment counts of {} strands need {} points, the header says {}; export the file again",
                        header.strands, first.back(), header.points));
  return first;
}

std::string place(const Curves& curves, std::size_t vertex) {
  const auto next = std::upper_bound(curves.first.begin(), curves.first.end(), static_cast<std::int64_t>(vertex));
  const auto strand = next - curves.first.begin() - 1;
  return fmt::format("strand {}, point {}", strand,
                     static_cast<std::int64_t>(vertex) - curves.first[static_cast<std::size_t>(strand)]);
}

// Values of one array, `components` per vertex; a value that is not finite is an error naming its strand.
std::vector<float> parse_values(BoundedReader& in, const Curves& curves, std::size_t vertices, std::size_t components,
                                std::string_view what) {
  const std::size_t start = in.offset();
  auto values = in.get_array<float>(vertices * components, what);
  const auto bad = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad == values.end()) return values;
  const auto index = static_cast<std::size_t>(bad - values.begin());
  throw Error(ExitCode::bad_input,
              fmt::format("{}: byte {}: {}: {} is not finite; repair the groom and export it again", in.name(),
                          start + index * sizeof(float), place(curves, index / components), what));
}

Array vectors(const std::vector<float>& values) {
  Array array(ScalarType::f32, 3, values.size() / 3);
  if (!values.empty()) std::memcpy(array.bytes().data(), values.data(), values.size() * sizeof(float));
  return array;
}

}  // namespace

HairHeader read_hair_header(std::span<const std::byte> bytes, const std::string& name) {
  BoundedReader in(bytes, name);
  return parse_header(in);
}

Curves read_hair(std::span<const std::byte> bytes, const std::string& name) {
  BoundedReader in(bytes, name);
  const HairHeader header = parse_header(in);
  if (header.flags & ~known_bits)
    in.fail(fmt::format("flags {:#x} announce arrays this version of the format does not have; export without them",
                        header.flags));
  if (!(header.flags & points_bit)) in.fail("the file has no point array (flag bit 1); export it with points");

  Curves curves;
  curves.first = parse_segments(in, header);
  const std::size_t vertices = header.points;
  const auto points = parse_values(in, curves, vertices, 3, "point coordinates");
  curves.positions.resize(vertices);
  for (std::size_t i = 0; i < vertices; ++i)
    curves.positions[i] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
  curves.vertices.resize(vertices);
  curves.edges.resize(curves.edge_count());
  curves.strands.resize(curves.strand_count());
  if (header.flags & thickness_bit) {
    auto radius = parse_values(in, curves, vertices, 1, "thickness");
    for (float& r : radius) r *= 0.5f;
    curves.vertices.set("radius", Array::of(radius));
  }
  if (header.flags & transparency_bit)
    curves.vertices.set("transparency", Array::of(parse_values(in, curves, vertices, 1, "transparency")));
  if (header.flags & color_bit) curves.vertices.set("color", vectors(parse_values(in, curves, vertices, 3, "color")));
  in.expect_end();
  return curves;
}

Curves read_hair(const std::filesystem::path& path) { return read_hair(FileBytes(path).bytes(), path.string()); }

void write_hair(const std::filesystem::path& path, const Curves& curves) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::bad_input, path.string() + ": " + what + "; write another format");
  };
  const std::size_t strands = curves.strand_count();
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (strands > most || curves.positions.size() > most) refuse("more than 2^32 - 1 strands or points");
  std::vector<std::uint16_t> segments(strands);
  for (std::size_t s = 0; s < strands; ++s) {
    const std::int64_t count = curves.first[s + 1] - curves.first[s] - 1;
    YMIR_CHECK(count >= 0);
    if (count > 0xffff) refuse(fmt::format("strand {} has {} segments, a .hair file holds 65535", s, count));
    segments[s] = static_cast<std::uint16_t>(count);
  }
  const auto channel = [&](const char* name, bool vector) {
    const Array* array = curves.vertices.find(name);
    return array && (vector ? array->holds<Vec3f>() : array->holds<float>()) ? array : nullptr;
  };
  const Array* radius = channel("radius", false);
  const Array* transparency = channel("transparency", false);
  const Array* color = channel("color", true);

  ByteWriter out;
  out.put_text("HAIR");
  out.put(static_cast<std::uint32_t>(strands));
  out.put(static_cast<std::uint32_t>(curves.positions.size()));
  out.put(segments_bit | points_bit | (radius ? thickness_bit : 0u) | (transparency ? transparency_bit : 0u) |
          (color ? color_bit : 0u));
  const std::array<float, 6> defaults{0, 1, 0, 1, 1, 1};  // segments (0 has the same bits), thickness, look
  out.put_array(std::span<const float>(defaults));
  std::string info = "written by ymir";
  info.resize(info_bytes, '\0');
  out.put_text(info);
  out.put_array(std::span<const std::uint16_t>(segments));
  out.put_array(std::span<const Vec3f>(single_precision(curves.positions, path.string())));
  if (radius)
    for (const float r : radius->as<float>()) out.put(2 * r);
  for (const Array* array : {transparency, color})
    if (array) out.put_array(std::span<const std::byte>(array->bytes()));
  AtomicFile file(path);
  file.write(out.bytes());
  file.commit();
}

}  // namespace ymir
