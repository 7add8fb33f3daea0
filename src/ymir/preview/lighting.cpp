#include "ymir/preview/lighting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr float sun_spread = 0.05f;  // tangent of the sun's angular radius: wider than nature's, for soft shadows
constexpr int lamp_cells = 4;        // glowing points are gathered into at most this many lamps per axis
constexpr float infinity = std::numeric_limits<float>::infinity();

Vec3f mul(Vec3f a, Vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
float brightness(Vec3f c) { return c.x + c.y + c.z; }

// Direction about `normal`, with density proportional to the cosine.
Vec3f cosine_direction(Vec3f normal, Point2 p) {
  const float r = std::sqrt(p.x), angle = 2 * std::numbers::pi_v<float> * p.y;
  const Vec3f side = normalized(cross(std::abs(normal.x) < 0.7f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0}, normal));
  const Vec3f up = cross(normal, side);
  return side * (r * std::cos(angle)) + up * (r * std::sin(angle)) + normal * std::sqrt(std::max(1 - p.x, 0.0f));
}

Vec3f any_direction(Point2 p) {
  const float y = 1 - 2 * p.x, r = std::sqrt(std::max(1 - y * y, 0.0f)), angle = 2 * std::numbers::pi_v<float> * p.y;
  return {r * std::cos(angle), y, r * std::sin(angle)};
}

float fraction(float x) { return x - std::floor(x); }

// Highlight of a cylinder whose normals are tilted by `shift` along the strand.
float strand_highlight(Vec3f tangent, Vec3f normal, Vec3f half, float shift, float exponent) {
  const float along = dot(normalized(tangent + normal * shift, tangent), half);
  return std::pow(std::sqrt(std::max(1 - along * along, 0.0f)), exponent);
}

}  // namespace

Lighting::Lighting(const PreviewScene& scene, const Geometry& geometry, const Tracer& tracer,
                   const VolumeField& volumes, const VolumeField& fibres, float fibre_voxel)
    : scene_(scene),
      geometry_(geometry),
      tracer_(tracer),
      volumes_(volumes),
      fibres_(fibres),
      fibre_voxel_(fibre_voxel) {
  const PreviewEnvironment& e = scene.environment;
  to_sun_ = normalized(e.to_sun, Vec3f{0, 1, 0});
  sun_side_ = normalized(cross(std::abs(to_sun_.y) < 0.9f ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0}, to_sun_));
  sun_up_ = cross(to_sun_, sun_side_);
  horizon_ = mul(e.ground_color, e.sun * std::max(to_sun_.y, 0.0f) + e.sky);
  bounce_ = e.ground ? horizon_ * 0.7f : e.sky * 0.4f;
  make_lamps();
  light_points();
}

void Lighting::make_lamps() {
  if (geometry_.sphere_emission.empty()) return;
  std::array<Lamp, lamp_cells * lamp_cells * lamp_cells> cells{};
  std::array<float, cells.size()> weights{};
  const Vec3d size = geometry_.bounds.size();
  for (std::size_t i = 0; i < geometry_.spheres.size(); ++i) {
    const Vec4f& s = geometry_.spheres[i];
    if (!geometry_.bounds.contains(Vec3d(s.xyz()))) continue;
    std::size_t cell = 0;
    for (int k = 0; k < 3; ++k) {
      const double u = size[k] > 0 ? (s.xyz()[k] - geometry_.bounds.low[k]) / size[k] : 0;
      cell =
          cell * lamp_cells + static_cast<std::size_t>(std::clamp(static_cast<int>(u * lamp_cells), 0, lamp_cells - 1));
    }
    // A ball of radiance L sends L pi r^2 in every direction.
    const Vec3f intensity = geometry_.sphere_emission[i] * (s.w * s.w * geometry_.sphere_opacity[i]);
    const float weight = brightness(intensity);
    cells[cell].intensity += intensity;
    cells[cell].position += s.xyz() * weight;
    weights[cell] += weight;
  }
  const float spacing = norm(Vec3f(size)) / (2 * lamp_cells);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (!(weights[c] > 0)) continue;
    lamps_.push_back({cells[c].position / weights[c], cells[c].intensity, spacing * spacing});
  }
}

