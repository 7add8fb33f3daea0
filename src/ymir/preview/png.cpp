#include "ymir/preview/png.h"

#include <png.h>

#include <string>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr std::size_t largest_decoded = std::size_t{1} << 30;  // bytes

png_image described(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  return header;
}

}  // namespace

std::vector<std::byte> encode_png(const Image& image) {
  YMIR_CHECK(image.width > 0 && image.height > 0);
  YMIR_CHECK(image.rgb.size() == 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  png_image header = described(image);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::vector<std::byte> bytes(size);
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0)
    throw Error(ExitCode::internal, std::string("png: encoding failed: ") + header.message);
  bytes.resize(size);
  return bytes;
}

Image decode_png(std::span<const std::byte> bytes) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  const auto refuse = [&](const std::string& why) {
    png_image_free(&header);
    throw Error(ExitCode::bad_input, "png: " + why + "; the picture is damaged or not a PNG, write it again");
  };
  if (png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) == 0) refuse(header.message);
  header.format = PNG_FORMAT_RGB;
  if (PNG_IMAGE_SIZE(header) > largest_decoded) refuse("the picture would need more than 1 GiB");
  Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.rgb.resize(PNG_IMAGE_SIZE(header));
  if (png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr) == 0) refuse(header.message);
  return image;
}

GreyImage decode_grey_png(std::span<const std::byte> bytes) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  const auto refuse = [&](const std::string& why) {
    png_image_free(&header);
    throw Error(ExitCode::bad_input, "png: " + why + "; the picture is damaged or not a PNG, write it again");
  };
  if (png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) == 0) refuse(header.message);
  // Pictures of 16 bits are described as linear, and read without a curve; those of 8 bits are read as they are.
  const bool wide = (header.format & PNG_FORMAT_FLAG_LINEAR) != 0;
  header.format = wide ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
  if (PNG_IMAGE_SIZE(header) > largest_decoded) refuse("the picture would need more than 1 GiB");
  GreyImage image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.values.resize(static_cast<std::size_t>(header.width) * header.height);
  const png_color black{0, 0, 0};
  const auto read = [&](auto& pixels, float white) {
    pixels.resize(image.values.size());
    if (png_image_finish_read(&header, &black, pixels.data(), 0, nullptr) == 0) refuse(header.message);
    for (std::size_t i = 0; i < pixels.size(); ++i) image.values[i] = static_cast<float>(pixels[i]) / white;
  };
  if (wide) {
    std::vector<png_uint_16> pixels;
    read(pixels, 65535.0f);
  } else {
    std::vector<png_byte> pixels;
    read(pixels, 255.0f);
  }
  return image;
}

}  // namespace ymir
