// Wavefront OBJ: v, vt, f (every index form, polygons cut into fans) and l; normals, groups, materials and free-form
// statements are skipped. Coordinates come back as stored; the caller scales them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "ymir/data/meshes.h"

namespace ymir {

// Everything Ymir takes from an OBJ file, parsed once.
struct ObjFile {
  std::vector<Vec3d> positions;
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<Vec3f> uvs;                                 // vt: u, v, 0
  std::vector<std::array<std::int64_t, 3>> triangle_uvs;  // into uvs, as written; below 0: none
  std::vector<std::int64_t> line_first{0};                // polylines end to end, as in Curves
  std::vector<std::int32_t> line_vertices;

  bool has_faces() const { return !triangles.empty(); }
  bool has_lines() const { return !line_vertices.empty(); }
};
ObjFile read_obj_file(std::span<const std::byte> bytes, const std::string& name);
// Texture coordinates of the corners of faces become the face channels uv0, uv1, uv2, where every corner has some.
Surface surface_of(ObjFile file);
Curves curves_of(const ObjFile& file);

// Triangles with a repeated corner enclose nothing and are left out. A file without faces is an error.
Surface read_obj(std::span<const std::byte> bytes, const std::string& name);
Surface read_obj(const std::filesystem::path& path);
// The `l` polylines as strands, each with its own copy of its vertices. A file without polylines is an error.
Curves read_obj_curves(std::span<const std::byte> bytes, const std::string& name);
Curves read_obj_curves(const std::filesystem::path& path);
// Every vertex as a point, whatever uses it.
Points read_obj_points(std::span<const std::byte> bytes, const std::string& name);
Points read_obj_points(const std::filesystem::path& path);

void write_obj(const std::filesystem::path& path, const Surface& surface);
void write_obj(const std::filesystem::path& path, const Curves& curves);

}  // namespace ymir
