#include "ymir/preview/scene.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "ymir/base/hash.h"
#include "ymir/preview/frame_channels.h"
#include "ymir/preview/overlays.h"
#include "ymir/preview/palette.h"

namespace ymir {
namespace {

constexpr Vec3f without_value{0.35f, 0.35f, 0.35f};  // where a thing lacks the channel it is to be coloured by

float luminance(Vec3f c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }

// Of the channel to colour by, where it lives on that place.
std::vector<float> shown_values(const ObjectState& object, Place place, const PreviewStyle& style) {
  if (!style.colors) return {};
  const auto found = object.channels.find(stored_channel(object, style.colors->channel).name);
  const bool there = found != object.channels.end() && found->second.place == place;
  return there ? channel_values(object, style.colors->channel) : std::vector<float>{};
}

void add_points(PreviewScene& scene, const ObjectState& object, const PreviewStyle& style, double top_speed) {
  const auto position = channel_of<Vec3f>(object, "position");
  const std::size_t count = position.size();
  const auto radius = channel_on<float>(object, Place::particle, "radius", count);
  const auto velocity = channel_on<Vec3f>(object, Place::particle, "velocity", count);
  const auto color = channel_on<Vec3f>(object, Place::particle, "color", count);
  const auto age = channel_on<float>(object, Place::particle, "age", count);
  const std::vector<float> values = shown_values(object, Place::particle, style);
  PreviewSpheres& spheres = scene.spheres;
  for (std::size_t i = 0; i < count; ++i) {
    const float r = radius.empty() ? style.point_radius : radius[i];
    if (!is_finite(position[i]) || !std::isfinite(r) || r < 0) {
      ++scene.skipped;
      continue;
    }
    float heat = 0.55f;
    if (!velocity.empty() && top_speed > 0) heat = norm(velocity[i]) / static_cast<float>(top_speed);
    if (!age.empty()) heat = 0.5f * heat + 0.5f * std::exp(-age[i]);  // young within the first second
    heat = std::isfinite(heat) ? std::clamp(heat, 0.0f, 1.0f) : 0.0f;
    Vec3f tint = ember_color(heat);
    if (!color.empty() && is_finite(color[i])) tint = color[i];
    if (style.colors) tint = i < values.size() ? scale_color(style.colors->share(values[i])) : without_value;
    spheres.center.push_back(position[i]);
    spheres.radius.push_back(r);
    spheres.color.push_back(style.emissive ? Vec3f{0.02f, 0.02f, 0.02f} : tint);
    if (style.emissive) spheres.emission.push_back(tint * (style.glow * (0.05f + luminance(tint))));
  }
}

void add_curves(PreviewScene& scene, const ObjectState& object, const PreviewStyle& style) {
  const auto position = channel_of<Vec3f>(object, "position");
  const auto first = channel_of<std::int64_t>(object, "first");
  const auto radius = channel_on<float>(object, Place::vertex, "radius", position.size());
  const auto color = channel_on<Vec3f>(object, Place::vertex, "color", position.size());
  const std::vector<float> of_vertices = shown_values(object, Place::vertex, style),
                           of_strands = shown_values(object, Place::strand, style);
  PreviewCurves& curves = scene.curves;
  const auto total = static_cast<std::int64_t>(position.size());
  const std::uint64_t seed = hash_text(object.name);
  for (std::size_t s = 0; s + 1 < first.size(); ++s) {
    const std::int64_t begin = first[s], end = first[s + 1];
    if (begin < 0 || end > total || begin >= end) {
      ++scene.skipped;
      continue;
    }
    for (std::int64_t v = begin; v < end; ++v) {
      const auto i = static_cast<std::size_t>(v);
      const float along =
          static_cast<float>(v - begin) / static_cast<float>(std::max<std::int64_t>(end - begin - 1, 1));
      // Without given radii strands taper, as cut hair grows thin towards the tip.
      const float taper = 1 - 0.6f * along * along;
      curves.position.push_back(position[i]);
      curves.radius.push_back(style.strand_width * (radius.empty() ? style.curve_radius * taper : radius[i]));
      Vec3f tint = color.empty() ? hair_color(hash_combine(seed, s), along) : color[i];
      if (style.colors)
        tint = i < of_vertices.size()  ? scale_color(style.colors->share(of_vertices[i]))
               : s < of_strands.size() ? scale_color(style.colors->share(of_strands[s]))
                                       : without_value;
      curves.color.push_back(tint);
    }
    curves.first.push_back(static_cast<std::int64_t>(curves.position.size()));
  }
}

void add_surface(PreviewScene& scene, const ObjectState& object, const PreviewStyle& style, std::uint64_t ordinal) {
  const auto position = channel_of<Vec3f>(object, "position");
  const auto triangles = channel_of<Vec3i>(object, "triangles");
  const auto color = channel_on<Vec3f>(object, Place::vertex, "color", position.size());
  PreviewTriangles& mesh = scene.triangles;
  const auto offset = static_cast<std::int32_t>(mesh.position.size());
  const auto count = static_cast<std::int32_t>(position.size());
  mesh.position.insert(mesh.position.end(), position.begin(), position.end());
  const std::vector<float> of_vertices = shown_values(object, Place::vertex, style),
                           of_faces = shown_values(object, Place::face, style);
  if (style.colors)
    for (std::size_t i = 0; i < position.size(); ++i)
      mesh.color.push_back(i < of_vertices.size() ? scale_color(style.colors->share(of_vertices[i])) : without_value);
  else if (color.empty())
    mesh.color.insert(mesh.color.end(), position.size(), clay_color(ordinal));
  else
    mesh.color.insert(mesh.color.end(), color.begin(), color.begin() + static_cast<std::ptrdiff_t>(position.size()));
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    const Vec3i& t = triangles[f];
    if (t.x < 0 || t.y < 0 || t.z < 0 || t.x >= count || t.y >= count || t.z >= count) {
      ++scene.skipped;
      continue;
    }
    if (f < of_faces.size()) {
      mesh.face_color.resize(mesh.triangles.size());
      mesh.face_color.emplace_back(scale_color(style.colors->share(of_faces[f])));
    }
    mesh.triangles.push_back({t.x + offset, t.y + offset, t.z + offset});
  }
}

// The channel to show as density: `density`, else the first scalar channel of voxels that is no temperature.
std::string density_channel(const ObjectState& object) {
  if (object.channels.contains("density")) return "density";
  for (const auto& [name, array] : object.channels)
    if (array.place == Place::voxel && array.holds<float>() && name != "temperature") return name;
  return {};
}

// Values of a channel at another resolution per block, by the nearest voxel.
std::vector<float> resampled(std::span<const float> values, std::size_t blocks, int from, int to) {
  std::vector<float> out;
  out.reserve(blocks * static_cast<std::size_t>(to * to * to));
  for (std::size_t b = 0; b < blocks; ++b)
    for (int z = 0; z < to; ++z)
      for (int y = 0; y < to; ++y)
        for (int x = 0; x < to; ++x) {
          const int at = ((z * from / to) * from + y * from / to) * from + x * from / to;
          out.push_back(values[b * static_cast<std::size_t>(from * from * from) + static_cast<std::size_t>(at)]);
        }
  return out;
}

void add_volume(PreviewScene& scene, const ObjectState& object, const PreviewStyle& style) {
  const auto blocks = channel_of<Vec3i>(object, "bucket");
  const std::string name = density_channel(object);
  const double size = number_of(object, "bucket_size", 0);
  const auto resolution_of = [&](const std::string& c) {
    const double n = number_of(object, c + ".resolution", 0);
    return n >= 1 && n <= 1024 ? static_cast<int>(n) : 0;
  };
  const int n = resolution_of(name);
  const std::size_t voxels = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto density = channel_of<float>(object, name, blocks.size() * voxels);
  if (n == 0 || blocks.empty() || density.empty() || !std::isfinite(size) || size <= 0) {
    scene.skipped += blocks.size();
    return;
  }
  PreviewVolume volume;
  const float voxel = static_cast<float>(size / n);
  volume.axes = {{{voxel, 0, 0}, {0, voxel, 0}, {0, 0, voxel}}};
  volume.block_resolution = {n, n, n};
  volume.blocks.assign(blocks.begin(), blocks.end());
  volume.density.assign(density.begin(), density.begin() + static_cast<std::ptrdiff_t>(blocks.size() * voxels));
  const int m = resolution_of("temperature");
  const std::size_t hot_voxels =
      static_cast<std::size_t>(m) * static_cast<std::size_t>(m) * static_cast<std::size_t>(m);
  const auto temperature = channel_of<float>(object, "temperature", blocks.size() * hot_voxels);
  if (m > 0 && !temperature.empty()) volume.temperature = resampled(temperature, blocks.size(), m, n);
  if (style.colors) {
    const int k = resolution_of(stored_channel(object, style.colors->channel).name);
    std::vector<float> values = shown_values(object, Place::voxel, style);
    if (k > 0 && values.size() >= blocks.size() * static_cast<std::size_t>(k * k * k)) {
      for (float& v : values) v = style.colors->share(v);
      volume.value = resampled(values, blocks.size(), k, n);
    }
  }
  volume.extinction = style.extinction;
  scene.volumes.push_back(std::move(volume));
}

}  // namespace

