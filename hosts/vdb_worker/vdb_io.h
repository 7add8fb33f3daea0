// VdbContents from and to OpenVDB's own files.
#pragma once

#include <cstdint>

#include "ymir/cache/formats/vdb.h"

namespace ymir {

// Registers OpenVDB's types and keeps it to one thread; before the process confines itself.
void start_openvdb();
// Both take an open, seekable file.
VdbContents load_vdb(int file, std::uint64_t limit_bytes);
void save_vdb(int file, const VdbContents& contents);

}  // namespace ymir
