// The volumes of a scene as one participating medium: Beer-Lambert extinction, scattering of sun and sky light with
// the light's optical depth precomputed on a coarse lattice, black-body glow.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ymir/preview/scene.h"
#include "ymir/preview/tracer.h"

namespace ymir {

// Blocks with one extra layer of voxels, so that interpolation never looks beyond one block.
class VolumeSampler {
 public:
  VolumeSampler(const PreviewVolume&, std::size_t& skipped);

  struct Value {
    float density = 0;  // scaled by extinction [1/m]
    float temperature = 0;
  };
  // Value at a point, and how far along a unit direction the medium is known to be empty [m].
  Value at(Vec3f position, Vec3f direction, float& empty) const;
  // Clips [t0, t1] of a ray to the bounds; false when nothing is left.
  bool clip(Vec3f origin, Vec3f direction, float& t0, float& t1) const;

  bool empty() const { return blocks_.empty(); }
  float step() const { return 0.7f * voxel_; }   // [m]
  const Box& bounds() const { return bounds_; }  // of the world
  Vec3f albedo() const { return albedo_; }

 private:
  Vec3f to_voxels(Vec3f direction) const;
  std::int64_t find_block(Vec3i block) const;  // -1: empty
  void tabulate();
  void fill_block(Vec3i block, const PreviewVolume&, const std::unordered_map<std::uint64_t, std::size_t>& source);

  Vec3f origin_, albedo_;
  std::array<Vec3f, 3> inverse_;  // rows: world to voxels
  Vec3i resolution_;
  Vec3i low_, high_;  // in blocks, high exclusive
  float voxel_ = 0;
  Box bounds_;
  bool hot_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> blocks_;
  std::vector<std::int32_t> table_;  // the same as an array over [low, high), -1 where empty; unless that is too large
  std::vector<float> density_, temperature_;
};

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
  struct Light {
    float sun_depth = 0;  // optical depth towards the sun
    float sun_seen = 1;   // fraction of the sun not hidden by solid things
    float sky_depth = 0;  // optical depth straight up
  };
  void light_lattice(const Tracer&);
  Light light_at(Vec3f position) const;
  static constexpr int orders = 4;  // of scattering
  Vec3f scattered(const Light&, const std::array<float, orders>& phase) const;
  template <class Visit>
  void walk(Vec3f origin, Vec3f direction, float t0, float t1, float jitter, float coarseness, Visit&& visit) const;

  PreviewEnvironment environment_;
  Vec3f to_sun_;
  std::vector<VolumeSampler> samplers_;
  Box bounds_;
  Vec3i lattice_size_;
  std::vector<Light> lattice_;
};

}  // namespace ymir
