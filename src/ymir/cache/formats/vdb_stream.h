// The form in which VDB contents travel between ymir and ymir-vdb-worker. Neither side trusts the other's bytes:
// decode_vdb checks every count, range and value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ymir/cache/formats/byte_writer.h"
#include "ymir/cache/formats/vdb.h"

namespace ymir {

constexpr int vdb_worker_refused = 1;  // exit status: standard output holds the message
constexpr int vdb_worker_file = 3;     // descriptor of the VDB file
constexpr const char* vdb_worker_out_of_memory =
    "needs more memory than a VDB file of its size may; crop or coarsen it";

ByteWriter encode_vdb(const VdbContents& contents);
VdbContents decode_vdb(std::span<const std::byte> bytes, const std::string& name);

}  // namespace ymir
