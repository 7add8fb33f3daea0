// Points and the gas that they carry along, as the pressure sees them. [method notes C, light bodies, 2 and 3]
//
//   B = I + a P,  M = m I + a rho V w P,  P = I for spheres (a per component), I - tt' for pieces of strands
//
//   room in faces (1 + a) V/h^3,  flow V/h^3 B v,  force -V B grad p
//   a slope y of q = dt p/rho takes  V/h^3 [a (I - P) + rho V B M^-1 B] y  of the flow, rho V M^-1 B y of the velocity
//
// a virtual mass, w the part of a point's weights that fits into faces, t direction of the strand. Gas passes along
// strands as if they carried none: that is the first term of what the flow loses.
#pragma once

#include "ymir/actions/gas_cloud.h"

namespace ymir {

class DressedPoints {
 public:
  DressedPoints(const GasCloud& cloud, double voxel, double density)
      : cloud_(&cloud), per_cell_(1 / (voxel * voxel * voxel)), voxel_(voxel), density_(density) {}

  // Nothing is carried, all weights fit.
  void reset(bool inertia);
  // a from what W room gives at points and the sums of squares of their weights.
  void take_virtual_mass(std::span<const Vec3d> room, std::span<const Vec3d> squares);
  void set_fit(std::span<const Vec3d> fit) { fit_.assign(fit.begin(), fit.end()); }

  double share(std::size_t i) const { return cloud_->volume(i) * per_cell_; }
  Vec3d virtual_mass(std::size_t i) const { return a_[i]; }
  Vec3d added(std::size_t i) const;  // a rho V w [kg]; of strands: across them, in each component
  Vec3d room(std::size_t i) const { return (Vec3d{1, 1, 1} + a_[i]) * share(i); }
  Vec3d flow(std::size_t i, Vec3d v) const { return dressed(i, v) * share(i); }
  // B y
  Vec3d dressed(std::size_t i, Vec3d y) const { return y + carried(i, y); }
  // a P y
  Vec3d carried(std::size_t i, Vec3d y) const;
  // a (I - P) y
  Vec3d passing(std::size_t i, Vec3d y) const;
  // M^-1 f
  Vec3d accelerated(std::size_t i, Vec3d f) const;
  // a rho V w P, the inertia beyond the point's own [kg]
  Symmetric3<double> added_inertia(std::size_t i) const;
  Vec3d flow_lost(std::size_t i, Vec3d y) const;
  Vec3d velocity_lost(std::size_t i, Vec3d y) const;
  // Sums of rows of what the flow loses, or more.
  Vec3d mobility(std::size_t i) const;

 private:
  const GasCloud* cloud_;
  double per_cell_, voxel_, density_;
  bool inertia_ = true;
  std::vector<Vec3d> a_, fit_;
};

}  // namespace ymir
