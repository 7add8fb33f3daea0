// A scene made ready for rendering: finite elements only, small points widened to what a pixel can show and made
// transparent in proportion, strands told apart by their width, normals of smooth meshes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ymir/preview/scene.h"
#include "ymir/preview/view.h"

namespace ymir {

enum class Primitive : std::uint8_t { none, sphere, segment, triangle };

struct Hit {
  Primitive primitive = Primitive::none;
  std::uint32_t index = 0;
  float t = 0;
  float u = 0;  // segment: along; triangle: barycentric weights of corners 1 (u) and 2 (v)
  float v = 0;
  float opacity = 1;
};

struct Vec4f {
  float x = 0, y = 0, z = 0, w = 0;
  Vec3f xyz() const { return {x, y, z}; }
};

struct Geometry {
  std::vector<Vec4f> spheres;  // center, radius
  std::vector<float> sphere_opacity;
  std::vector<float> sphere_radius;           // as given, for shadows
  std::vector<std::uint8_t> sphere_is_large;  // many pixels wide
  std::vector<Vec3f> sphere_color;
  std::vector<Vec3f> sphere_emission;  // empty: none

  // Strands many pixels wide are solid; the others are ranges of vertices of the scene's curves, drawn by StrandLayers.
  std::vector<std::pair<std::size_t, std::size_t>> thin_strands;
  std::vector<Vec4f> curve_vertices;  // position, radius
  std::vector<Vec3f> curve_color;
  std::vector<std::uint32_t> segments;      // first vertex of each
  std::vector<std::uint8_t> segment_flags;  // bit 0: a segment precedes, bit 1: one follows

  std::vector<Vec4f> mesh_vertices;
  std::vector<Vec3f> mesh_color;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::optional<Vec3f>> face_color;  // empty: all by their vertices
  std::vector<std::array<Vec3f, 3>> corner_normals;
  float mesh_opacity = 1;

  Box bounds;  // of everything solid and of volumes; outliers do not count
  std::size_t skipped = 0;

  Vec3f center() const { return Vec3f(bounds.center()); }
  float radius() const { return std::max(0.5f * norm(Vec3f(bounds.size())), 1e-6f); }
};

Geometry prepare(const PreviewScene&, const View&);

// What shading needs to know of a hit.
struct SurfacePoint {
  Vec3f position;
  Vec3f normal;   // towards the viewer
  Vec3f tangent;  // segments: along the strand
  Vec3f color;
  Vec3f emission;
  bool smooth = false;  // part of a surface many pixels wide: its light may be filtered
  float clearance = 0;  // how far a shadow ray must start from here
  Primitive primitive = Primitive::none;
  std::uint32_t index = 0;  // spheres only
};
SurfacePoint surface_at(const Geometry&, const Hit&, const Ray&);

// True when a partly transparent primitive stands in the way of a ray. Over the samples of one pixel, whose seeds are
// spread evenly over 32 bits, the primitive shows in `opacity` of them.
bool meets(std::uint32_t seed, std::uint32_t primitive, float opacity);
std::uint32_t sample_seed(int x, int y, int sample);

}  // namespace ymir