void Lighting::light_points() {
  const std::size_t count = geometry_.spheres.size();
  if (!scene_.environment.enabled || !geometry_.sphere_emission.empty()) return;
  points_.resize(count);
  const auto rays =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(1'500'000 / std::max<std::size_t>(count, 1), 1, 8));
  parallel_blocks(static_cast<std::ptrdiff_t>(count), 4096, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t p = begin; p < end; ++p) {
      const auto i = static_cast<std::size_t>(p);
      if (geometry_.sphere_is_large[i] != 0) continue;
      Random random(0x706f696e74, i);
      const float shift_x = static_cast<float>(random.uniform()), shift_y = static_cast<float>(random.uniform());
      SurfacePoint s;
      s.position = geometry_.spheres[i].xyz();
      s.clearance = 1.01f * geometry_.spheres[i].w;
      for (std::uint32_t r = 0; r < rays; ++r) {
        const Point2 q = sobol(r);
        const Point2 u{fraction(q.x + shift_x), fraction(q.y + shift_y)};
        LightSample sample{u, u, u.x, static_cast<std::uint32_t>(random.bits())};
        points_[i].ambient += sky_light(s, any_direction(u), sample) / static_cast<float>(rays);
        if (r % 2 == 0) points_[i].sun += sun_visible(s, sun_direction(u), sample) / static_cast<float>((rays + 1) / 2);
      }
    }
  });
}

Vec3f Lighting::background(Vec3f direction) const {
  if (!scene_.environment.enabled) return scene_.background;
  const float height = std::clamp(direction.y, 0.0f, 1.0f);
  const float blend = 1 - std::exp(-3.5f * height);
  return horizon_ * (1 - blend) + scene_.background * blend;
}

float Lighting::ground_distance(const Ray& ray) const {
  const PreviewEnvironment& e = scene_.environment;
  if (!e.enabled || !e.ground || ray.direction.y >= 0 || ray.origin.y <= e.ground_height) return infinity;
  return (e.ground_height - ray.origin.y) / ray.direction.y;
}

float Lighting::ground_presence(Vec3f position) const {
  const Vec3f from = position - geometry_.center();
  const float distance = std::hypot(from.x, from.z) / (3.5f * geometry_.radius());
  return std::exp(-distance * distance);
}

SurfacePoint Lighting::ground_point(const Ray& ray, float t) const {
  SurfacePoint s;
  s.position = ray.origin + ray.direction * t;
  s.position.y = scene_.environment.ground_height;
  s.normal = {0, 1, 0};
  s.color = scene_.environment.ground_color;
  s.smooth = true;
  s.clearance = 2e-6f * (t + norm(s.position)) + 1e-4f * geometry_.radius();
  return s;
}

Vec3f Lighting::sun_direction(Point2 p) const {
  const float r = sun_spread * std::sqrt(p.x), angle = 2 * std::numbers::pi_v<float> * p.y;
  return normalized(to_sun_ + sun_side_ * (r * std::cos(angle)) + sun_up_ * (r * std::sin(angle)));
}

float Lighting::sun_visible(const SurfacePoint& s, Vec3f direction, const LightSample& sample) const {
  if (tracer_.occluded({s.position, direction, s.clearance, infinity, sample.seed})) return 0;
  return volumes_.transmittance(s.position, direction, 0, infinity, sample.pick, 3) *
         through_fibres(s, direction, sample);
}

// Part of the light that passes the strands on its way. They scatter it on, so that less is lost than they cover.
float Lighting::through_fibres(const SurfacePoint& s, Vec3f direction, const LightSample& sample) const {
  if (fibres_.empty()) return 1;
  // A strand does not stand in its own light.
  const float start = s.primitive == Primitive::segment ? 1.2f * fibre_voxel_ : s.clearance;
  const float passed = fibres_.transmittance(s.position, direction, start, infinity, sample.pick, 2.5f);
  return 0.7f * passed + 0.3f * std::sqrt(passed);
}

Vec3f Lighting::sky_light(const SurfacePoint& s, Vec3f direction, const LightSample& sample) const {
  const bool occluded = tracer_.occluded({s.position, direction, s.clearance, infinity, sample.seed * 747796405u + 1u});
  if (direction.y < 0) return bounce_ * (occluded ? 0.3f : 0.3f + 0.7f * through_fibres(s, direction, sample));
  // What blocks the sky is itself lit a little.
  const Vec3f sky = scene_.environment.sky * (0.73f + 0.4f * direction.y);
  return sky * (occluded ? 0.12f : 0.12f + 0.88f * through_fibres(s, direction, sample));
}

// All lamps weigh in; one of them, picked by its share, is tested for shadow.
Vec3f Lighting::lamp_light(const SurfacePoint& s, const LightSample& sample) const {
  if (lamps_.empty()) return {};
  std::array<float, lamp_cells * lamp_cells * lamp_cells> share{};
  Vec3f sum;
  float total = 0;
  for (std::size_t i = 0; i < lamps_.size(); ++i) {
    const Vec3f to_lamp = lamps_[i].position - s.position;
    const float d2 = dot(to_lamp, to_lamp) + lamps_[i].spread;
    // A thin strand is lit from wherever the light comes.
    const bool thin = dot(s.normal, s.normal) == 0;
    const float facing = thin ? 0.5f : std::max(dot(s.normal, to_lamp) / std::sqrt(d2), 0.0f);
    const Vec3f light = lamps_[i].intensity * (facing / d2);
    sum += light;
    total += share[i] = brightness(light);
  }
  if (total <= 0) return {};
  std::size_t chosen = 0;
  for (float left = sample.pick * total - share[0]; left > 0 && chosen + 1 < lamps_.size();) left -= share[++chosen];
  const Vec3f way = lamps_[chosen].position - s.position;
  const float distance = norm(way);
  if (distance <= s.clearance) return sum;
  const Ray ray{s.position, way / distance, s.clearance, distance, sample.seed * 2891336453u + 7u};
  return tracer_.occluded(ray) ? Vec3f{} : sum;
}

