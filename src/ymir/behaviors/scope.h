// What a behavior sees when it creates Objects and Actions: its Group and everything below, the inputs, the simulation.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ymir/data/animated_surface.h"
#include "ymir/data/solid_mesh.h"
#include "ymir/data/volume_grid.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/objects/particle_object.h"
#include "ymir/objects/rigid_object.h"
#include "ymir/objects/volume_object.h"
#include "ymir/param/references.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

class ElastonObject;
class SuperHelixObject;

class Scope {
 public:
  // Groups are numbered depth first: this one and those below are [group, group_end).
  Scope(Simulation& simulation, std::span<const InputSpec> inputs, std::string path, int group, int group_end);

  const std::string& path() const { return path_; }  // of the behavior
  int group() const { return group_; }
  Simulation& simulation() { return *simulation_; }
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
  // Those of another group, wherever it stands. Objects ask in after_objects: the others may not exist before.
  std::vector<CurvesObject*> curves_objects_of(const GroupRef& group) { return objects_of<CurvesObject>(group); }
  std::vector<ParticleObject*> particle_objects_of(const GroupRef& group) { return objects_of<ParticleObject>(group); }
  std::vector<MeshObject*> mesh_objects_of(const GroupRef& group) { return objects_of<MeshObject>(group); }
  std::vector<RigidObject*> rigid_objects_of(const GroupRef& group) { return objects_of<RigidObject>(group); }
  // Solids and cloth; then one kind of them.
  std::vector<MeshObject*> mesh_objects() { return objects_of<MeshObject>(); }
  std::vector<MeshObject*> solid_objects() { return meshes_of("solids", false); }
  std::vector<MeshObject*> cloth_objects() { return meshes_of("cloth", true); }
  std::vector<RigidObject*> rigid_objects() { return objects_of<RigidObject>(); }
  std::vector<ElastonObject*> elaston_objects();
  std::vector<SuperHelixObject*> super_helix_objects();
  std::vector<SuperHelixObject*> super_helix_objects_of(const GroupRef& group);
  std::vector<ForceTarget*> force_targets() { return objects_of<ForceTarget>(); }
  // Those that take room by themselves, and points inside soft and rigid bodies, made for this behavior: each stands
  // for a part of the body with edges of `longest` at most [m] (actions/inner_points.h). A warning says that cloth is
  // none.
  std::vector<ForceTarget*> immersed_targets(const std::string& what, double longest);
  // The same, and the surfaces of all others, made for this behavior: the air acts on panels with edges of `longest`
  // at most [m]. (actions/surface_panels.h)
  std::vector<ForceTarget*> exposed_targets(const std::string& what, double longest);
  std::vector<ForceTarget*> force_targets_of(const GroupRef& group) { return objects_of<ForceTarget>(group); }
  std::vector<VolumeObject*> volume_objects() { return objects_of<VolumeObject>(); }
  std::optional<double> smallest_voxel();  // of the volume objects [m]

  // The one of the simulation, made when first asked for.
  SolidSystem& solids();
  // Strands, super-helices, rigid and soft bodies in scope, as members of it: what exact contact acts on.
  std::vector<SolidObject*> touching_objects();

  // Inputs, read and scaled to metres; errors name the file.
  Points points(const InputRef& input) const;
  Curves curves(const InputRef& input) const;
  std::int64_t generated_vertices(const InputRef& input) const;  // that curves() would make; 0: it would read a file
  Surface surface(const InputRef& input) const;                  // of one file that stands still; others are refused
  AnimatedSurface animated_surface(const InputRef& input) const;
  // The vertices of curves over time, as those of a surface; triangles say where strands begin and end.
  AnimatedSurface animated_curves(const InputRef& input) const;
  // A volume mesh that stands still. Order 2: tetrahedra get a node in the middle of every edge; 0: as the file has it.
  // Warns of what the reader left out.
  SolidMesh body(const InputRef& input, int order = 0);
  // Its nodes over time, as the vertices of a surface; triangles say which nodes its cells have.
  AnimatedSurface animated_body(const InputRef& input, int order = 0) const;
  // The same of a mesh, to compare with.
  static Surface nodes_of_body(const SolidMesh& mesh);
  // What an input paints on a solid made of it: its overrides, and textures.
  void add_paintings(SolidMesh& mesh, const InputRef& input) const;
  VolumeGrid vector_volume(const InputRef& input) const;
  std::vector<VolumeGrid> volumes(const InputRef& input) const;

