#include <cstdint>

#include "expect_mesh.h"
#include "ymir/base/error.h"
#include "ymir/cache/formats/vdb_stream.h"

// What ymir-vdb-worker answers is as untrusted as the file it reads.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ymir::VdbContents contents = ymir::decode_vdb(std::as_bytes(std::span(data, size)), "fuzz");
    for (const ymir::VolumeGrid& grid : contents.volumes) {
      ymir::fuzz::expect(grid.values.size() == grid.blocks.size() * grid.values_per_block());
      for (const float v : grid.values) ymir::fuzz::expect(std::isfinite(v));
    }
    for (const ymir::NamedPoints& named : contents.points) ymir::fuzz::expect_valid(named.points);
  } catch (const ymir::Error&) {
  }
  return 0;
}
