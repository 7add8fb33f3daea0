#include "ymir/cache/formats/byte_writer.h"

namespace ymir {

void ByteWriter::append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

}  // namespace ymir