double reference_speed(const Frame& frame) {
  std::vector<float> speeds;
  for (const ObjectState& object : frame.objects)
    if (object.kind == "points")
      for (const Vec3f& v : channel_of<Vec3f>(object, "velocity"))
        if (is_finite(v)) speeds.push_back(norm(v));
  if (speeds.empty()) return 0;
  const auto at = speeds.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(speeds.size() - 1));
  std::nth_element(speeds.begin(), at, speeds.end());
  return *at;
}

PreviewScene empty_scene(const PreviewStyle& style) {
  PreviewScene scene;
  scene.environment.ground = style.ground;
  if (style.emissive) {
    scene.environment.sun = {0.17f, 0.19f, 0.24f};
    scene.environment.sky = {0.028f, 0.032f, 0.042f};
    scene.environment.ground_color = {0.22f, 0.21f, 0.205f};
    scene.background = {0.004f, 0.005f, 0.009f};
    scene.bloom = 0.35f;
  }
  return scene;
}

PreviewScene scene_from_frame(const Frame& frame, const PreviewStyle& style) {
  PreviewScene scene = empty_scene(style);
  const double top_speed = style.reference_speed.value_or(reference_speed(frame));
  std::uint64_t surfaces = 0;
  for (const ObjectState& object : frame.objects) {
    if (object.kind == "points") add_points(scene, object, style, top_speed);
    if (object.kind == "curves") add_curves(scene, object, style);
    if (object.kind == "surface") add_surface(scene, object, style, surfaces++);
    if (object.kind == "volume") add_volume(scene, object, style);
  }
  if (style.show_colliders) scene.triangles.opacity = 0.3f;
  Framing framing;
  framing.add(scene);
  if (style.show_tiles) add_tile_edges(scene.lines, frame);
  if (style.show_wind) add_wind_arrows(scene.lines, frame, style.reference_wind.value_or(reference_wind(frame)));
  scene.camera = framing.camera(16.0 / 9.0);
  scene.environment.ground_height = static_cast<float>(style.ground_height.value_or(framing.ground_height()));
  return scene;
}

}  // namespace ymir
