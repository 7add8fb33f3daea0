#include "ymir/preview/geometry.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/hash.h"

namespace ymir {
namespace {

constexpr float least_sphere_radius = 0.7f;  // [pixel]
constexpr float wide_curve_radius = 2;       // [pixel] beyond, strands are solid
constexpr float large_radius = 6;            // [pixel]
constexpr float least_opacity = 0.12f;       // so that even dust can be judged at a glance
constexpr float crease_cosine = 0.77f;       // 40 degrees: sharper edges stay sharp
constexpr float largest_coordinate = 1e15f;  // squares stay finite in single precision

bool usable(Vec3f p) {
  return std::abs(p.x) < largest_coordinate && std::abs(p.y) < largest_coordinate && std::abs(p.z) < largest_coordinate;
}
bool usable(float radius) { return radius >= 0 && radius < largest_coordinate; }
Vec3f usable_color(const std::vector<Vec3f>& colors, std::size_t i) {
  return i < colors.size() && is_finite(colors[i]) ? colors[i] : Vec3f{0.5f, 0.5f, 0.5f};
}

void prepare_spheres(Geometry& g, const PreviewSpheres& in, const View& view) {
  const bool glows = in.emission.size() == in.center.size() && !in.emission.empty();
  for (std::size_t i = 0; i < in.center.size(); ++i) {
    const Vec3f c = in.center[i];
    if (i >= in.radius.size() || !usable(c) || !usable(in.radius[i])) {
      ++g.skipped;
      continue;
    }
    const float r = in.radius[i], least = least_sphere_radius * view.pixel_at(c);
    const float shown = std::max(r, least);
    if (shown <= 0) continue;
    g.spheres.push_back({c.x, c.y, c.z, shown});
    g.sphere_opacity.push_back(r >= least ? 1.0f : std::max(r * r / (least * least), least_opacity));
    g.sphere_radius.push_back(r);
    g.sphere_is_large.push_back(r > large_radius * view.pixel_at(c) ? 1 : 0);
    g.sphere_color.push_back(usable_color(in.color, i));
    if (glows) g.sphere_emission.push_back(is_finite(in.emission[i]) ? in.emission[i] : Vec3f{});
  }
}

void add_strand(Geometry& g, const PreviewCurves& in, const View& view, std::size_t begin, std::size_t end) {
  if (end - begin < 2) return;
  for (std::size_t v = begin; v < end; ++v)
    if (v >= in.radius.size() || !usable(in.position[v]) || !usable(in.radius[v])) {
      ++g.skipped;
      return;
    }
  const auto wide = [&](std::size_t v) { return in.radius[v] > wide_curve_radius * view.pixel_at(in.position[v]); };
  bool solid = false;
  for (std::size_t v = begin; v < end && !solid; ++v) solid = wide(v);
  if (!solid) {
    g.thin_strands.emplace_back(begin, end);
    return;
  }
  for (std::size_t v = begin; v < end; ++v) {
    const Vec3f p = in.position[v];
    if (v + 1 < end) {
      g.segments.push_back(static_cast<std::uint32_t>(g.curve_vertices.size()));
      g.segment_flags.push_back(static_cast<std::uint8_t>((v > begin ? 1 : 0) | (v + 2 < end ? 2 : 0)));
    }
    g.curve_vertices.push_back({p.x, p.y, p.z, std::max(in.radius[v], 1e-12f)});
    g.curve_color.push_back(usable_color(in.color, v));
  }
}

void prepare_curves(Geometry& g, const PreviewCurves& in, const View& view) {
  const auto total = static_cast<std::int64_t>(in.position.size());
  for (std::size_t s = 0; s + 1 < in.first.size(); ++s) {
    const std::int64_t begin = in.first[s], end = in.first[s + 1];
    if (begin < 0 || end > total || begin > end)
      ++g.skipped;
    else
      add_strand(g, in, view, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  }
}

// Normal of each corner: mean, weighted by area, of the faces around its vertex that bend less than the crease.
void smooth_normals(Geometry& g) {
  const auto corner = [&](std::size_t t, std::size_t k) { return g.mesh_vertices[g.triangles[t][k]].xyz(); };
  std::vector<Vec3f> area(g.triangles.size());
  std::vector<std::uint32_t> start(g.mesh_vertices.size() + 1), faces(3 * g.triangles.size());
  for (std::size_t t = 0; t < g.triangles.size(); ++t) {
    area[t] = cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0));
    for (const std::uint32_t v : g.triangles[t]) ++start[v + 1];
  }
  for (std::size_t v = 0; v + 1 < start.size(); ++v) start[v + 1] += start[v];
  std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
  for (std::size_t t = 0; t < g.triangles.size(); ++t)
    for (const std::uint32_t v : g.triangles[t]) faces[fill[v]++] = static_cast<std::uint32_t>(t);
  g.corner_normals.resize(g.triangles.size());
  for (std::size_t t = 0; t < g.triangles.size(); ++t) {
    const Vec3f flat = normalized(area[t], Vec3f{0, 1, 0});
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = g.triangles[t][k];
      Vec3f sum;
      for (std::uint32_t f = start[v]; f < start[v + 1]; ++f)
        if (dot(normalized(area[faces[f]], flat), flat) > crease_cosine) sum += area[faces[f]];
      g.corner_normals[t][k] = normalized(sum, flat);
    }
  }
}

