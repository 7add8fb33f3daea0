// Puts material and motion into a gas, inside a shape: by stamping values, or by a flow of new gas. [Lesser2022, 7.4;
// method notes C, 8]
//
//   stamp  f <- (1 - a) f + a f_emit,  a = mask, or mask (1 - exp(-rate dt)); materials without a flow only until they
//          have reached the part of f_emit that the mask covers
//   flux   a volume source spread over the shape, and its values stamped where it enters
#pragma once

#include <limits>
#include <optional>

#include "ymir/objects/volume_object.h"

namespace ymir {

// Where and what: a mask in [0, 1] that falls off over a voxel, and the box outside which it is 0. A shape that slips
// between the centres of voxels is given by parts of equal volume instead: each fills its share of the voxel it is in.
struct GasShape {
  std::function<Box(double time)> bounds;
  std::function<double(Vec3d x, double time, double voxel)> mask;
  std::function<std::vector<Vec3d>(double time)> parts;  // empty: the mask counts
  double volume = 0;                                     // of all parts [m^3]
};

struct GasEmission {
  GasShape shape;
  struct Value {
    ChannelId<float> channel;
    std::function<double(Vec3d x, double time)> value;
  };
  std::vector<Value> materials;
  std::function<Vec3d(Vec3d x, double time)> velocity;               // empty: motion is left alone
  std::optional<double> rate;                                        // [1/s]; without one values are set at once
  double flow = 0;                                                   // volume of gas that enters per time [m^3/s]
  double start = 0, stop = std::numeric_limits<double>::infinity();  // [s]
};

// A solid's inside as a mask.
GasShape shape_of(std::function<double(Vec3d x, double time)> distance, std::function<Box(double time)> bounds);

void add_emission(VolumeObject& gas, const std::string& owner, GasEmission emission);

// Cells that points lie in take the values.
void add_point_emission(VolumeObject& gas, const std::string& owner, GasEmission emission,
                        std::vector<const ForceTarget*> points);

}  // namespace ymir
