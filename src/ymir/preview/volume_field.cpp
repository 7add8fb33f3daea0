#include "ymir/preview/volume_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "ymir/parallel/threads.h"
#include "ymir/preview/palette.h"

namespace ymir {
namespace {

constexpr int most_steps = 1 << 16;  // of one ray: no picture takes for ever
constexpr float opaque = 1e-3f;

Vec3f mul(Vec3f a, Vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

float henyey_greenstein(float cosine, float g) {
  const float d = 1 + g * g - 2 * g * cosine;
  return (1 - g * g) / (d * std::sqrt(d));  // 1 when g is 0
}

}  // namespace

VolumeField::VolumeField(const PreviewScene& scene, const Tracer& tracer, std::size_t& skipped)
    : environment_(scene.environment), to_sun_(normalized(scene.environment.to_sun, Vec3f{0, 1, 0})) {
  for (const PreviewVolume& volume : scene.volumes) {
    VolumeSampler sampler(volume, skipped);
    if (!sampler.empty()) samplers_.push_back(std::move(sampler));
  }
  if (environment_.enabled) light_blocks(tracer);
}

// Visits the steps of a ray through the medium; a false answer ends the walk. Each step stands for its whole length
// with the values at its middle. What is empty is skipped, however wide, and takes no steps.
template <class Visit>
void VolumeField::walk(Vec3f origin, Vec3f direction, float t0, float t1, float jitter, float coarseness,
                       Visit&& visit) const {
  float begin = 1e30f, end = -1e30f, step = 1e30f;
  for (const VolumeSampler& s : samplers_) {
    float a = t0, b = t1;
    if (!s.clip(origin, direction, a, b)) continue;
    begin = std::min(begin, a);
    end = std::max(end, b);
    step = std::min(step, s.step());
  }
  if (begin >= end) return;
  // Steps shorter than the rounding of positions would lead nowhere.
  step = std::max(step * coarseness, 1e-6f * end);
  std::array<VolumeSampler::Value, 4> few;
  std::vector<VolumeSampler::Value> many(samplers_.size() > few.size() ? samplers_.size() : 0);
  const std::span<VolumeSampler::Value> values =
      many.empty() ? std::span(few).first(samplers_.size()) : std::span(many);
  // The first step is a random part of a full one, so that neighbouring pixels do not band alike.
  float length = step * (0.25f + 0.75f * jitter), t = begin;
  for (int i = 0; i < most_steps && t < end; ++i) {
    length = std::min(length, end - t);
    const Vec3f position = origin + direction * (t + 0.5f * length);
    float density = 0, temperature = 0, skip = 1e30f;
    for (std::size_t s = 0; s < samplers_.size(); ++s) {
      float clear = 0;
      values[s] = samplers_[s].at(position, direction, clear);
      density += values[s].density;
      temperature = std::max(temperature, values[s].temperature);
      skip = std::min(skip, clear);
    }
    if (skip > 0.5f * length) {
      // Empty up to `skip` beyond the middle; the next step starts there.
      t += 0.5f * length + skip + std::max(1e-4f * step, 2e-7f * t);
    } else {
      if (!visit(Step{length, density, temperature, values})) return;
      t += length;
    }
    length = step;
  }
}

float VolumeField::transmittance(Vec3f origin, Vec3f direction, float t0, float t1, float jitter,
                                 float coarseness) const {
  if (empty()) return 1;
  float depth = 0;
  walk(origin, direction, t0, t1, jitter, coarseness, [&](const Step& step) {
    depth += step.density * step.length;
    return depth < 8;
  });
  return std::exp(-depth);
}

void VolumeField::light_blocks(const Tracer& tracer) {
  for (VolumeSampler& sampler : samplers_) sampler.make_nodes();
  for (VolumeSampler& sampler : samplers_)
    parallel_blocks(
        static_cast<std::ptrdiff_t>(sampler.node_count()), 512, [&](std::ptrdiff_t first, std::ptrdiff_t end) {
          for (std::ptrdiff_t n = first; n < end; ++n) {
            const auto i = static_cast<std::size_t>(n);
            const Vec3f at = sampler.node(i);
            Light light;
            light.sun_depth = -std::log(std::max(transmittance(at, to_sun_, 0, 1e30f, 0.5f, 2), 1e-4f));
            light.sky_depth = -std::log(std::max(transmittance(at, {0, 1, 0}, 0, 1e30f, 0.5f, 3), 1e-4f));
            light.sun_seen =
                tracer.occluded({at, to_sun_, 0, std::numeric_limits<float>::infinity(), 0x9e3779b9u}) ? 0 : 1;
            sampler.set_light(i, light);
          }
        });
}

// Higher orders of scattering as copies of the first with less extinction, anisotropy and strength
// [Wrenninge 2015, "Art-directable multiple volumetric scattering"].
Vec3f VolumeField::scattered(const Light& light, const std::array<float, orders>& phase) const {
  float sun = 0, extinction = 1;
  for (const float p : phase) {
    sun += p * std::exp(-extinction * light.sun_depth);
    extinction *= 0.4f;
  }
  // The factor 1/2 against a wall facing the sun is the mean of its cosine over a sphere of droplets.
  const float sky = 0.35f + 0.65f * std::exp(-0.6f * light.sky_depth);
  return environment_.sun * (0.5f * sun * light.sun_seen) + environment_.sky * sky;
}

VolumeField::Segment VolumeField::march(const Ray& ray, float t0, float t1, float jitter) const {
  Segment out;
  if (empty()) return out;
  std::array<float, orders> phase{};
  float weight = 1, g = 0.45f;
  for (float& p : phase) {
    p = weight * henyey_greenstein(dot(ray.direction, to_sun_), g);
    weight *= 0.6f;
    g *= 0.5f;
  }
  walk(ray.origin, ray.direction, t0, t1, jitter, 1, [&](const Step& step) {
    const float absorbed = 1 - std::exp(-step.density * step.length);
    for (std::size_t s = 0; absorbed > 0 && environment_.enabled && s < samplers_.size(); ++s) {
      const VolumeSampler::Value& value = step.values[s];
      if (!(value.density > 0)) continue;
      const Vec3f light = scattered(samplers_[s].light_at(value), phase);
      out.radiance +=
          mul(samplers_[s].albedo(value), light) * (out.transmittance * absorbed * value.density / step.density);
    }
    if (step.temperature > 700) {
      // Stefan-Boltzmann's fourth power, normalised at 1500 K and kept within what a picture can show.
      const float power = std::min(std::pow(step.temperature / 1500.0f, 4.0f), 8.0f);
      out.radiance += black_body_color(step.temperature) * (out.transmittance * 20.0f * power * step.length);
    }
    out.transmittance *= 1 - absorbed;
    return out.transmittance > opaque;
  });
  return out;
}

}  // namespace ymir
