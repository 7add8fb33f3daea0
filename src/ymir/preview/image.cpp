#include "ymir/preview/image.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/base/hash.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// The "PBR neutral" curve (Khronos, 2024): identity up to 0.76, then a shoulder that desaturates towards white.
Vec3f compress(Vec3f c) {
  constexpr float start = 0.76f, desaturation = 0.15f;
  const float low = std::min({c.x, c.y, c.z});
  const float offset = low < 0.08f ? low - 6.25f * low * low : 0.04f;
  c = c - Vec3f{offset, offset, offset};
  const float peak = std::max({c.x, c.y, c.z});
  if (peak < start) return c;
  constexpr float d = 1 - start;
  const float new_peak = 1 - d * d / (peak + d - start);
  c *= new_peak / peak;
  const float g = 1 - 1 / (desaturation * (peak - new_peak) + 1);
  return c * (1 - g) + Vec3f{new_peak, new_peak, new_peak} * g;
}

// Rounded up or down by chance, so that slow gradients do not show as bands.
std::uint8_t to_byte(float linear, float chance) {
  const float level = 255.0f * linear_to_srgb(std::clamp(linear, 0.0f, 1.0f));
  return static_cast<std::uint8_t>(std::min(level + chance, 255.0f));
}

std::vector<float> gaussian_kernel(int radius) {
  std::vector<float> kernel(static_cast<std::size_t>(2 * radius + 1));
  const float sigma = 0.4f * static_cast<float>(radius) + 0.3f;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const float x = static_cast<float>(i) / sigma;
    sum += kernel[static_cast<std::size_t>(i + radius)] = std::exp(-0.5f * x * x);
  }
  for (float& k : kernel) k /= sum;
  return kernel;
}

// One axis of a separable blur; the picture continues as black beyond its edge.
LinearImage blur_axis(const LinearImage& in, int radius, bool along_x) {
  const std::vector<float> kernel = gaussian_kernel(radius);
  LinearImage out(in.width, in.height);
  parallel_for(in.height, [&](std::ptrdiff_t row) {
    const int y = static_cast<int>(row);
    for (int x = 0; x < in.width; ++x) {
      const int at = along_x ? x : y, end = along_x ? in.width : in.height;
      Vec3f sum;
      for (int i = std::max(-radius, -at); i <= std::min(radius, end - 1 - at); ++i)
        sum += (along_x ? in.at(x + i, y) : in.at(x, y + i)) * kernel[static_cast<std::size_t>(i + radius)];
      out.at(x, y) = sum;
    }
  });
  return out;
}

LinearImage halve(const LinearImage& in) {
  LinearImage out((in.width + 1) / 2, (in.height + 1) / 2);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      Vec3f sum;
      for (int k = 0; k < 4; ++k)
        sum += in.at(std::min(2 * x + (k & 1), in.width - 1), std::min(2 * y + (k >> 1), in.height - 1));
      out.at(x, y) = sum * 0.25f;
    }
  return out;
}

Vec3f sample(const LinearImage& image, float x, float y) {
  const float fx = std::clamp(x - 0.5f, 0.0f, static_cast<float>(image.width - 1));
  const float fy = std::clamp(y - 0.5f, 0.0f, static_cast<float>(image.height - 1));
  const int x0 = static_cast<int>(fx), y0 = static_cast<int>(fy);
  const int x1 = std::min(x0 + 1, image.width - 1), y1 = std::min(y0 + 1, image.height - 1);
  const float u = fx - static_cast<float>(x0), v = fy - static_cast<float>(y0);
  return (image.at(x0, y0) * (1 - u) + image.at(x1, y0) * u) * (1 - v) +
         (image.at(x0, y1) * (1 - u) + image.at(x1, y1) * u) * v;
}

}  // namespace

float srgb_to_linear(float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); }
float linear_to_srgb(float c) { return c <= 0.0031308f ? c * 12.92f : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f; }

Image tone_map(const LinearImage& radiance, float exposure) {
  Image image{radiance.width, radiance.height, std::vector<std::uint8_t>(radiance.pixels.size() * 3)};
  for (std::size_t i = 0; i < radiance.pixels.size(); ++i) {
    Vec3f c = radiance.pixels[i] * exposure;
    c = is_finite(c) ? compress(cwise_max(c, Vec3f{})) : Vec3f{};
    const float chance = 0.1f + 0.8f * static_cast<float>(mix64(i) >> 40) * 0x1p-24f;
    image.rgb[3 * i] = to_byte(c.x, chance);
    image.rgb[3 * i + 1] = to_byte(c.y, chance);
    image.rgb[3 * i + 2] = to_byte(c.z, chance);
  }
  return image;
}

void add_bloom(LinearImage& radiance, float strength) {
  if (strength <= 0 || radiance.pixels.empty()) return;
  LinearImage bright(radiance.width, radiance.height);
  for (std::size_t i = 0; i < bright.pixels.size(); ++i) {
    const Vec3f c = radiance.pixels[i];
    const float peak = std::max({c.x, c.y, c.z});
    if (std::isfinite(peak) && peak > 1) bright.pixels[i] = c * ((peak - 1) / peak);
  }
  // Radii follow the picture's height so that a larger picture shows the same glow.
  const float scale = static_cast<float>(radiance.height) / 540.0f;
  constexpr std::array<float, 3> radii{5.0f, 9.0f, 12.0f}, weights{0.5f, 0.3f, 0.2f};
  for (std::size_t level = 0; level < radii.size(); ++level) {
    const int radius = std::max(1, static_cast<int>(std::lround(radii[level] * scale)));
    const LinearImage blurred = blur_axis(blur_axis(bright, radius, true), radius, false);
    const float sx = static_cast<float>(blurred.width) / static_cast<float>(radiance.width);
    const float sy = static_cast<float>(blurred.height) / static_cast<float>(radiance.height);
    parallel_for(radiance.height, [&](std::ptrdiff_t row) {
      const int y = static_cast<int>(row);
      for (int x = 0; x < radiance.width; ++x)
        radiance.at(x, y) += sample(blurred, (static_cast<float>(x) + 0.5f) * sx, (static_cast<float>(y) + 0.5f) * sy) *
                             (strength * weights[level]);
    });
    bright = halve(halve(bright));
  }
}

}  // namespace ymir