  // What has to wait until all objects of the setup exist, wherever they stand in the file (references to groups), and
  // until all behaviors have been created (what several of them agree on). The behavior and this scope live until then;
  // errors thrown there are reported like those of create().
  void after_objects(std::function<void()> task) { after_objects_.push_back(std::move(task)); }
  void after_all(std::function<void()> task) { after_all_.push_back(std::move(task)); }
  void run_after_objects() { run(after_objects_); }
  void run_after_all() { run(after_all_); }

  // Something the user should know though the setup can run; shown with the place of the behavior.
  void warn(std::string message) { warnings_.push_back(std::move(message)); }
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Once points are where they begin: a message to show like a warning, or "". The scope is gone by then. Collective.
  using Inspection = std::function<std::string()>;
  void when_placed(Inspection inspection) { inspections_.push_back(std::move(inspection)); }
  const std::vector<Inspection>& inspections() const { return inspections_; }

  // The domain's buckets get the smallest edge any object asks for [m].
  void ask_bucket_size(double edge);
  std::optional<double> asked_bucket_size() const { return bucket_size_; }

  // For behaviors that need several kinds of objects and miss one; finding none at all switches off by itself.
  void switch_off() { off_ = true; }
  bool switched_off() const { return off_ || (!created_ && !missing_.empty() && !found_); }
  // Nothing of what was looked for is there: where objects failed, what follows from that is not worth a message.
  bool found_nothing() const { return dangling_.has_value() || (!found_ && !missing_.empty()); }
  // Path of a group that was referred to and holds nothing.
  const std::optional<std::string>& dangling() const { return dangling_; }
  // What was looked for and is not there: "no particles, no strands". Empty: everything was found.
  std::string missing() const;

 private:
  template <class T>
  std::vector<T*> objects_of() {
    std::vector<T*> found;
    for (const auto& object : simulation_->objects())
      if (object->group() >= group_ && object->group() < group_end_)
        if (auto* wanted = dynamic_cast<T*>(object.get())) found.push_back(wanted);
    looked_for(kind_of(static_cast<T*>(nullptr)), !found.empty());
    return found;
  }
  template <class T>
  std::vector<T*> objects_of(const GroupRef& group) {
    std::vector<T*> found;
    const std::string prefix = group.path == "/" ? "" : group.path + "/";
    for (const auto& object : simulation_->objects())
      if (object->path().starts_with(prefix))
        if (auto* wanted = dynamic_cast<T*>(object.get())) found.push_back(wanted);
    if (found.empty()) dangling_ = group.path;
    return found;
  }
  static const char* kind_of(const ParticleObject*) { return "particles"; }
  static const char* kind_of(const CurvesObject*) { return "strands"; }
  static const char* kind_of(const MeshObject*) { return "solids or cloth"; }
  static const char* kind_of(const RigidObject*) { return "rigid bodies"; }
  static const char* kind_of(const ElastonObject*) { return "plants"; }
  static const char* kind_of(const SuperHelixObject*) { return "super-helices"; }
  static const char* kind_of(const ForceTarget*) { return "particles, strands, solids or cloth"; }
  static const char* kind_of(const VolumeObject*) { return "gas"; }
  std::vector<MeshObject*> meshes_of(const char* kind, bool cloth);
  void looked_for(const char* kind, bool found);
  static void run(std::vector<std::function<void()>>& tasks);
  const InputSpec& spec(const InputRef& input) const;
  void add_paintings(Curves& curves, const InputSpec& from) const;
  static Surface rest_surface(const InputSpec& from);
  void require_still(const InputSpec& from) const;
  // Of a file or a sequence of them, each read by `load`.
  AnimatedSurface animated(const InputSpec& from,
                           const std::function<Surface(const std::filesystem::path& file)>& load) const;

  Simulation* simulation_;
  std::span<const InputSpec> inputs_;
  std::string path_;
  int group_, group_end_;
  std::optional<double> bucket_size_;
  bool created_ = false;
  bool found_ = false;  // something to act on
  bool off_ = false;
  std::optional<std::string> dangling_;  // a group that was referred to held nothing
  std::vector<const char*> missing_;     // kinds that were looked for in vain
  std::vector<std::function<void()>> after_objects_, after_all_;
  std::vector<std::string> warnings_;
  std::vector<Inspection> inspections_;
};

}  // namespace ymir
