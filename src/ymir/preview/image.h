// Pictures in memory: linear light while rendering, 8-bit sRGB when done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

// Linear RGB radiance, row by row from the top left.
struct LinearImage {
  int width = 0;
  int height = 0;
  std::vector<Vec3f> pixels;

  LinearImage() = default;
  LinearImage(int w, int h) : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
  Vec3f& at(int x, int y) { return pixels[index(x, y)]; }
  const Vec3f& at(int x, int y) const { return pixels[index(x, y)]; }
};

// 8-bit sRGB, 3 bytes per pixel, row by row from the top left.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;

  friend bool operator==(const Image&, const Image&) = default;
};

// Compresses highlights without shifting hues below them, then encodes sRGB. Non-finite radiance becomes black.
Image tone_map(const LinearImage& radiance, float exposure);
// sRGB transfer function [IEC 61966-2-1], for colours chosen by eye.
float srgb_to_linear(float encoded);
float linear_to_srgb(float linear);

// Adds the light that a lens scatters around highlights (radiance above 1): three blurs of growing width.
void add_bloom(LinearImage& radiance, float strength);

}  // namespace ymir
