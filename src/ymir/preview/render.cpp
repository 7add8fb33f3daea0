#include "ymir/preview/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/base/log.h"
#include "ymir/parallel/thread_limits.h"
#include "ymir/parallel/threads.h"
#include "ymir/preview/fibre_shade.h"
#include "ymir/preview/lighting.h"
#include "ymir/preview/strand_layers.h"

namespace ymir {
namespace {

constexpr int tile_size = 32;
constexpr int blended_layers = 3;  // of transparent points along one ray; what lies behind is dithered
constexpr float least_throughput = 0.03f;
constexpr int filter_radius = 4;       // [pixel] with its opposite side, over the 8 x 8 pattern of light samples
constexpr float filter_sigma = 2.3f;   // [pixel]
constexpr float same_surface = 0.98f;  // least length of the mean normal within a pixel

Vec3f mul(Vec3f a, Vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

// Sums over the samples of a pixel. Light on smooth surfaces is kept apart from their colour, so that it can be
// filtered without blurring anything else.
struct Pixel {
  Vec3f radiance;                             // of all but smooth surfaces
  Vec3f reflected;                            // of smooth surfaces: colour times irradiance
  Vec3f color, irradiance, normal, position;  // of smooth surfaces
  float weight = 0;
  int smooth = 0, samples = 0;
  bool detailed = false;

  void add_smooth(const SurfacePoint& s, Vec3f light, float share) {
    reflected += mul(s.color, light) * share;
    color += s.color * share;
    irradiance += light * share;
    normal += s.normal;
    position += s.position;
    weight += share;
    ++smooth;
  }
  bool one_surface() const { return smooth > 0 && norm(normal) > same_surface * static_cast<float>(smooth); }
  bool needs_more() const { return detailed || (smooth > 0 && (smooth < samples || !one_surface())); }
};

float fraction(float x) { return x - std::floor(x); }

// Light samples follow one sequence per pixel, shifted differently for each pixel of an 8 x 8 block: the block as a
// whole is as well covered as one pixel with 64 times the samples, and the filter gathers it.
LightSample light_sample(int x, int y, int sample) {
  const auto s = static_cast<std::uint32_t>(sample);
  const std::uint32_t cell = static_cast<std::uint32_t>((y & 7) * 8 + (x & 7));
  const auto shifted = [&](std::uint32_t stream) {
    const Point2 p = sobol(s ^ (stream * 3)), shift = sobol(64 * (stream + 1) + (cell * 37 + stream * 7) % 64);
    return Point2{fraction(p.x + shift.x), fraction(p.y + shift.y)};
  };
  return {shifted(0), shifted(1), shifted(2).x, sample_seed(x, y, sample) * 2654435761u + 12345u};
}

class Integrator {
 public:
  Integrator(const Geometry& geometry, const VolumeField& volumes, const Lighting& lighting, const View& view)
      : geometry_(geometry), volumes_(volumes), lighting_(lighting), view_(view) {}

  void sample(int x, int y, int index, const Tracer::Sight& sight, const StrandLayers& strands, Pixel& pixel) const {
    Ray ray = view_.ray(x, y, index);
    ray.seed = sample_seed(x, y, index);
    const LightSample light = light_sample(x, y, index);
    float through = 1;
    ++pixel.samples;
    const float ground = lighting_.ground_distance(ray);
    for (int layer = 0; through > least_throughput; ++layer) {
      ray.dithered = layer >= blended_layers;
      const Hit hit = sight.first_hit(x, y, index, ray);
      const bool solid = hit.primitive != Primitive::none && hit.t < ground;
      const float end = solid ? hit.t : ground;
      through = pass(pixel, ray, strands.between(x, y, ray.t_min, end), end, through, light);
      if (through <= least_throughput) return;
      if (!solid) {
        add_surroundings(pixel, ray, ground, through, light);
        return;
      }
      const SurfacePoint s = surface_at(geometry_, hit, ray);
      add_surface(pixel, s, ray, through * hit.opacity, light);
      if (hit.opacity >= 1) return;
      through *= 1 - hit.opacity;
      ray.t_min = hit.t + s.clearance;
      // Goes on behind the far side of the point.
      if (hit.primitive == Primitive::sphere)
        ray.t_min -= 2 * dot(s.normal, ray.direction) * geometry_.spheres[hit.index].w;
    }
  }

 private:
  // Medium and strands between the ray's start and `end`; returns what passes of `through`.
  float pass(Pixel& pixel, const Ray& ray, const StrandLayers::Passed& strands, float end, float through,
             const LightSample& light) const {
    const auto march = [&](float from, float to) {
      const VolumeField::Segment medium = volumes_.march(ray, from, to, light.pick);
      pixel.radiance += medium.radiance * through;
      through *= medium.transmittance;
    };
    if (strands.through >= 1) {
      march(ray.t_min, end);
      return through;
    }
    march(ray.t_min, strands.distance);
    pixel.radiance += strands.radiance * through;
    through *= strands.through;
    if (through > least_throughput) march(strands.distance, end);
    return through;
  }

  void add_surroundings(Pixel& pixel, const Ray& ray, float ground, float through, const LightSample& light) const {
    const Vec3f background = lighting_.background(ray.direction);
    float presence = 0;
    if (std::isfinite(ground)) {
      const SurfacePoint s = lighting_.ground_point(ray, ground);
      presence = lighting_.ground_presence(s.position);
      if (presence > 0.01f) pixel.add_smooth(s, lighting_.irradiance(s, light), through * presence);
    }
    pixel.radiance += background * (through * (presence > 0.01f ? 1 - presence : 1.0f));
  }

  void add_surface(Pixel& pixel, const SurfacePoint& s, const Ray& ray, float share, const LightSample& light) const {
    pixel.radiance += s.emission * share;
    if (s.primitive == Primitive::segment) {
      pixel.detailed = true;
      pixel.radiance += lighting_.fibre(s, -ray.direction, light) * share;
    } else if (s.smooth) {
      pixel.add_smooth(s, lighting_.irradiance(s, light), share);
    } else {
      pixel.detailed = true;
      // The reflection of what glows this brightly cannot be seen.
      const bool outshone = s.emission.x + s.emission.y + s.emission.z > 20 * (s.color.x + s.color.y + s.color.z);
      if (!outshone) pixel.radiance += mul(s.color, lighting_.irradiance(s, light)) * share;
    }
  }

  const Geometry& geometry_;
  const VolumeField& volumes_;
  const Lighting& lighting_;
  const View& view_;
};

// Thin strands of the picture; the layers of a tile are made when it is first drawn.
struct Strands {
  StrandPieces pieces;
  std::vector<std::optional<StrandLayers>> layers;
};

// Takes samples [first, end) of the pixels that `wanted` names.
template <class Wanted>
void take_samples(std::vector<Pixel>& pixels, const View& view, const Tracer& tracer, const Integrator& integrator,
                  Strands& strands, int first, int end, Wanted&& wanted) {
  static_assert(tile_size == StrandPieces::cell);
  if (first >= end) return;
  const int columns = (view.width + tile_size - 1) / tile_size, rows = (view.height + tile_size - 1) / tile_size;
  parallel_for(columns * rows, [&](std::ptrdiff_t t) {
    const int x0 = static_cast<int>(t) % columns * tile_size, y0 = static_cast<int>(t) / columns * tile_size;
    const Tracer::Tile tile{x0, y0, std::min(x0 + tile_size, view.width), std::min(y0 + tile_size, view.height)};
    std::unique_ptr<Tracer::Sight> sight;
    std::optional<StrandLayers>& layers = strands.layers[static_cast<std::size_t>(t)];
    for (int y = tile.y0; y < tile.y1; ++y)
      for (int x = tile.x0; x < tile.x1; ++x) {
        if (!wanted(x, y)) continue;
        if (!sight) sight = tracer.look(tile, first, end);
        if (!layers) layers.emplace(strands.pieces, x0 / tile_size, y0 / tile_size);
        Pixel& pixel =
            pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x)];
        for (int s = first; s < end; ++s) integrator.sample(x, y, s, *sight, *layers, pixel);
      }
  });
}

// Pixels with detail in them or beside them.
std::vector<char> detail_mask(const std::vector<Pixel>& pixels, int width, int height) {
  std::vector<char> mask(pixels.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto at = [&](int i, int j) {
        return static_cast<std::size_t>(j) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i);
      };
      if (!pixels[at(x, y)].needs_more()) continue;
      for (int j = std::max(y - 1, 0); j <= std::min(y + 1, height - 1); ++j)
        for (int i = std::max(x - 1, 0); i <= std::min(x + 1, width - 1); ++i) mask[at(i, j)] = 1;
    }
  return mask;
}

