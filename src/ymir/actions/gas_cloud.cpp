#include "ymir/actions/gas_cloud.h"

#include <cmath>

#include "ymir/physics/fluid/added_mass.h"

namespace ymir {
namespace {

// Strands of this many times the density of the gas feel less than a hundredth of the gas that they would carry.
constexpr double heavy_strand = 100;

}  // namespace

GasCloud::GasCloud(VolumeObject& gas, std::vector<ForceTarget*> targets)
    : points(gas.grid()), gas_(&gas), targets_(std::move(targets)), first_(targets_.size()), end_(targets_.size()) {}

void GasCloud::collect() {
  for (auto* list : {&position, &velocity, &tangent}) list->clear();
  for (auto* list : {&mass, &diameter, &length, &area, &kernel}) list->clear();
  dressed_.clear();
  const double h = gas_->grid().voxel(), density = gas_->description().density;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    first_[t].clear();
    const bool carries = gas_->dressing(targets_[t]) != nullptr;
    targets_[t]->visit_points([&](const PointBlock& block) {
      first_[t].resize(static_cast<std::size_t>(block.bucket) + 1, mass.size());
      for (int i = 0; i < block.count; ++i) {
        position.push_back(block.position[i]);
        velocity.push_back(block.velocity[i]);
        mass.push_back(block.mass[i]);
        diameter.push_back(2 * block.radius[i]);
        length.push_back(block.length != nullptr ? block.length[i] : 0);
        area.push_back(block.area != nullptr ? block.area[i] : 0);
        tangent.push_back(block.tangent.x != nullptr ? Vec3d(block.tangent[i]) : Vec3d{1, 0, 0});
        const std::size_t at = mass.size() - 1;
        const bool dressed =
            carries && mass[at] > 0 && !(on_strand(at) && mass[at] > heavy_strand * density * volume(at));
        dressed_.push_back(dressed ? 1 : 0);
        kernel.push_back(dressed ? added_mass::kernel_radius(block.radius[i] / h, on_strand(at)) : 0);
      }
    });
    end_[t] = mass.size();
  }
  points.locate(position, kernel);
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

double GasCloud::spread(std::size_t i) const {
  return (kernel[i] > 0 ? kernel[i] : added_mass::trilinear_radius) * gas_->grid().voxel();
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
