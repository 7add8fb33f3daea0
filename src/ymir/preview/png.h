// PNG, in memory: the host writes the bytes (atomically). libpng stays behind png.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ymir/preview/image.h"

namespace ymir {

std::vector<std::byte> encode_png(const Image&);
// Any PNG as 8-bit RGB; throws Error(bad_input) when the bytes are not a sound PNG.
Image decode_png(std::span<const std::byte>);

// Grey values from 0 (black) to 1 (white), as stored, row by row from the top left; 16 bits are kept, colours become
// grey.
struct GreyImage {
  int width = 0;
  int height = 0;
  std::vector<float> values;
};
GreyImage decode_grey_png(std::span<const std::byte>);

}  // namespace ymir