void prepare_triangles(Geometry& g, const PreviewTriangles& in) {
  for (std::size_t i = 0; i < in.position.size(); ++i) {
    const Vec3f p = usable(in.position[i]) ? in.position[i] : Vec3f{};
    g.mesh_vertices.push_back({p.x, p.y, p.z, 0});
    g.mesh_color.push_back(usable_color(in.color, i));
  }
  const auto good = [&](std::int32_t v) {
    return v >= 0 && static_cast<std::size_t>(v) < in.position.size() &&
           usable(in.position[static_cast<std::size_t>(v)]);
  };
  for (std::size_t f = 0; f < in.triangles.size(); ++f) {
    const auto& t = in.triangles[f];
    if (!good(t[0]) || !good(t[1]) || !good(t[2])) {
      ++g.skipped;
      continue;
    }
    g.triangles.push_back(
        {static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), static_cast<std::uint32_t>(t[2])});
    if (!in.face_color.empty())
      g.face_color.push_back(f < in.face_color.size() ? in.face_color[f] : std::optional<Vec3f>());
  }
  g.mesh_opacity = in.opacity;
  smooth_normals(g);
}

SurfacePoint sphere_point(const Geometry& g, const Hit& hit, SurfacePoint s) {
  const Vec4f& sphere = g.spheres[hit.index];
  s.normal = normalized(s.position - sphere.xyz());
  s.color = g.sphere_color[hit.index];
  if (!g.sphere_emission.empty()) s.emission = g.sphere_emission[hit.index];
  s.smooth = g.sphere_is_large[hit.index] != 0;
  s.index = hit.index;
  s.clearance = 1e-3f * sphere.w;
  return s;
}

SurfacePoint segment_point(const Geometry& g, const Hit& hit, const Ray& ray, SurfacePoint s) {
  const std::uint32_t v = g.segments[hit.index];
  const Vec4f &a = g.curve_vertices[v], &b = g.curve_vertices[v + 1];
  s.tangent = normalized(b.xyz() - a.xyz(), Vec3f{0, 1, 0});
  // Central differences at the joints make the highlight run smoothly along the strand.
  if ((g.segment_flags[hit.index] & 1) != 0 && hit.u < 0.5f)
    s.tangent = normalized(
        s.tangent * (0.5f + hit.u) + normalized(a.xyz() - g.curve_vertices[v - 1].xyz(), s.tangent) * (0.5f - hit.u),
        s.tangent);
  if ((g.segment_flags[hit.index] & 2) != 0 && hit.u > 0.5f)
    s.tangent = normalized(
        s.tangent * (1.5f - hit.u) + normalized(g.curve_vertices[v + 2].xyz() - b.xyz(), s.tangent) * (hit.u - 0.5f),
        s.tangent);
  const float radius = a.w * (1 - hit.u) + b.w * hit.u;
  const Vec3f axis = a.xyz() * (1 - hit.u) + b.xyz() * hit.u;
  const Vec3f to_eye = -ray.direction;
  const Vec3f facing = normalized(to_eye - s.tangent * dot(to_eye, s.tangent), to_eye);
  s.normal = normalized(s.position - axis, facing);
  s.color = g.curve_color[v] * (1 - hit.u) + g.curve_color[v + 1] * hit.u;
  s.clearance = 0.02f * radius;
  return s;
}

SurfacePoint triangle_point(const Geometry& g, const Hit& hit, const Ray& ray, SurfacePoint s) {
  const auto& t = g.triangles[hit.index];
  const auto& n = g.corner_normals[hit.index];
  const float w = 1 - hit.u - hit.v;
  const Vec3f a = g.mesh_vertices[t[0]].xyz();
  const Vec3f flat = cross(g.mesh_vertices[t[1]].xyz() - a, g.mesh_vertices[t[2]].xyz() - a);
  s.normal = normalized(n[0] * w + n[1] * hit.u + n[2] * hit.v, normalized(flat));
  if (dot(flat, ray.direction) > 0) s.normal = -s.normal;
  s.smooth = true;
  const bool own = !g.face_color.empty() && g.face_color[hit.index].has_value();
  s.color =
      own ? *g.face_color[hit.index] : g.mesh_color[t[0]] * w + g.mesh_color[t[1]] * hit.u + g.mesh_color[t[2]] * hit.v;
  return s;
}

}  // namespace

Geometry prepare(const PreviewScene& scene, const View& view) {
  Geometry g;
  g.skipped = scene.skipped;
  prepare_spheres(g, scene.spheres, view);
  prepare_curves(g, scene.curves, view);
  prepare_triangles(g, scene.triangles);
  Framing framing;
  framing.add(scene);
  g.bounds = framing.bounds();
  return g;
}

SurfacePoint surface_at(const Geometry& g, const Hit& hit, const Ray& ray) {
  SurfacePoint s;
  s.primitive = hit.primitive;
  s.position = ray.origin + ray.direction * hit.t;
  switch (hit.primitive) {
    case Primitive::sphere: s = sphere_point(g, hit, s); break;
    case Primitive::segment: s = segment_point(g, hit, ray, s); break;
    case Primitive::triangle: s = triangle_point(g, hit, ray, s); break;
    case Primitive::none: break;
  }
  // Room for the rounding of positions far from the eye or the origin.
  s.clearance += 2e-6f * (hit.t + norm(s.position));
  return s;
}

bool meets(std::uint32_t seed, std::uint32_t primitive, float opacity) {
  if (opacity >= 1) return true;
  const std::uint32_t u = seed + static_cast<std::uint32_t>(mix64(primitive + 1));
  return static_cast<float>(u >> 8) * 0x1p-24f < opacity;
}

std::uint32_t sample_seed(int x, int y, int sample) {
  const std::uint64_t pixel = (static_cast<std::uint64_t>(y) << 32) | static_cast<std::uint32_t>(x);
  // Steps of the golden ratio: even over any number of samples, and unrelated to where they lie in the pixel.
  return static_cast<std::uint32_t>(mix64(pixel)) + static_cast<std::uint32_t>(sample) * 0x9e3779b9u;
}

}  // namespace ymir
