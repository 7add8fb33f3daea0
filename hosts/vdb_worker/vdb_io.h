// VdbContents from and to OpenVDB's own files.
#pragma once

#include <cstdint>
#include <string>

#include "ymir/cache/formats/vdb.h"

namespace ymir {

VdbContents load_vdb(const std::string& path, std::uint64_t limit_bytes);
void save_vdb(const std::string& path, const VdbContents& contents);

}  // namespace ymir
