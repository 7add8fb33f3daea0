// Light of a scene: a soft sun, an open sky, the ground's reflection, and the glow of emissive points.
// Irradiance is divided by pi, so that radiance is colour times irradiance.
#pragma once

#include <vector>

#include "ymir/preview/volume_field.h"

namespace ymir {

// The random numbers of one sample of one pixel.
struct LightSample {
  Point2 sun, sky;
  float pick = 0;
  std::uint32_t seed = 0;
};

// Light that reaches a place on a thin strand, the same from all sides.
struct FibreLight {
  float sun = 0;  // visible fraction
  Vec3f ambient;
};

class Lighting {
 public:
  // `fibres`: what thin strands take of the light, with voxels of the given size.
  Lighting(const PreviewScene&, const Geometry&, const Tracer&, const VolumeField&, const VolumeField& fibres,
           float fibre_voxel);

  Vec3f background(Vec3f direction) const;
  // Where the ray meets the ground, or infinity.
  float ground_distance(const Ray&) const;
  // The ground passes into the background far from the scene, without a visible horizon.
  float ground_presence(Vec3f position) const;
  SurfacePoint ground_point(const Ray&, float t) const;

  Vec3f irradiance(const SurfacePoint&, const LightSample&) const;
  // Radiance of a strand towards the eye: a solid one, or a thin one with its light.
  Vec3f fibre(const SurfacePoint&, Vec3f to_eye, const LightSample&) const;
  Vec3f fibre(Vec3f tangent, Vec3f to_eye, Vec3f color, const FibreLight&) const;
  FibreLight on_fibre(Vec3f position, std::uint32_t strand) const;

 private:
  struct Lamp {
    Vec3f position;
    Vec3f intensity;
    float spread = 0;  // of the points it stands for, squared [m^2]
  };
  struct PointLight {
    Vec3f ambient;
    float sun = 0;  // visible fraction
  };
  void make_lamps();
  void light_points();
  Vec3f sun_direction(Point2) const;
  float sun_visible(const SurfacePoint&, Vec3f direction, const LightSample&) const;
  Vec3f sky_light(const SurfacePoint&, Vec3f direction, const LightSample&) const;
  Vec3f lamp_light(const SurfacePoint&, const LightSample&) const;
  float through_fibres(const SurfacePoint&, Vec3f direction, const LightSample&) const;
  Vec3f sunlit_fibre(Vec3f tangent, Vec3f normal, Vec3f to_eye, Vec3f color, Vec3f sun) const;

  const PreviewScene& scene_;
  const Geometry& geometry_;
  const Tracer& tracer_;
  const VolumeField& volumes_;
  const VolumeField& fibres_;
  float fibre_voxel_;
  Vec3f to_sun_, sun_side_, sun_up_;
  Vec3f horizon_, bounce_;
  std::vector<Lamp> lamps_;
  std::vector<PointLight> points_;  // light on each small sphere, the same for all its pixels: points do not flicker
};

}  // namespace ymir
