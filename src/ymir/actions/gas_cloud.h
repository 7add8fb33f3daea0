// The points of several Objects as one list, for couplings with a gas.
#pragma once

#include "ymir/fluid/gas_points.h"
#include "ymir/objects/volume_object.h"

namespace ymir {

class GasCloud {
 public:
  GasCloud(VolumeObject& gas, std::vector<ForceTarget*> targets);

  // Points as they are when a substep begins, and where they are in the gas. Collective.
  void collect();
  void collect_velocities();
  void collect_tangents();

  std::size_t size() const { return mass.size(); }
  // Has mass and is in the gas.
  bool takes_part(std::size_t i) const { return mass[i] > 0 && points.in_gas(i); }
  bool on_strand(std::size_t i) const { return length[i] > 0; }
  bool on_surface(std::size_t i) const { return area[i] > 0; }
  // Feels nothing of its neighbours.
  bool loose(std::size_t i) const { return !on_strand(i) && !on_surface(i); }
  double volume(std::size_t i) const;  // [m^3]
  // Carries gas along: its Object does, and it is no hair in air, which is so heavy that it makes no difference.
  bool dressed(std::size_t i) const { return dressed_[i] != 0; }
  // Radius of the ball that spreads what the point does [m].
  double spread(std::size_t i) const;
  // Number of a block's first point.
  std::size_t first(std::size_t target, const PointBlock& block) const {
    return first_[target][static_cast<std::size_t>(block.bucket)] + static_cast<std::size_t>(block.first);
  }
  std::size_t end(std::size_t target) const { return end_[target]; }  // one past the target's last point
  const std::vector<ForceTarget*>& targets() const { return targets_; }

  std::vector<Vec3d> position, velocity, tangent;  // [m], [m/s]
  std::vector<double> mass, diameter, length;      // [kg], [m]; length 0: not on a strand
  std::vector<double> area;                        // of panels, whose normal is their tangent [m^2]; else 0
  std::vector<double> kernel;                      // radius of the ball of weights [voxels]; 0: trilinear
  GasPoints points;

 private:
  VolumeObject* gas_;
  std::vector<ForceTarget*> targets_;
  std::vector<std::uint8_t> dressed_;
  std::vector<std::vector<std::size_t>> first_;  // per target and block
  std::vector<std::size_t> end_;                 // per target
};

// Adds a constant to the force of points; `forces` are those of the whole cloud.
void add_forces(const GasCloud& cloud, std::size_t target, const std::vector<Vec3d>& forces, const PointBlock& block,
                const ForceBlock& out);

}  // namespace ymir
