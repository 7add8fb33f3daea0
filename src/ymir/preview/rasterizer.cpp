// The plain z-buffer backend: every primitive is tested against the samples inside its bounds on the picture. Light
// is blocked by depth maps, one towards the sun and a few towards the sky.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ymir/base/hash.h"
#include "ymir/parallel/threads.h"
#include "ymir/preview/tracer.h"

namespace ymir {
namespace {

constexpr int cell_size = 32;  // [pixel] bins of primitives
constexpr int sun_map_size = 1024;
constexpr int sky_map_size = 384;
constexpr int sky_maps = 16;
constexpr float far_away = std::numeric_limits<float>::infinity();

bool intersect_sphere(const Vec4f& sphere, const Ray& ray, Hit& hit) {
  const Vec3f to_center = sphere.xyz() - ray.origin;
  const float along = dot(to_center, ray.direction);
  const Vec3f off = to_center - ray.direction * along;
  const float h2 = sphere.w * sphere.w - dot(off, off);
  if (h2 < 0) return false;
  hit.t = along - std::sqrt(h2);
  return hit.t > 0;
}

// Nearest approach of the ray to the segment's axis, against the radius there.
bool intersect_segment(const Vec4f& a, const Vec4f& b, const Ray& ray, Hit& hit) {
  const Vec3f axis = b.xyz() - a.xyz(), from = a.xyz() - ray.origin;
  const float dd = dot(axis, axis), da = dot(axis, ray.direction);
  const float det = dd - da * da;
  const float u = det > 1e-12f * dd ? (da * dot(from, ray.direction) - dot(from, axis)) / det : 0.5f;
  hit.u = std::clamp(u, 0.0f, 1.0f);
  const Vec3f to_axis = from + axis * hit.u;
  const float along = dot(to_axis, ray.direction);
  const Vec3f off = to_axis - ray.direction * along;
  const float radius = a.w * (1 - hit.u) + b.w * hit.u;
  const float h2 = radius * radius - dot(off, off);
  if (h2 < 0) return false;
  hit.t = along - std::sqrt(h2);
  return hit.t > 0;
}

// [Moeller and Trumbore 1997]
bool intersect_triangle(Vec3f a, Vec3f b, Vec3f c, const Ray& ray, Hit& hit) {
  const Vec3f ab = b - a, ac = c - a, p = cross(ray.direction, ac);
  const float det = dot(ab, p);
  if (det == 0) return false;
  const Vec3f s = ray.origin - a, q = cross(s, ab);
  hit.u = dot(s, p) / det;
  hit.v = dot(ray.direction, q) / det;
  hit.t = dot(ac, q) / det;
  return hit.u >= 0 && hit.v >= 0 && hit.u + hit.v <= 1 && hit.t > 0;
}

bool intersect(const Geometry& g, const Ray& ray, Hit& hit) {
  switch (hit.primitive) {
    case Primitive::sphere: return intersect_sphere(g.spheres[hit.index], ray, hit);
    case Primitive::segment: {
      const std::uint32_t v = g.segments[hit.index];
      return intersect_segment(g.curve_vertices[v], g.curve_vertices[v + 1], ray, hit);
    }
    case Primitive::triangle: {
      const auto& t = g.triangles[hit.index];
      return intersect_triangle(g.mesh_vertices[t[0]].xyz(), g.mesh_vertices[t[1]].xyz(), g.mesh_vertices[t[2]].xyz(),
                                ray, hit);
    }
    case Primitive::none: break;
  }
  return false;
}

struct Rect {
  float x0 = 1e30f, y0 = 1e30f, x1 = -1e30f, y1 = -1e30f;
  void include(const Rect& r) {
    x0 = std::min(x0, r.x0);
    y0 = std::min(y0, r.y0);
    x1 = std::max(x1, r.x1);
    y1 = std::max(y1, r.y1);
  }
};

constexpr Rect everywhere{-1e30f, -1e30f, 1e30f, 1e30f};

// Where a ball falls on the picture of a pinhole camera: between its tangents in the two axial planes.
Rect ball_on_view(const View& view, const Vec4f& ball) {
  const Vec3f d = ball.xyz() - view.eye;
  const float z = dot(d, view.forward), r = ball.w;
  if (z + r <= 0) return {};
  if (z - r <= 1e-4f * (std::abs(z) + r)) return everywhere;
  const auto range = [&](float x) {
    const float root = r * std::sqrt(std::max(x * x + z * z - r * r, 0.0f)), scale = 1 / (z * z - r * r);
    return std::array<float, 2>{(x * z - root) * scale / view.pixel, (x * z + root) * scale / view.pixel};
  };
  const auto x = range(dot(d, view.right)), y = range(-dot(d, view.up));
  const float cx = 0.5f * static_cast<float>(view.width), cy = 0.5f * static_cast<float>(view.height);
  return {cx + x[0], cy + y[0], cx + x[1], cy + y[1]};
}

// Calls visit(primitive, index, bounds, opacity) in a fixed order; `ball` bounds one (center, radius) on the picture.
template <class Ball, class Visit>
void for_each_primitive(const Geometry& g, Ball&& ball, Visit&& visit) {
  for (std::uint32_t i = 0; i < g.spheres.size(); ++i)
    visit(Primitive::sphere, i, ball(g.spheres[i]), g.sphere_opacity[i]);
  for (std::uint32_t i = 0; i < g.segments.size(); ++i) {
    const std::uint32_t v = g.segments[i];
    Rect rect = ball(g.curve_vertices[v]);
    rect.include(ball(g.curve_vertices[v + 1]));
    visit(Primitive::segment, i, rect, 1.0f);
  }
  for (std::uint32_t i = 0; i < g.triangles.size(); ++i) {
    Rect rect;
    bool behind = false;
    for (const std::uint32_t v : g.triangles[i]) {
      const Rect corner = ball({g.mesh_vertices[v].x, g.mesh_vertices[v].y, g.mesh_vertices[v].z, 0});
      behind = behind || corner.x0 > corner.x1;
      rect.include(corner);
    }
    if (rect.x0 <= rect.x1) visit(Primitive::triangle, i, behind ? everywhere : rect, g.mesh_opacity);
  }
}

// Integer pixels [begin, end) of a picture side that an interval may touch.
std::array<int, 2> pixels(float low, float high, int end) {
  const float limit = static_cast<float>(end);
  return {static_cast<int>(std::clamp(std::floor(low), 0.0f, limit)),
          static_cast<int>(std::clamp(std::floor(high) + 1, 0.0f, limit))};
}

// Distances from a plane beyond the scene, seen along parallel rays that come from a light.
class DepthMap {
 public:
  DepthMap(const Geometry& g, Vec3f to_light, int size) : to_light_(to_light), size_(size) {
    right_ = normalized(cross(std::abs(to_light.y) < 0.9f ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0}, to_light));
    up_ = cross(to_light, right_);
    texel_ = 2.2f * g.radius() / static_cast<float>(size);
    corner_ = g.center() + to_light * (2 * g.radius()) - (right_ + up_) * (1.1f * g.radius());
    depth_.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), far_away);
    for_each_primitive(
        g,
        [&](const Vec4f& ball) {
          const Vec3f d = ball.xyz() - corner_;
          const float x = dot(d, right_) / texel_, y = dot(d, up_) / texel_, r = ball.w / texel_;
          return Rect{x - r, y - r, x + r, y + r};
        },
        [&](Primitive primitive, std::uint32_t index, const Rect& rect, float) {
          draw(g, {primitive, index}, rect);
        });
  }

  Vec3f to_light() const { return to_light_; }

  bool occludes(const Ray& ray) const {
    const std::uint64_t bits = mix64(ray.seed + 0x51ed27u);
    const float jitter_x = static_cast<float>(bits & 0xffff) * 0x1p-16f - 0.5f;
    const float jitter_y = static_cast<float>((bits >> 16) & 0xffff) * 0x1p-16f - 0.5f;
    const Vec3f d = ray.origin + ray.direction * ray.t_min - corner_;
    const int x = static_cast<int>(std::floor(std::clamp(dot(d, right_) / texel_ + 2 * jitter_x, -1.0f, 1e6f)));
    const int y = static_cast<int>(std::floor(std::clamp(dot(d, up_) / texel_ + 2 * jitter_y, -1.0f, 1e6f)));
    if (x < 0 || y < 0 || x >= size_ || y >= size_) return false;
    return depth_[at(x, y)] < -dot(d, to_light_) - 3 * texel_;
  }

 private:
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(x);
  }
  void draw(const Geometry& g, Hit hit, const Rect& rect) {
    const auto xs = pixels(rect.x0, rect.x1, size_), ys = pixels(rect.y0, rect.y1, size_);
    for (int y = ys[0]; y < ys[1]; ++y)
      for (int x = xs[0]; x < xs[1]; ++x) {
        const Ray ray{corner_ + right_ * ((static_cast<float>(x) + 0.5f) * texel_) +
                          up_ * ((static_cast<float>(y) + 0.5f) * texel_),
                      -to_light_};
        if (!intersect(g, ray, hit) || hit.t >= depth_[at(x, y)]) continue;
        depth_[at(x, y)] = hit.t;
      }
  }

  Vec3f to_light_, right_, up_, corner_;
  int size_;
  float texel_ = 0;
  std::vector<float> depth_;
};