// Light on the smooth surface of pixel (x, y), gathered from the neighbours that show the same plane.
Vec3f filtered_irradiance(const std::vector<Pixel>& pixels, const View& view, int x, int y) {
  const auto at = [&](int i, int j) -> const Pixel& {
    return pixels[static_cast<std::size_t>(j) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(i)];
  };
  static const auto gaussian = [] {
    std::array<float, filter_radius + 1> weights{};
    for (int k = 0; k <= filter_radius; ++k)
      weights[static_cast<std::size_t>(k)] = std::exp(-static_cast<float>(k * k) / (2 * filter_sigma * filter_sigma));
    return weights;
  }();
  const Pixel& center = at(x, y);
  const Vec3f normal = normalized(center.normal);
  const Vec3f position = center.position / static_cast<float>(center.smooth);
  const float thickness = 2 * view.pixel_at(position);
  Vec3f light;
  float weight = 0;
  for (int j = std::max(y - filter_radius, 0); j <= std::min(y + filter_radius, view.height - 1); ++j)
    for (int i = std::max(x - filter_radius, 0); i <= std::min(x + filter_radius, view.width - 1); ++i) {
      const Pixel& other = at(i, j);
      if (!other.one_surface()) continue;
      const float near =
          gaussian[static_cast<std::size_t>(std::abs(i - x))] * gaussian[static_cast<std::size_t>(std::abs(j - y))];
      const float facing = std::max(dot(normal, normalized(other.normal)), 0.0f);
      const float off = dot(normal, other.position / static_cast<float>(other.smooth) - position) / thickness;
      const float f2 = facing * facing, f8 = f2 * f2 * f2 * f2, plane = 1 / (1 + off * off);
      const float w = near * f8 * f8 * plane * plane * plane * plane / static_cast<float>(other.samples);
      light += other.irradiance * w;
      weight += other.weight * w;
    }
  return weight > 0 ? light / weight : Vec3f{};
}

