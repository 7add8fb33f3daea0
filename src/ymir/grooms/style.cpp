#include "ymir/grooms/style.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ymir/base/error.h"

namespace ymir {

Hairstyle hairstyle_of(std::string_view name) {
  const auto found = std::find(hairstyle_names.begin(), hairstyle_names.end(), name);
  if (found == hairstyle_names.end())
    throw Error(ExitCode::usage,
                fmt::format("{}: no such hairstyle; choose {}", name, fmt::join(hairstyle_names, ", ")));
  return static_cast<Hairstyle>(found - hairstyle_names.begin());
}

GroomParams default_params(Hairstyle style) {
  GroomParams p;
  p.style = style;
  switch (style) {
    case Hairstyle::straight: p.length = 0.3; break;
    case Hairstyle::wavy:
      p.vertices = 64;
      p.length = 0.32;
      p.curl_radius = 0.007;
      p.curl_pitch = 0.06;
      p.noise = 0.3;
      break;
    case Hairstyle::curly:
      p.vertices = 128;
      p.length = 0.5;
      p.curl_radius = 0.008;
      p.curl_pitch = 0.032;
      p.noise = 0.4;
      break;
    case Hairstyle::afro:
      p.vertices = 96;
      p.length = 0.2;
      p.curl_radius = 0.004;
      p.curl_pitch = 0.009;
      p.noise = 0.6;
      break;
    case Hairstyle::bob: p.length = 0.34; break;
    case Hairstyle::ponytail:
      p.vertices = 64;
      p.length = 0.5;
      p.noise = 0.15;
      break;
    case Hairstyle::long_hair:
      p.vertices = 48;
      p.length = 0.52;
      p.noise = 0.25;
      break;
  }
  return p;
}

void require_valid(const GroomParams& p) {
  const auto require = [](bool good, const char* name, auto value, const char* what) {
    if (!good) throw Error(ExitCode::usage, fmt::format("{} {}: {}", name, value, what));
  };
  const auto between = [](double value, double low, double high) { return value >= low && value <= high; };
  require(p.strands >= 1 && p.strands <= 10'000'000, "strands", p.strands, "give 1 to 10000000");
  require(p.vertices >= 2 && p.vertices <= 10'000, "vertices", p.vertices, "give 2 to 10000 per strand");
  constexpr std::int64_t most = std::int64_t{1} << 29;  // 12 GiB of positions
  require(p.strands * p.vertices <= most, "strands x vertices", p.strands * p.vertices, "give at most 536870912");
  require(between(p.length, 1e-4, 10), "length", p.length, "give 0.1 mm to 10 m");
  require(between(p.curl_radius, 0, p.length), "curl-radius", p.curl_radius, "give 0 to the length of the hair");
  require(between(p.curl_pitch, 1e-4, 10), "curl-pitch", p.curl_pitch, "give 0.1 mm to 10 m");
  require(between(p.noise, 0, 1), "noise", p.noise, "give 0 to 1");
  require(between(p.radius, 1e-7, 0.01), "radius", p.radius, "give 0.1 um to 1 cm");
}

std::int64_t vertices_for_curl(const GroomParams& p) {
  if (p.curl_radius <= 0) return 2;
  const double around = 2 * std::numbers::pi * p.curl_radius;
  return 1 + static_cast<std::int64_t>(std::ceil(10 * p.length / std::hypot(around, p.curl_pitch)));
}

const StyleTraits& traits_of(Hairstyle style) {
  static constexpr StyleTraits straight{.length_variation = 0.2, .hem = 0.12};
  static constexpr StyleTraits wavy{.parting = 0.25,
                                    .volume = 0.2,
                                    .length_variation = 0.25,
                                    .clumping = 0.6,
                                    .coherence = 0.9,
                                    .planar = true,
                                    .hem = 0.3};
  static constexpr StyleTraits curly{.parting = -0.2,
                                     .lift = 0.4,
                                     .volume = 0.28,
                                     .bend = 0.35,
                                     .length_variation = 0.3,
                                     .clumping = 0.85,
                                     .locks = 500,
                                     .coherence = 0.93,
                                     .hem = 0.5};
  static constexpr StyleTraits afro{.lift = 1,
                                    .bend = 0.5,
                                    .length_variation = 0.3,
                                    .clumping = 0.35,
                                    .locks = 1500,
                                    .coherence = 0.5,
                                    .radial = true};
  static constexpr StyleTraits bob{.parting = 0.3, .volume = 0.18, .clumping = 0.3, .chin_cut = true, .hem = 0.03};
  static constexpr StyleTraits ponytail{
      .lift = 0.25, .volume = 0.06, .bend = 0.2, .length_variation = 0.2, .clumping = 0.5, .tied = true};
  static constexpr StyleTraits long_hair{.volume = 0.16, .length_variation = 0.25, .hem = 0.25};
  switch (style) {
    case Hairstyle::wavy: return wavy;
    case Hairstyle::curly: return curly;
    case Hairstyle::afro: return afro;
    case Hairstyle::bob: return bob;
    case Hairstyle::ponytail: return ponytail;
    case Hairstyle::long_hair: return long_hair;
    default: return straight;
  }
}

}  // namespace ymir
