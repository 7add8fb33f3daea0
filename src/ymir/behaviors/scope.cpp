#include "ymir/behaviors/scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/check.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/formats/vdb.h"

namespace ymir {

Scope::Scope(Simulation& simulation, std::span<const InputSpec> inputs, std::string path, int group, int group_end)
    : simulation_(&simulation), inputs_(inputs), path_(std::move(path)), group_(group), group_end_(group_end) {}

std::vector<ParticleObject*> Scope::particle_objects() {
  std::vector<ParticleObject*> found;
  for (const auto& object : simulation_->objects())
    if (object->group() >= group_ && object->group() < group_end_)
      if (auto* particles = dynamic_cast<ParticleObject*>(object.get())) found.push_back(particles);
  found_nothing_ = found.empty();
  return found;
}

const InputSpec& Scope::spec(const InputRef& input) const {
  const auto found =
      std::find_if(inputs_.begin(), inputs_.end(), [&](const InputSpec& s) { return s.name == input.name; });
  YMIR_CHECK(found != inputs_.end());  // the setup reader has checked every reference
  return *found;
}

Points Scope::points(const InputRef& input) const {
  const InputSpec& from = spec(input);
  Points points = read_points(from.path);
  for (Vec3d& p : points.positions) p *= from.scale;
  points.vertices.resize(points.positions.size());
  // A channel of the file is narrower than an override of the whole object.
  for (const NamedValue& item : from.overrides.items) {
    if (points.vertices.has(item.name)) continue;
    if (const double* number = std::get_if<double>(&item.value)) {
      const auto channel = points.vertices.add<double>(item.name);
      std::fill(channel.begin(), channel.end(), *number);
    } else if (const Vec3d* vector = std::get_if<Vec3d>(&item.value)) {
      const auto channel = points.vertices.add<Vec3d>(item.name);
      std::fill(channel.begin(), channel.end(), *vector);
    }
  }
  return points;
}

Surface Scope::surface(const InputRef& input) const {
  const InputSpec& from = spec(input);
  Surface surface = read_surface(from.path);
  for (Vec3d& p : surface.positions) p *= from.scale;
  return surface;
}

VolumeGrid Scope::vector_volume(const InputRef& input) const {
  const InputSpec& from = spec(input);
  for (VolumeGrid& grid : read_vdb(from.path).volumes)
    if (grid.components == 3) {
      grid.voxel *= from.scale;
      grid.origin *= from.scale;
      return std::move(grid);
    }
  throw Error(ExitCode::bad_input,
              fmt::format("{}: holds no vector volume; write a grid of 3 components (vec3f)", from.path.string()));
}

void Scope::ask_bucket_size(double edge) { bucket_size_ = bucket_size_ ? std::min(*bucket_size_, edge) : edge; }

}  // namespace ymir