LinearImage resolve(const std::vector<Pixel>& pixels, const View& view) {
  LinearImage image(view.width, view.height);
  parallel_for(view.height, [&](std::ptrdiff_t row) {
    const int y = static_cast<int>(row);
    for (int x = 0; x < view.width; ++x) {
      const Pixel& p = pixels[image.index(x, y)];
      const bool filter = p.one_surface() && p.weight > 0;
      const Vec3f smooth = filter ? mul(p.color, filtered_irradiance(pixels, view, x, y)) : p.reflected;
      image.at(x, y) = (p.radiance + smooth) / static_cast<float>(std::max(p.samples, 1));
    }
  });
  return image;
}

void check(const RenderOptions& options) {
  constexpr int largest = 16384;
  if (options.width < 1 || options.height < 1 || options.width > largest || options.height > largest)
    throw Error(ExitCode::usage, fmt::format("preview: size {}x{} is out of range; choose 1 to {} pixels a side",
                                             options.width, options.height, largest));
  if (options.samples < 1 || options.samples > 1024)
    throw Error(ExitCode::usage, fmt::format("preview: {} samples per pixel; choose 1 to 1024", options.samples));
  if (options.backend == RenderBackend::embree && !embree_available())
    throw Error(ExitCode::usage,
                "preview: Ymir was built without Embree; choose the backend raster, or install "
                "libembree-dev and build again");
}

// The number of threads for the time of one picture.
class ThreadScope {
 public:
  explicit ThreadScope(int count) : before_(threads()) {
    if (count > 0) set_threads(count);
  }
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// Embree where it can start, which takes memory and a thread of its own; what was left to choose is rasterised else.
std::unique_ptr<Tracer> make_tracer(const Geometry& geometry, const View& view, Vec3f to_sun, RenderBackend backend) {
  if (backend == RenderBackend::raster || !embree_available()) return make_rasterizer(geometry, view, to_sun);
  try {
    if (startable_threads(1) < 1)
      throw Error(ExitCode::io, "preview: Embree needs a thread of its own (ulimit -u); choose the rasteriser instead");
    return make_embree_tracer(geometry, threads());
  } catch (const Error& error) {
    if (backend == RenderBackend::embree) throw;
    log::warn(std::string(error.what()) + "; it was");
    return make_rasterizer(geometry, view, to_sun);
  }
}

}  // namespace

bool embree_available() {
#ifdef YMIR_HAS_EMBREE
  return true;
#else
  return false;
#endif
}

LinearImage render_linear(const PreviewScene& scene, const RenderOptions& options, RenderReport* report) {
  check(options);
  const ThreadScope scope(options.threads);
  const View view(scene.camera, options.width, options.height);
  Geometry geometry = prepare(scene, view);
  const std::unique_ptr<Tracer> tracer = make_tracer(geometry, view, scene.environment.to_sun, options.backend);
  const VolumeField volumes(scene, *tracer, geometry.skipped);
  PreviewScene fibres;
  fibres.environment.enabled = false;
  fibres.volumes.push_back(fibre_medium(scene, geometry));
  const VolumeField fibre_field(fibres, *tracer, geometry.skipped);
  const Lighting lighting(scene, geometry, *tracer, volumes, fibre_field, norm(fibres.volumes[0].axes[0]));
  Strands strands{StrandPieces(scene, geometry, lighting, view), {}};
  strands.layers.resize(static_cast<std::size_t>(strands.pieces.columns() * strands.pieces.rows()));
  const Integrator integrator(geometry, volumes, lighting, view);

  std::vector<Pixel> pixels(static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height));
  const int few = std::min(options.samples, std::max(4, options.samples / 4));
  take_samples(pixels, view, *tracer, integrator, strands, 0, few, [](int, int) { return true; });
  const std::vector<char> mask = detail_mask(pixels, view.width, view.height);
  take_samples(pixels, view, *tracer, integrator, strands, few, options.samples, [&](int x, int y) {
    return mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x)] != 0;
  });

  LinearImage image = resolve(pixels, view);
  add_bloom(image, scene.bloom);
  if (report != nullptr) report->skipped = geometry.skipped;
  return image;
}

Image render(const PreviewScene& scene, const RenderOptions& options, RenderReport* report) {
  return tone_map(render_linear(scene, options, report), scene.exposure);
}

}  // namespace ymir