Vec3f Lighting::irradiance(const SurfacePoint& s, const LightSample& sample) const {
  if (!scene_.environment.enabled) return lamp_light(s, sample);
  if (s.primitive == Primitive::sphere && !s.smooth && !points_.empty()) {
    const PointLight& light = points_[s.index];
    return light.ambient + scene_.environment.sun * (std::max(dot(s.normal, to_sun_), 0.0f) * light.sun);
  }
  Vec3f sum = sky_light(s, cosine_direction(s.normal, sample.sky), sample);
  const Vec3f sun = sun_direction(sample.sun);
  const float facing = dot(s.normal, sun);
  if (facing > 0) sum += scene_.environment.sun * (facing * sun_visible(s, sun, sample));
  return sum + lamp_light(s, sample);
}

// Kajiya and Kay's diffuse term with two highlights after Marschner: the surface's (towards the root, white) and the
// one that passed through the fibre twice (towards the tip, coloured, wider).
Vec3f Lighting::sunlit_fibre(Vec3f tangent, Vec3f normal, Vec3f to_eye, Vec3f color, Vec3f sun) const {
  const float along = dot(tangent, sun);
  const float diffuse = std::sqrt(std::max(1 - along * along, 0.0f));
  const Vec3f half = normalized(sun + to_eye, normal);
  const float first = strand_highlight(tangent, normal, half, -0.10f, 90);
  const float second = strand_highlight(tangent, normal, half, 0.16f, 18);
  const float lit_side = 0.35f + 0.65f * std::clamp(0.5f + dot(normal, sun), 0.0f, 1.0f);
  const Vec3f glint{0.22f, 0.22f, 0.22f};
  const Vec3f response = color * (0.75f * diffuse) + glint * first + color * (0.9f * second);
  return mul(scene_.environment.sun, response) * lit_side;
}

Vec3f Lighting::fibre(const SurfacePoint& s, Vec3f to_eye, const LightSample& sample) const {
  Vec3f radiance = mul(s.color, lamp_light(s, sample));
  if (!scene_.environment.enabled) return radiance;
  const Vec3f sky = sky_light(s, cosine_direction(s.normal, sample.sky), sample);
  radiance += mul(s.color, sky) * 0.9f;
  const Vec3f sun = sun_direction(sample.sun);
  const float visible = sun_visible(s, sun, sample);
  return visible > 0 ? radiance + sunlit_fibre(s.tangent, s.normal, to_eye, s.color, sun) * visible : radiance;
}

Vec3f Lighting::fibre(Vec3f tangent, Vec3f to_eye, Vec3f color, const FibreLight& light) const {
  Vec3f radiance = mul(color, light.ambient);
  if (light.sun > 0) {
    const Vec3f facing = normalized(to_eye - tangent * dot(to_eye, tangent), to_eye);
    radiance += sunlit_fibre(tangent, facing, to_eye, color, to_sun_) * light.sun;
  }
  return radiance;
}

// A few rays for a whole stretch of a strand; strands differ in where they send them, and look so when many.
FibreLight Lighting::on_fibre(Vec3f position, std::uint32_t strand) const {
  constexpr std::uint32_t rays = 4;
  SurfacePoint s;
  s.position = position;
  s.primitive = Primitive::segment;
  s.clearance = 0.5f * fibre_voxel_ + 4e-6f * norm(position);  // roots may lie under the skin
  Random random(0x737472616e64, strand);
  const float shift_x = static_cast<float>(random.uniform()), shift_y = static_cast<float>(random.uniform());
  FibreLight light;
  for (std::uint32_t r = 0; r < rays; ++r) {
    const Point2 q = sobol(r);
    const Point2 u{fraction(q.x + shift_x), fraction(q.y + shift_y)};
    const LightSample sample{u, u, u.x, static_cast<std::uint32_t>(random.bits())};
    if (r == 0) {
      light.ambient = lamp_light(s, sample);
      if (!scene_.environment.enabled) return light;
      light.sun = sun_visible(s, sun_direction(u), sample);
    }
    light.ambient += sky_light(s, any_direction(u), sample) / static_cast<float>(rays);
  }
  return light;
}

}  // namespace ymir
