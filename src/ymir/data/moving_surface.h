// A surface during one time step, its vertices on straight lines from where they are at the beginning to where they are
// at the end: nearest point, side and velocity for any place and any time of the step. Safe from any thread.
//
// Boxes of the tree at a time are interpolated between those at both ends: what they hold stays inside them. Distances
// are exact. Inside is where the angle-weighted pseudo-normal of the nearest face, edge or vertex says so (Baerentzen,
// Aanaes, 2005) for closed meshes; for others, where the generalized winding number exceeds 1/2 (Jacobson, Kavan,
// Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding numbers", 2013; with far parts as
// dipoles, Barill et al., "Fast winding numbers for soups and clouds", 2018).
#pragma once

#include <limits>
#include <memory>

#include "ymir/data/surface_hierarchy.h"

namespace ymir {

struct SurfaceSample {
  std::int32_t triangle = -1;                                 // -1: none within the bound
  Vec3d weights;                                              // of its vertices at the nearest point
  Vec3d point;                                                // the nearest point [m]
  Vec3d normal{0, 1, 0};                                      // unit, out of the solid
  double distance = std::numeric_limits<double>::infinity();  // signed [m]
};

class MovingSurface {
 public:
  // Vertices one step before, at the beginning and at the end, dt >= 0 apart; dt 0: at rest.
  MovingSurface(std::shared_ptr<const SurfaceHierarchy> hierarchy, double begin, double dt, std::vector<Vec3d> before,
                std::vector<Vec3d> start, std::vector<Vec3d> end);

  double begin() const { return begin_; }  // [s]
  double dt() const { return dt_; }        // [s]
  // Longest way of any vertex during the step [m].
  double travel() const { return travel_; }
  double mean_edge() const { return mean_edge_; }  // at the end [m]
  const std::vector<Vec3d>& positions_at_start() const { return start_; }
  const std::vector<Vec3d>& positions_at_end() const { return end_; }
  // Of a place sampled at some time of an earlier (or this) step: how far any point of the surface may have moved from
  // there to any time of this one [m].
  double moved_since(double odometer) const { return odometer_ - odometer + travel_; }
  double odometer() const { return odometer_; }  // way of the surface before this step, as far as it is known [m]
  void set_odometer(double way) { odometer_ = way; }

  // Nearest point not farther than `bound` [m] at a time of the step; of equally near triangles the one with the lowest
  // number.
  SurfaceSample sample(Vec3d x, double time, double bound = std::numeric_limits<double>::infinity()) const;
  double winding(Vec3d x, double time) const;

  // Of the material point of a sample, during this step and the one before [m/s].
  Vec3d velocity(const SurfaceSample& at) const { return dt_ > 0 ? (mix(end_, at) - mix(start_, at)) / dt_ : Vec3d(); }
  Vec3d velocity_before(const SurfaceSample& at) const {
    return dt_ > 0 ? (mix(start_, at) - mix(before_, at)) / dt_ : Vec3d();
  }
  // How far it has moved from one time to another of the step [m].
  Vec3d displacement(const SurfaceSample& at, double from, double to) const { return velocity(at) * (to - from); }

 private:
  struct At;  // a time, as a share of the step
  Vec3d mix(const std::vector<Vec3d>& positions, const SurfaceSample& at) const;
  Vec3d face_normal(const At& at, std::int32_t triangle) const;
  Vec3d pseudo_normal(const At& at, std::int32_t triangle, Vec3d weights) const;
  double winding(const At& at, Vec3d x) const;

  std::shared_ptr<const SurfaceHierarchy> hierarchy_;
  double begin_, dt_, travel_ = 0, mean_edge_ = 0, odometer_ = 0;
  std::vector<Vec3d> before_, start_, end_;
  std::vector<Box> start_boxes_, end_boxes_;
  std::vector<SurfaceHierarchy::Dipole> dipoles_;  // at the end; where sides are told by winding
};

}  // namespace ymir
