// Cem Yuksel's .hair files: 128-byte header, then arrays selected by flag bits.
//
//   bytes 0-3 "HAIR"; u32 strands; u32 points; u32 flags; u32 default segments; f32 default thickness, default
//   transparency, default color[3]; char info[88]; then, in this order and only if their flag bit is set,
//   bit 0: u16 segments[strands]    bit 1: f32 points[points][3] (required)    bit 2: f32 thickness[points]
//   bit 3: f32 transparency[points] bit 4: f32 color[points][3]                bits 5-31: must be 0
//
// The format knows no units: positions and radii come back as stored and the caller scales both. Thickness is read as a
// diameter: per-point thickness becomes the vertex channel `radius` = thickness / 2. Transparency and color become
// vertex channels of the same name. Header defaults describe a look, not measured hair, so they do not become channels.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "ymir/data/meshes.h"

namespace ymir {

struct HairHeader {
  std::uint32_t strands = 0;
  std::uint32_t points = 0;
  std::uint32_t flags = 0;
  std::uint32_t default_segments = 0;
  float default_thickness = 0;
  float default_transparency = 0;
  std::array<float, 3> default_color{1, 1, 1};
  std::string info;
};

HairHeader read_hair_header(std::span<const std::byte> bytes, const std::string& name);
Curves read_hair(std::span<const std::byte> bytes, const std::string& name);
Curves read_hair(const std::filesystem::path& path);
// Writes positions and the channels radius, transparency and color where they exist (f32, f32, f32x3).
void write_hair(const std::filesystem::path& path, const Curves& curves);

}  // namespace ymir
