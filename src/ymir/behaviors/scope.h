// What a behavior sees when it creates Objects and Actions: its Group and everything below, the inputs, the simulation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ymir/data/animated_surface.h"
#include "ymir/data/volume_grid.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/particle_object.h"
#include "ymir/objects/volume_object.h"
#include "ymir/param/references.h"
#include "ymir/pipeline/simulation.h"

namespace ymir {

class Scope {
 public:
  // Groups are numbered depth first: this one and those below are [group, group_end).
  Scope(Simulation& simulation, std::span<const InputSpec> inputs, std::string path, int group, int group_end);

  const std::string& path() const { return path_; }  // of the behavior
  int group() const { return group_; }
  GridDomain& domain() { return simulation_->domain(); }

  template <class T>
  T& add_object(std::unique_ptr<T> object) {
    created_ = true;
    return simulation_->add(std::move(object));
  }
  // Objects made of loose particles in this Group and below. Empty: the behavior has nothing to act on and switches
  // off.
  std::vector<ParticleObject*> particle_objects() { return objects_of<ParticleObject>(); }
  // Strands, and everything whose points Forces act on.
  std::vector<CurvesObject*> curves_objects() { return objects_of<CurvesObject>(); }
  // Those of another group, wherever it stands.
  std::vector<CurvesObject*> curves_objects_of(const GroupRef& group) const { return objects_of<CurvesObject>(group); }
  std::vector<ParticleObject*> particle_objects_of(const GroupRef& group) const {
    return objects_of<ParticleObject>(group);
  }
  std::vector<ForceTarget*> force_targets() { return objects_of<ForceTarget>(); }
  std::vector<ForceTarget*> force_targets_of(const GroupRef& group) const;
  std::vector<VolumeObject*> volume_objects() { return objects_of<VolumeObject>(); }
  std::optional<double> smallest_voxel();  // of the volume objects [m]

  // Inputs, read and scaled to metres; errors name the file.
  Points points(const InputRef& input) const;
  Curves curves(const InputRef& input) const;
  Surface surface(const InputRef& input) const;  // at rest; the first file of a sequence
  AnimatedSurface animated_surface(const InputRef& input) const;
  VolumeGrid vector_volume(const InputRef& input) const;
  std::vector<VolumeGrid> volumes(const InputRef& input) const;

  // The domain's buckets get the smallest edge any object asks for [m].
  void ask_bucket_size(double edge);
  std::optional<double> asked_bucket_size() const { return bucket_size_; }

  bool switched_off() const { return !created_ && asked_ && !found_; }

 private:
  template <class T>
  std::vector<T*> objects_of() {
    std::vector<T*> found;
    for (const auto& object : simulation_->objects())
      if (object->group() >= group_ && object->group() < group_end_)
        if (auto* wanted = dynamic_cast<T*>(object.get())) found.push_back(wanted);
    asked_ = true;
    found_ = found_ || !found.empty();
    return found;
  }
  template <class T>
  std::vector<T*> objects_of(const GroupRef& group) const {
    std::vector<T*> found;
    const std::string prefix = group.path == "/" ? "" : group.path + "/";
    for (const auto& object : simulation_->objects())
      if (object->path().starts_with(prefix))
        if (auto* wanted = dynamic_cast<T*>(object.get())) found.push_back(wanted);
    return found;
  }
  const InputSpec& spec(const InputRef& input) const;

  Simulation* simulation_;
  std::span<const InputSpec> inputs_;
  std::string path_;
  int group_, group_end_;
  std::optional<double> bucket_size_;
  bool created_ = false;
  bool asked_ = false, found_ = false;  // for objects to act on
};

}  // namespace ymir
