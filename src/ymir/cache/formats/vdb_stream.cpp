#include "ymir/cache/formats/vdb_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ymir/base/error.h"
#include "ymir/cache/formats/bounded_reader.h"

namespace ymir {
namespace {

constexpr std::uint64_t begin_mark = 0x3142445652494d59;  // "YMIRVDB1"
constexpr std::uint64_t end_mark = 0x31444e4552494d59;    // "YMIREND1"

void put_string(ByteWriter& out, const std::string& text) {
  out.put(static_cast<std::uint32_t>(text.size()));
  out.put_text(text);
}

std::string get_string(BoundedReader& in) {
  const auto text = in.take(in.get<std::uint32_t>("length of a name"), 1, "characters of a name");
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

void put_volume(ByteWriter& out, const VolumeGrid& grid) {
  YMIR_CHECK(grid.values.size() == grid.blocks.size() * grid.values_per_block());
  put_string(out, grid.name);
  out.put(static_cast<std::uint8_t>(grid.components));
  out.put(static_cast<std::uint8_t>(grid.staggered));
  out.put(grid.voxel);
  out.put_array(std::span<const Vec3d>(&grid.origin, 1));
  out.put_array(std::span<const float>(grid.background));
  out.put(static_cast<std::uint64_t>(grid.blocks.size()));
  out.put_array(std::span<const Vec3i>(grid.blocks));
  out.put_array(std::span<const float>(grid.values));
}

void check_blocks(const BoundedReader& in, const VolumeGrid& grid) {
  const auto key = [](const Vec3i& b) { return std::tuple(b.z, b.y, b.x); };
  // Voxel coordinates of blocks must stay 32-bit numbers.
  constexpr int limit = std::numeric_limits<int>::max() / VolumeGrid::block_side;
  for (std::size_t i = 0; i < grid.blocks.size(); ++i) {
    const Vec3i b = grid.blocks[i];
    for (const int c : {b.x, b.y, b.z})
      if (c > limit || c < -limit) in.fail(fmt::format("grid {}: block {} lies too far out", printable(grid.name), i));
    if (i > 0 && key(grid.blocks[i - 1]) >= key(b))
      in.fail(fmt::format("grid {}: block {} is out of order", printable(grid.name), i));
  }
}

void check_values(const BoundedReader& in, const VolumeGrid& grid) {
  const bool placed = std::isfinite(grid.voxel) && grid.voxel > 0 && is_finite(grid.origin);
  const bool background =
      std::all_of(grid.background.begin(), grid.background.end(), [](float v) { return std::isfinite(v); });
  if (!placed || !background)
    in.fail(fmt::format("grid {}: voxel size {}, origin or background is not finite and positive; export it again",
                        printable(grid.name), grid.voxel));
  const auto bad = std::find_if(grid.values.begin(), grid.values.end(), [](float v) { return !std::isfinite(v); });
  if (bad == grid.values.end()) return;
  const auto index = static_cast<std::size_t>(bad - grid.values.begin()) / static_cast<std::size_t>(grid.components);
  const Vec3i block = grid.blocks[index / VolumeGrid::block_voxels] * VolumeGrid::block_side;
  const int local = static_cast<int>(index % VolumeGrid::block_voxels);
  in.fail(fmt::format("grid {}, voxel ({}, {}, {}): the value is not finite; repair the volume and export it again",
                      printable(grid.name), block.x + local % 8, block.y + local / 8 % 8, block.z + local / 64));
}

VolumeGrid get_volume(BoundedReader& in) {
  VolumeGrid grid;
  grid.name = get_string(in);
  grid.components = in.get<std::uint8_t>("components");
  if (grid.components != 1 && grid.components != 3) in.fail(fmt::format("a grid has {} components", grid.components));
  grid.staggered = in.get<std::uint8_t>("staggering") != 0;
  grid.voxel = in.get<double>("voxel size");
  grid.origin = in.get_array<Vec3d>(1, "origin")[0];
  for (float& b : grid.background) b = in.get<float>("background");
  const auto blocks = in.get<std::uint64_t>("block count");
  grid.blocks = in.get_array<Vec3i>(blocks, "blocks");
  grid.values = in.get_array<float>(blocks * grid.values_per_block(), "voxels");
  check_blocks(in, grid);
  check_values(in, grid);
  return grid;
}

void put_points(ByteWriter& out, const NamedPoints& named) {
  put_string(out, named.name);
  out.put(static_cast<std::uint64_t>(named.points.positions.size()));
  out.put_array(std::span<const Vec3d>(named.points.positions));
  out.put(static_cast<std::uint32_t>(named.points.vertices.all().size()));
  for (const auto& [name, array] : named.points.vertices.all()) {
    put_string(out, name);
    out.put(static_cast<std::uint8_t>(array.type()));
    out.put(static_cast<std::uint8_t>(array.components()));
    out.put_array(std::span<const std::byte>(array.bytes()));
  }
}

NamedPoints get_points(BoundedReader& in) {
  NamedPoints named;
  named.name = get_string(in);
  const auto count = in.get<std::uint64_t>("point count");
  named.points.positions = in.get_array<Vec3d>(count, "points");
  for (std::size_t i = 0; i < named.points.positions.size(); ++i)
    if (!is_finite(named.points.positions[i]))
      in.fail(fmt::format("grid {}, point {}: the position is not finite; repair the points and export them again",
                          printable(named.name), i));
  named.points.vertices.resize(static_cast<std::size_t>(count));
  const auto channels = in.get<std::uint32_t>("channel count");
  for (std::uint32_t c = 0; c < channels; ++c) {
    std::string name = get_string(in);
    const auto type = in.get<std::uint8_t>("channel type");
    const auto components = in.get<std::uint8_t>("channel components");
    if (type > static_cast<int>(ScalarType::u64) || components < 1 || components > 16)
      in.fail(fmt::format("channel {} has type {} x {}", printable(name), type, components));
    const auto scalar = static_cast<ScalarType>(type);
    const auto bytes = in.take(count, size_of(scalar) * components, "channel values");
    Array array(scalar, components, static_cast<std::size_t>(count));
    std::copy(bytes.begin(), bytes.end(), array.bytes().begin());
    named.points.vertices.set(std::move(name), std::move(array));
  }
  return named;
}

}  // namespace

ByteWriter encode_vdb(const VdbContents& contents) {
  ByteWriter out;
  out.put(begin_mark);
  out.put(static_cast<std::uint32_t>(contents.volumes.size()));
  for (const VolumeGrid& grid : contents.volumes) put_volume(out, grid);
  out.put(static_cast<std::uint32_t>(contents.points.size()));
  for (const NamedPoints& named : contents.points) put_points(out, named);
  out.put(static_cast<std::uint32_t>(contents.skipped.size()));
  for (const std::string& text : contents.skipped) put_string(out, text);
  out.put(static_cast<std::uint8_t>(contents.half));
  out.put(end_mark);
  return out;
}

VdbContents decode_vdb(std::span<const std::byte> bytes, const std::string& name) {
  BoundedReader in(bytes, name);
  if (in.get<std::uint64_t>("mark") != begin_mark) in.fail("the VDB reader answered nonsense; the file may be hostile");
  VdbContents contents;
  const auto volumes = in.get<std::uint32_t>("grid count");
  for (std::uint32_t i = 0; i < volumes; ++i) contents.volumes.push_back(get_volume(in));
  const auto sets = in.get<std::uint32_t>("point grid count");
  for (std::uint32_t i = 0; i < sets; ++i) contents.points.push_back(get_points(in));
  const auto skipped = in.get<std::uint32_t>("count of skipped grids");
  for (std::uint32_t i = 0; i < skipped; ++i) contents.skipped.push_back(get_string(in));
  contents.half = in.get<std::uint8_t>("precision") != 0;
  if (in.get<std::uint64_t>("mark") != end_mark) in.fail("the VDB reader answered nonsense; the file may be hostile");
  in.expect_end();
  return contents;
}

}  // namespace ymir
