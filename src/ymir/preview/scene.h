// What a picture shows, as plain arrays. Lengths in metres, y is up, colours are linear RGB.
// Radiance is scaled so that a white surface facing a sun of colour 1 has radiance 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ymir/data/frame.h"
#include "ymir/preview/camera.h"
#include "ymir/preview/channel_colors.h"

namespace ymir {

struct PreviewSpheres {
  std::vector<Vec3f> center;
  std::vector<float> radius;
  std::vector<Vec3f> color;
  std::vector<Vec3f> emission;  // radiance; empty: none
};

// Polylines stored end to end: strand s has vertices [first[s], first[s + 1]).
struct PreviewCurves {
  std::vector<Vec3f> position;
  std::vector<float> radius;
  std::vector<Vec3f> color;
  std::vector<std::int64_t> first{0};
};

struct PreviewTriangles {
  std::vector<Vec3f> position;
  std::vector<Vec3f> color;
  std::vector<std::array<std::int32_t, 3>> triangles;
  // Of triangles that have one of their own, in the order of `triangles`; others, and those beyond: nothing.
  std::vector<std::optional<Vec3f>> face_color;
  float opacity = 1;  // below 1 they cast no shadow
};

// Straight lines of one width on the picture, unlit: overlays. Hidden by what is before them.
struct PreviewLines {
  std::vector<Vec3f> position;  // two per line
  std::vector<Vec3f> color;     // one per line
  float width = 1.2f;           // [pixel]
};

// Blocks of voxels, x fastest; a dense volume is one block. Values sit at voxel centres and are interpolated.
struct PreviewVolume {
  Vec3f origin;  // corner of voxel (0, 0, 0) of block (0, 0, 0)
  std::array<Vec3f, 3> axes{{{0.01f, 0, 0}, {0, 0.01f, 0}, {0, 0, 0.01f}}};  // edges of one voxel
  Vec3i block_resolution{8, 8, 8};                                           // voxels per block
  std::vector<Vec3i> blocks;                                                 // block coordinates
  std::vector<float> density;
  std::vector<float> temperature;  // [K], empty: none; shown as a black-body glow
  std::vector<float> value;        // 0 to 1, empty: none; coloured by it instead of by `albedo`
  float extinction = 10;           // [1/m] per unit of density
  Vec3f albedo{0.86f, 0.86f, 0.87f};
};

struct PreviewEnvironment {
  bool enabled = true;  // false: no sun, sky or ground; emission over the background only
  Vec3f to_sun{-0.45f, 0.78f, 0.43f};
  Vec3f sun{1.02f, 0.93f, 0.80f};
  Vec3f sky{0.40f, 0.46f, 0.56f};  // irradiance of the open sky on level ground
  bool ground = true;
  float ground_height = 0;
  Vec3f ground_color{0.56f, 0.545f, 0.52f};
};

struct PreviewScene {
  PreviewSpheres spheres;
  PreviewCurves curves;
  PreviewTriangles triangles;
  PreviewLines lines;
  std::vector<PreviewVolume> volumes;
  Camera camera;
  PreviewEnvironment environment;
  Vec3f background{0.26f, 0.36f, 0.50f};  // overhead; towards the horizon it meets the lit ground
  float exposure = 1;
  float bloom = 0;
  std::size_t skipped = 0;  // elements of the frame left out: non-finite values or broken indices
};

struct PreviewStyle {
  bool emissive = false;                  // points glow in a dusk environment (embers, sparks)
  float glow = 6;                         // radiance of the hottest point
  float point_radius = 0.004f;            // [m] where points carry no radius channel
  float curve_radius = 0.00004f;          // [m] where curves carry no radius channel
  std::optional<double> reference_speed;  // [m/s] top of the colour ramp; default: of the frame itself
  float extinction = 10;                  // [1/m] per unit of density
  std::optional<double> ground_height;    // [m]; default: below the lowest element of the frame
  bool ground = true;
  std::optional<ChannelColors> colors;   // instead of their own
  float strand_width = 1;                // times as wide as they are
  bool show_colliders = false;           // translucent, so that what is in and behind them is seen
  bool show_tiles = false;               // edges of the tiles of gas
  bool show_wind = false;                // arrows along the velocity of gas
  std::optional<double> reference_wind;  // [m/s] of the longest arrow; default: of the frame itself
};

// Everything drawable of a frame; the camera is framed on it. For a film, frame all its frames with Framing and
// take reference_speed over all of them, then set camera and ground on each scene.
PreviewScene scene_from_frame(const Frame&, const PreviewStyle& = {});
// Environment of a style, before anything is drawn in it.
PreviewScene empty_scene(const PreviewStyle&);
// 98th percentile of the speed of all points [m/s]; 0 without velocities.
double reference_speed(const Frame&);

}  // namespace ymir