struct Binned {
  Primitive primitive;
  std::uint32_t index;
  Rect rect;
  float opacity;
};

class Rasterizer final : public Tracer {
 public:
  Rasterizer(const Geometry& geometry, const View& view, Vec3f to_sun)
      : geometry_(geometry), view_(view), columns_((view.width + cell_size - 1) / cell_size) {
    bins_.resize(static_cast<std::size_t>(columns_ * ((view.height + cell_size - 1) / cell_size)));
    for_each_primitive(
        geometry, [&](const Vec4f& ball) { return ball_on_view(view_, ball); },
        [&](Primitive primitive, std::uint32_t index, const Rect& rect, float opacity) {
          const auto xs = pixels(rect.x0, rect.x1, view_.width), ys = pixels(rect.y0, rect.y1, view_.height);
          if (xs[0] >= xs[1] || ys[0] >= ys[1]) return;
          for (int y = ys[0] / cell_size; y <= (ys[1] - 1) / cell_size; ++y)
            for (int x = xs[0] / cell_size; x <= (xs[1] - 1) / cell_size; ++x)
              bins_[static_cast<std::size_t>(y * columns_ + x)].push_back({primitive, index, rect, opacity});
        });
    make_maps(normalized(to_sun, Vec3f{0, 1, 0}));
  }

