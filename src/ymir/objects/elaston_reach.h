// Which nodes an elaston, or any point of a plant, depends on, and by which shape functions.
//
// Those within the radius h = 3.2 spacings whose way along the plant is not much longer than the straight one: leaves
// that touch, and branches side by side, do not move as one.
#pragma once

#include "ymir/data/elaston_cloud.h"
#include "ymir/physics/elastons/gmls_shape.h"

namespace ymir {

struct ElastonPoint {
  std::vector<std::int32_t> nodes;  // ascending
  std::vector<GmlsShape> shapes;    // one each
};

class ElastonReach {
 public:
  // With fewer nodes in reach rods are too stiff: 0.86 of the deflection at 1.5 spacings, 0.905 at 2.2, 0.99 at 3.2.
  static constexpr double radius_in_spacings = 3.2;
  // Length of the way along the plant, by the radius, beyond which nodes are not of the same place. At a right angle
  // between branches all in reach are nearer.
  static constexpr double longest_way = 1.5;

  explicit ElastonReach(const ElastonCloud& cloud);
  // Of a point of a part that `near` is a node of.
  ElastonPoint at(Vec3d x, std::int32_t near) const;
  // The nodes nearest to x among this one, those next to it and those next to them; returns how many.
  static constexpr int few = 4;
  int nearest(std::int32_t node, Vec3d x, std::int32_t (&nodes)[few]) const;
  double radius() const { return radius_; }  // [m]

 private:
  const ElastonCloud* cloud_;
  double radius_;                           // [m]
  std::vector<std::int32_t> first_, next_;  // neighbours of node i: next_[first_[i]] .. next_[first_[i + 1]]
};

}  // namespace ymir
