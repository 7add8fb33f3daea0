#include "ymir/actions/dressed_points.h"

#include <algorithm>
#include <cmath>

#include "ymir/physics/fluid/added_mass.h"

namespace ymir {
namespace {

Vec3d by_component(Vec3d a, Vec3d b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

double mean(Vec3d a) { return (a.x + a.y + a.z) / 3; }

}  // namespace

void DressedPoints::reset(bool inertia) {
  inertia_ = inertia;
  a_.assign(cloud_->size(), {0, 0, 0});
  fit_.assign(cloud_->size(), {1, 1, 1});
}

void DressedPoints::take_virtual_mass(std::span<const Vec3d> room, std::span<const Vec3d> squares) {
  for (std::size_t i = 0; i < cloud_->size(); ++i) {
    if (!cloud_->takes_part(i) || !cloud_->dressed(i)) continue;
    if (cloud_->on_strand(i)) {  // neighbours on the strand are part of the body
      const double around = std::clamp(mean(room[i]), 0.0, 1.0);
      a_[i] = Vec3d{1, 1, 1} * added_mass::of_cylinder(around);
      continue;
    }
    for (int c = 0; c < 3; ++c) {
      double own = 0;
      if (cloud_->kernel[i] > 0) {
        own = added_mass::own_share_of_ball(cloud_->diameter[i] / (2 * voxel_));
      } else {
        Vec3d offset;
        for (int k = 0; k < 3; ++k) {
          const double place = cloud_->position[i][k] / voxel_ - (k == c ? 0.0 : 0.5);
          offset[k] = place - std::floor(place);
        }
        own = added_mass::own_share_of_trilinear(offset, c, share(i));
      }
      a_[i][c] = added_mass::of_sphere(std::clamp(room[i][c] - share(i) * squares[i][c] + own, 0.0, 1.0));
    }
  }
}

Vec3d DressedPoints::added(std::size_t i) const {
  const Vec3d a = by_component(a_[i], fit_[i]) * (density_ * cloud_->volume(i));
  return cloud_->on_strand(i) ? Vec3d{1, 1, 1} * mean(a) : a;
}

Vec3d DressedPoints::carried(std::size_t i, Vec3d y) const {
  const Vec3d all = by_component(a_[i], y);
  return cloud_->on_strand(i) ? all - passing(i, y) : all;
}

Vec3d DressedPoints::passing(std::size_t i, Vec3d y) const {
  if (!cloud_->on_strand(i)) return {0, 0, 0};
  const Vec3d t = cloud_->tangent[i];
  return t * (a_[i].x * dot(t, y));
}

Vec3d DressedPoints::accelerated(std::size_t i, Vec3d f) const {
  const double m = cloud_->mass[i];
  const Vec3d gas = added(i);
  if (!cloud_->on_strand(i)) return {f.x / (m + gas.x), f.y / (m + gas.y), f.z / (m + gas.z)};
  const Vec3d t = cloud_->tangent[i], along = t * dot(t, f);
  return along / m + (f - along) / (m + gas.x);
}

Symmetric3<double> DressedPoints::added_inertia(std::size_t i) const {
  const Vec3d m = added(i);
  if (!cloud_->on_strand(i)) return {m.x, m.y, m.z, 0, 0, 0};
  const Vec3d t = cloud_->tangent[i];
  return Symmetric3<double>{m.x * (1 - t.x * t.x), m.x * (1 - t.y * t.y), m.x * (1 - t.z * t.z),
                            -m.x * t.x * t.y,      -m.x * t.x * t.z,      -m.x * t.y * t.z};
}

Vec3d DressedPoints::velocity_lost(std::size_t i, Vec3d y) const {
  return accelerated(i, dressed(i, y)) * (density_ * cloud_->volume(i));
}

Vec3d DressedPoints::flow_lost(std::size_t i, Vec3d y) const {
  const Vec3d lost = inertia_ ? passing(i, y) + dressed(i, velocity_lost(i, y)) : passing(i, y);
  return lost * share(i);
}

Vec3d DressedPoints::mobility(std::size_t i) const {
  if (!cloud_->on_strand(i)) return flow_lost(i, {1, 1, 1});
  Vec3d sum{0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    Vec3d unit{0, 0, 0};
    unit[k] = 1;
    const Vec3d column = flow_lost(i, unit);
    for (int c = 0; c < 3; ++c) sum[c] += std::abs(column[c]);
  }
  return sum;
}

}  // namespace ymir