  std::unique_ptr<Sight> look(const Tile& tile, int first, int end) const override {
    auto seen = std::make_unique<Seen>(tile, first, end);
    for (int cy = tile.y0 / cell_size; cy <= (tile.y1 - 1) / cell_size; ++cy)
      for (int cx = tile.x0 / cell_size; cx <= (tile.x1 - 1) / cell_size; ++cx) {
        const Tile part{std::max(tile.x0, cx * cell_size), std::max(tile.y0, cy * cell_size),
                        std::min(tile.x1, (cx + 1) * cell_size), std::min(tile.y1, (cy + 1) * cell_size)};
        for (const Binned& b : bins_[static_cast<std::size_t>(cy * columns_ + cx)]) draw(*seen, part, b);
      }
    return seen;
  }

  bool occluded(const Ray& ray) const override {
    if (std::isfinite(ray.t_max)) return false;  // lamps have no depth map
    const DepthMap* nearest = &maps_.front();
    for (const DepthMap& map : maps_)
      if (dot(map.to_light(), ray.direction) > dot(nearest->to_light(), ray.direction)) nearest = &map;
    return nearest->occludes(ray);
  }

 private:
  struct Seen final : Sight {
    Seen(const Tile& tile, int first_sample, int end_sample)
        : area(tile),
          first(first_sample),
          end(end_sample),
          hits(static_cast<std::size_t>((tile.x1 - tile.x0) * (tile.y1 - tile.y0) * (end_sample - first_sample))) {}
    std::size_t at(int x, int y, int sample) const {
      return static_cast<std::size_t>(((y - area.y0) * (area.x1 - area.x0) + x - area.x0) * (end - first) + sample -
                                      first);
    }
    Hit first_hit(int x, int y, int sample, const Ray&) const override { return hits[at(x, y, sample)]; }

    Tile area;
    int first, end;
    std::vector<Hit> hits;
  };

  void draw(Seen& seen, const Tile& part, const Binned& b) const {
    const auto xs = pixels(b.rect.x0, b.rect.x1, view_.width), ys = pixels(b.rect.y0, b.rect.y1, view_.height);
    for (int y = std::max(ys[0], part.y0); y < std::min(ys[1], part.y1); ++y)
      for (int x = std::max(xs[0], part.x0); x < std::min(xs[1], part.x1); ++x)
        for (int s = seen.first; s < seen.end; ++s) {
          Hit hit{b.primitive, b.index};
          Hit& front = seen.hits[seen.at(x, y, s)];
          if (!intersect(geometry_, view_.ray(x, y, s), hit)) continue;
          if (front.primitive != Primitive::none && hit.t >= front.t) continue;
          if (meets(sample_seed(x, y, s), b.index, b.opacity)) front = hit;
        }
  }

  void make_maps(Vec3f to_sun) {
    // Things stop light by their true size; samples that miss what is smaller than a texel make its shadow lighter.
    Geometry shading = geometry_;
    if (!shading.sphere_emission.empty()) shading.spheres.clear();
    for (std::size_t i = 0; i < shading.spheres.size(); ++i) shading.spheres[i].w = shading.sphere_radius[i];
    if (shading.mesh_opacity < 1) shading.triangles.clear();
    std::vector<Vec3f> directions{to_sun};
    for (int i = 0; i < sky_maps; ++i) {
      // A spiral whose density over the hemisphere follows the cosine of its elevation.
      const float r = std::sqrt((static_cast<float>(i) + 0.5f) / sky_maps), angle = 2.39996f * static_cast<float>(i);
      directions.push_back({r * std::cos(angle), std::sqrt(1 - r * r), r * std::sin(angle)});
    }
    std::vector<std::unique_ptr<DepthMap>> made(directions.size());
    parallel_for(static_cast<std::ptrdiff_t>(directions.size()), [&](std::ptrdiff_t i) {
      const auto k = static_cast<std::size_t>(i);
      made[k] = std::make_unique<DepthMap>(shading, directions[k], k == 0 ? sun_map_size : sky_map_size);
    });
    for (auto& map : made) maps_.push_back(std::move(*map));
  }

  const Geometry& geometry_;
  View view_;
  int columns_;
  std::vector<std::vector<Binned>> bins_;
  std::vector<DepthMap> maps_;
};

}  // namespace

std::unique_ptr<Tracer> make_rasterizer(const Geometry& geometry, const View& view, Vec3f to_sun) {
  return std::make_unique<Rasterizer>(geometry, view, to_sun);
}

}  // namespace ymir
