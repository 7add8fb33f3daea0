#include "ymir/cache/formats/usc_data.h"

#include <fmt/format.h>

#include <limits>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/byte_writer.h"
#include "ymir/cache/formats/single_precision.h"

namespace ymir {

Curves read_usc_data(std::span<const std::byte> bytes, const std::string& name) {
  BoundedReader in(bytes, name);
  const auto strands = in.get<std::int32_t>("strand count");
  constexpr std::size_t smallest = sizeof(std::int32_t) + sizeof(Vec3f);  // a strand of one point
  if (strands < 0 || static_cast<std::size_t>(strands) > in.remaining() / smallest)
    in.fail(fmt::format(
        "{} strands cannot be stored in the {} bytes that remain; the file is truncated or not a .data file", strands,
        in.remaining()));
  Curves curves;
  curves.first.reserve(static_cast<std::size_t>(strands) + 1);
  curves.positions.reserve(in.remaining() / sizeof(Vec3f));
  for (std::int32_t s = 0; s < strands; ++s) {
    const auto count = in.get<std::int32_t>("point count of a strand");
    if (count < 1) in.fail(fmt::format("strand {} has {} points, expected 1 or more; export the file again", s, count));
    for (const Vec3f& p : in.get_array<Vec3f>(static_cast<std::uint64_t>(count), "points of a strand")) {
      if (!is_finite(p))
        in.fail(fmt::format("strand {}, point {}: the position is not finite; repair the groom and export it again", s,
                            static_cast<std::int64_t>(curves.positions.size()) - curves.first.back()));
      curves.positions.emplace_back(p);
    }
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  in.expect_end();
  curves.vertices.resize(curves.positions.size());
  curves.edges.resize(curves.edge_count());
  curves.strands.resize(curves.strand_count());
  return curves;
}

Curves read_usc_data(const std::filesystem::path& path) {
  return read_usc_data(FileBytes(path).bytes(), path.string());
}

void write_usc_data(const std::filesystem::path& path, const Curves& curves) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (curves.strand_count() > most || curves.positions.size() > most)
    throw Error(ExitCode::bad_input, path.string() + ": more than 2^31 - 1 strands or points; write another format");
  const auto points = single_precision(curves.positions, path.string());
  ByteWriter out;
  out.put(static_cast<std::int32_t>(curves.strand_count()));
  for (std::size_t s = 0; s < curves.strand_count(); ++s) {
    const auto begin = static_cast<std::size_t>(curves.first[s]);
    const auto count = static_cast<std::size_t>(curves.first[s + 1]) - begin;
    out.put(static_cast<std::int32_t>(count));
    out.put_array(std::span<const Vec3f>(points).subspan(begin, count));
  }
  AtomicFile file(path);
  file.write(out.bytes());
  file.commit();
}

}  // namespace ymir
