#include "ymir/preview/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/base/random.h"
#include "ymir/preview/image.h"

namespace ymir {
namespace {

Vec3f from_srgb(int r, int g, int b) {
  const auto linear = [](int c) { return srgb_to_linear(static_cast<float>(c) / 255.0f); };
  return {linear(r), linear(g), linear(b)};
}

// Interpolated in cube roots, where equal steps look about equal.
template <std::size_t N>
Vec3f ramp(const std::array<Vec3f, N>& stops, float t) {
  const float at = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(N - 1);
  const auto i = std::min(static_cast<std::size_t>(at), N - 2);
  const float f = at - static_cast<float>(i);
  const auto blend = [&](float a, float b) {
    const float root = std::cbrt(a) * (1 - f) + std::cbrt(b) * f;
    return root * root * root;
  };
  const Vec3f &a = stops[i], &b = stops[i + 1];
  return {blend(a.x, b.x), blend(a.y, b.y), blend(a.z, b.z)};
}

}  // namespace

Vec3f ember_color(float heat) {
  static const std::array<Vec3f, 6> stops{from_srgb(64, 14, 10),   from_srgb(140, 24, 12),  from_srgb(214, 58, 16),
                                          from_srgb(250, 116, 26), from_srgb(255, 182, 66), from_srgb(255, 238, 184)};
  return ramp(stops, heat);
}

Vec3f black_body_color(float temperature) {
  // Planck's law at 610, 550 and 465 nm, scaled to its largest value; hc/(lambda k) in K.
  const float t = std::clamp(temperature, 800.0f, 20000.0f);
  const auto planck = [&](float nanometres) {
    const float x = 1.4388e7f / (nanometres * t);
    return std::pow(550.0f / nanometres, 5.0f) / std::expm1(x);
  };
  const Vec3f c{planck(610), planck(550), planck(465)};
  return c / std::max({c.x, c.y, c.z});
}

Vec3f hair_color(std::uint64_t strand, float along) {
  Random random(0x68616972, strand);
  const float shade = static_cast<float>(random.uniform(0.72, 1.3));
  const float warmth = static_cast<float>(random.uniform(-0.12, 0.16));
  const Vec3f root = from_srgb(80, 60, 48), tip = from_srgb(140, 112, 88);
  const Vec3f base = root * (1 - along) + tip * along;
  return {base.x * shade * (1 + 0.5f * warmth), base.y * shade, base.z * shade * (1 - warmth)};
}

Vec3f clay_color(std::uint64_t object) {
  static const std::array<Vec3f, 4> clays{from_srgb(176, 168, 160), from_srgb(158, 168, 176), from_srgb(182, 164, 148),
                                          from_srgb(160, 172, 160)};
  return clays[object % clays.size()];
}

Vec3f scale_color(float value) {
  static const std::array<Vec3f, 6> stops{from_srgb(28, 22, 68),   from_srgb(36, 76, 128),  from_srgb(32, 130, 140),
                                          from_srgb(84, 178, 112), from_srgb(216, 208, 72), from_srgb(255, 250, 220)};
  return ramp(stops, value);
}

}  // namespace ymir
