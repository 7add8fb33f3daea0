// The volumes of a scene as one participating medium: Beer-Lambert extinction, scattering of sun and sky light with
// the light's optical depth precomputed on a coarse lattice in every block, black-body glow.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ymir/preview/tracer.h"
#include "ymir/preview/volume_sampler.h"

namespace ymir {

class VolumeField {
 public:
  VolumeField(const PreviewScene&, const Tracer&, std::size_t& skipped);

  bool empty() const { return samplers_.empty(); }
  struct Segment {
    Vec3f radiance;  // scattered and emitted towards the eye
    float transmittance = 1;
  };
  // Light along [t0, t1] of a ray; jitter in [0, 1) shifts the steps.
  Segment march(const Ray&, float t0, float t1, float jitter) const;
  // Fraction of light that passes along [t0, t1]; steps are `coarseness` times those of march().
  float transmittance(Vec3f origin, Vec3f direction, float t0, float t1, float jitter, float coarseness = 1) const;

 private:
  using Light = VolumeSampler::Light;
  // What a step of a ray passes through.
  struct Step {
    float length = 0;
    float density = 0;  // of all volumes [1/m]
    float temperature = 0;
    std::span<const VolumeSampler::Value> values;  // of each volume
  };
  void light_blocks(const Tracer&);
  static constexpr int orders = 4;  // of scattering
  Vec3f scattered(const Light&, const std::array<float, orders>& phase) const;
  template <class Visit>
  void walk(Vec3f origin, Vec3f direction, float t0, float t1, float jitter, float coarseness, Visit&& visit) const;

  PreviewEnvironment environment_;
  Vec3f to_sun_;
  std::vector<VolumeSampler> samplers_;
};

}  // namespace ymir
