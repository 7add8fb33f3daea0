#include "ymir/actions/gas_cloud.h"

#include <cmath>

namespace ymir {

GasCloud::GasCloud(VolumeObject& gas, std::vector<ForceTarget*> targets)
    : points(gas.grid()), targets_(std::move(targets)), first_(targets_.size()) {}

void GasCloud::collect() {
  for (auto* list : {&position, &velocity, &tangent}) list->clear();
  for (auto* list : {&mass, &diameter, &length}) list->clear();
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    first_[t].clear();
    targets_[t]->visit_points([&](const PointBlock& block) {
      first_[t].resize(static_cast<std::size_t>(block.bucket) + 1, mass.size());
      for (int i = 0; i < block.count; ++i) {
        position.push_back(block.position[i]);
        velocity.push_back(block.velocity[i]);
        mass.push_back(block.mass[i]);
        diameter.push_back(2 * block.radius[i]);
        length.push_back(block.length != nullptr ? block.length[i] : 0);
        tangent.push_back(block.length != nullptr ? Vec3d(block.tangent[i]) : Vec3d{1, 0, 0});
      }
    });
  }
  points.locate(position);
}

void GasCloud::collect_velocities() {
  std::size_t at = 0;
  for (ForceTarget* target : targets_)
    target->visit_points([&](const PointBlock& block) {
      for (int i = 0; i < block.count; ++i) velocity[at++] = block.velocity[i];
    });
}

void GasCloud::collect_tangents() {
  std::size_t at = 0;
  for (ForceTarget* target : targets_)
    target->visit_points([&](const PointBlock& block) {
      for (int i = 0; i < block.count; ++i, ++at)
        if (block.length != nullptr) tangent[at] = block.tangent[i];
    });
}

double GasCloud::volume(std::size_t i) const {
  const double d = diameter[i];
  return length[i] > 0 ? M_PI / 4 * d * d * length[i] : M_PI / 6 * d * d * d;
}

void add_forces(const GasCloud& cloud, std::size_t target, const std::vector<Vec3d>& forces, const PointBlock& block,
                const ForceBlock& out) {
  const std::size_t first = cloud.first(target, block);
  for (int i = 0; i < block.count; ++i) {
    const Vec3d f = forces[first + static_cast<std::size_t>(i)];
    out.force.x[i] += f.x, out.force.y[i] += f.y, out.force.z[i] += f.z;
  }
}

}  // namespace ymir
