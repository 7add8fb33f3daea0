// PLY meshes and point clouds: ascii, binary little- and big-endian.
//
// Vertex and face properties other than the position and the corner list become channels of the same name and type
// (8- and 16-bit integers widen to i32, except u8; u32 becomes i64). Three properties become one vector channel:
// vx vy vz -> velocity, nx ny nz -> normal, red green blue -> color (f32, integers scaled to 0..1), and N_x N_y N_z ->
// N. A whole-numbered `id` becomes u64. Polygons are cut into fans; their face channels are repeated per triangle.
// Other lists and elements are skipped. Coordinates come back as stored; the caller scales them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "ymir/cache/formats/ply_header.h"
#include "ymir/data/meshes.h"

namespace ymir {

// A file without faces is an error.
Surface read_ply(std::span<const std::byte> bytes, const std::string& name);
Surface read_ply(const std::filesystem::path& path);
// The vertices, with or without faces.
Points read_ply_points(std::span<const std::byte> bytes, const std::string& name);
Points read_ply_points(const std::filesystem::path& path);

// Positions as f32. 64-bit integers are written as uint, int or double, whichever holds all values exactly.
void write_ply(const std::filesystem::path& path, const Surface& surface,
               PlyEncoding encoding = PlyEncoding::binary_little_endian);
void write_ply(const std::filesystem::path& path, const Points& points,
               PlyEncoding encoding = PlyEncoding::binary_little_endian);

}  // namespace ymir
