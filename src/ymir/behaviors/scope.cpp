#include "ymir/behaviors/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/actions/inner_points.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/base/check.h"
#include "ymir/base/reach.h"
#include "ymir/behaviors/generated_input.h"
#include "ymir/behaviors/painted_overrides.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/formats/solid_mesh_file.h"
#include "ymir/cache/formats/vdb.h"
#include "ymir/data/cell_quality.h"
#include "ymir/data/mesh_skin.h"
#include "ymir/data/quadratic_mesh.h"
#include "ymir/data/surface_values.h"
#include "ymir/grooms/guides.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/objects/super_helix_object.h"

namespace ymir {
namespace {

// A channel of the file is narrower than an override of the whole object.
void add_overrides(Channels& channels, const ParamValues& overrides) {
  for (const NamedValue& item : overrides.items) {
    if (channels.has(item.name)) continue;
    if (const double* number = std::get_if<double>(&item.value)) {
      const auto channel = channels.add<double>(item.name);
      std::fill(channel.begin(), channel.end(), *number);
    } else if (const Vec3d* vector = std::get_if<Vec3d>(&item.value)) {
      const auto channel = channels.add<Vec3d>(item.name);
      std::fill(channel.begin(), channel.end(), *vector);
    }
  }
}

// False for what is not a number, too.
bool within(double v, double bound) { return std::abs(v) <= bound; }
bool within(Vec3d p, double bound) { return within(p.x, bound) && within(p.y, bound) && within(p.z, bound); }
bool within(Vec3f p, double bound) { return within(Vec3d(p), bound); }

// Places in metres; `from` says whose.
void require_reach(const std::vector<Vec3d>& positions, const std::string& from) {
  const auto bad = std::find_if(positions.begin(), positions.end(), [](Vec3d p) { return !within(p, farthest); });
  if (bad == positions.end()) return;
  if (!is_finite(*bad))
    throw Error(ExitCode::bad_input, fmt::format("{}: vertex {} of {} is not finite; export it again without NaN", from,
                                                 bad - positions.begin(), positions.size()));
  throw Error(ExitCode::bad_input,
              fmt::format("{}: vertex {} of {} is at ({:g}, {:g}, {:g}) m, farther than {:g} m; check its unit "
                          "(`scale:`), or repair it",
                          from, bad - positions.begin(), positions.size(), bad->x, bad->y, bad->z, farthest));
}

// Puts what was read where the setup has it.
void place(std::vector<Vec3d>& positions, const InputSpec& from, const char* what, const std::filesystem::path& file) {
  if (positions.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}: holds no {}; export it again", file.string(), what));
  for (Vec3d& p : positions) p = from.place(p);
  require_reach(positions, file.string());
}

void require_numbers(const Channels& channels, const std::filesystem::path& file) {
  for (const auto& [name, array] : channels.all()) {
    const auto check = [&, &of = name](const auto& values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!within(values[i], largest_number))
          throw Error(ExitCode::bad_input,
                      fmt::format("{}: the channel {} of vertex {} is not finite, or larger than frames can hold; "
                                  "repair it and export the file again",
                                  file.string(), of, i));
    };
    if (array.holds<double>()) check(array.as<double>());
    if (array.holds<float>()) check(array.as<float>());
    if (array.holds<Vec3d>()) check(array.as<Vec3d>());
    if (array.holds<Vec3f>()) check(array.as<Vec3f>());
  }
}

Surface read_placed_surface(const InputSpec& from, const std::filesystem::path& file) {
  Surface surface = read_surface(file);
  place(surface.positions, from, "vertices", file);
  if (surface.triangles.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}: holds no triangles; export it with faces", file.string()));
  return surface;
}

// Tetrahedra more slender than this spoil every solve. [method notes: solids, section 9]
constexpr double most_slender = 50;

SolidMesh read_placed_body(const InputSpec& from, const std::filesystem::path& file, int order) {
  SolidMesh mesh = read_solid_mesh(file);
  place(mesh.positions, from, "nodes", file);
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    if (const double aspect = aspect_of(mesh, c); !(aspect <= most_slender))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: cell {} (counted from 1) is a sliver, {:.3g} times as long as high; more than {:g} "
                              "spoils the solution: mesh the solid again with better cells",
                              file.string(), c + 1, aspect, most_slender));
  if (order == 2 && mesh.shape == CellShape::hexahedron)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: holds hexahedra, which have no second order; leave out `order:`, or cut them into "
                            "tetrahedra",
                            file.string()));
  if (order == 1 && mesh.shape == CellShape::quadratic_tetrahedron)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: holds tetrahedra of 10 nodes, of second order; leave out `order:`, or write the file "
                            "with 4 nodes each",
                            file.string()));
  if (order != 2 || mesh.shape != CellShape::tetrahedron) {
    fill_skin(mesh, file.string());
    return mesh;
  }
  SolidMesh quadratic = quadratic_mesh(mesh, file.string());
  quadratic.warning = std::move(mesh.warning);
  return quadratic;
}

template <class T>
std::vector<double> as_doubles(const Array& array) {
  return {array.as<T>().begin(), array.as<T>().end()};
}

// Directions of a file with z up.
void turn_vectors(Channels& channels, UpAxis up) {
  if (up == UpAxis::y) return;
  std::vector<std::pair<std::string, Array>> turned;
  const auto turn = [&](const std::string& name, const auto& vectors) {
    std::vector<Vec3d> values;
    for (const auto& v : vectors)
      values.push_back(Vec3d{static_cast<double>(v.x), static_cast<double>(v.z), -static_cast<double>(v.y)});
    turned.emplace_back(name, Array::of(values));
  };
  for (const auto& [name, array] : channels.all()) {
    if (name.starts_with("uv")) continue;
    if (array.holds<Vec3d>()) turn(name, array.as<Vec3d>());
    if (array.holds<Vec3f>()) turn(name, array.as<Vec3f>());
  }
  for (auto& [name, array] : turned) channels.set(name, std::move(array));
}

// Values may be written as whole numbers, whatever a file calls them; those that name things stay.
void take_whole_numbers(Channels& channels) {
  std::vector<std::pair<std::string, Array>> whole;
  for (const auto& [name, array] : channels.all()) {
    if (name == "id" || name == "strand") continue;
    if (array.holds<std::int32_t>()) whole.emplace_back(name, Array::of(as_doubles<std::int32_t>(array)));
    if (array.holds<std::int64_t>()) whole.emplace_back(name, Array::of(as_doubles<std::int64_t>(array)));
    if (array.holds<std::uint8_t>()) whole.emplace_back(name, Array::of(as_doubles<std::uint8_t>(array)));
  }
  for (auto& [name, array] : whole) channels.set(name, std::move(array));
}

}  // namespace

Scope::Scope(Simulation& simulation, std::span<const InputSpec> inputs, std::string path, int group, int group_end)
    : simulation_(&simulation), inputs_(inputs), path_(std::move(path)), group_(group), group_end_(group_end) {}

void Scope::looked_for(const char* kind, bool found) {
  found_ = found_ || found;
  const std::string_view name = kind;
  if (!found && std::none_of(missing_.begin(), missing_.end(), [&](const char* k) { return name == k; }))
    missing_.push_back(kind);
}

std::string Scope::missing() const {
  std::string text;
  for (const char* kind : missing_) text += fmt::format("{}no {}", text.empty() ? "" : ", ", kind);
  return text;
}

// A task may add further ones.
void Scope::run(std::vector<std::function<void()>>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::function<void()> task = std::move(tasks[i]);
    task();
  }
  tasks.clear();
}

std::vector<MeshObject*> Scope::meshes_of(const char* kind, bool cloth) {
  std::vector<MeshObject*> found;
  for (const auto& object : simulation_->objects())
    if (object->group() >= group_ && object->group() < group_end_)
      if (auto* mesh = dynamic_cast<MeshObject*>(object.get()); mesh != nullptr && mesh->cloth() == cloth)
        found.push_back(mesh);
  looked_for(kind, !found.empty());
  return found;
}

std::vector<ElastonObject*> Scope::elaston_objects() { return objects_of<ElastonObject>(); }
std::vector<SuperHelixObject*> Scope::super_helix_objects() { return objects_of<SuperHelixObject>(); }
std::vector<SuperHelixObject*> Scope::super_helix_objects_of(const GroupRef& group) {
  return objects_of<SuperHelixObject>(group);
}

std::vector<ForceTarget*> Scope::immersed_targets(const std::string& what, double longest) {
  std::vector<ForceTarget*> targets = force_targets();
  for (MeshObject* mesh : mesh_objects()) {
    if (mesh->cloth()) {
      std::erase(targets, static_cast<ForceTarget*>(mesh));
      warn(fmt::format("does not act on {}: cloth takes no room in gas worth the name", mesh->path()));
      continue;
    }
    std::replace(targets.begin(), targets.end(), static_cast<ForceTarget*>(mesh),
                 &add_inner_points(*mesh, path(), what, longest));
  }
  for (RigidObject* bodies : rigid_objects())
    std::replace(targets.begin(), targets.end(), static_cast<ForceTarget*>(bodies),
                 &add_inner_points(*bodies, path(), what, longest));
  return targets;
}

std::vector<ForceTarget*> Scope::exposed_targets(const std::string& what, double longest) {
  std::vector<ForceTarget*> targets = force_targets();
  for (MeshObject* mesh : mesh_objects())
    std::replace(targets.begin(), targets.end(), static_cast<ForceTarget*>(mesh),
                 &add_panels(*mesh, path(), what, longest));
  for (RigidObject* bodies : rigid_objects())
    std::replace(targets.begin(), targets.end(), static_cast<ForceTarget*>(bodies),
                 &add_panels(*bodies, path(), what, longest));
  return targets;
}

SolidSystem& Scope::solids() {
  for (const auto& object : simulation_->objects())
    if (auto* solids = dynamic_cast<SolidSystem*>(object.get())) return *solids;
  SolidSystem& system = simulation_->add(std::make_unique<SolidSystem>(domain().communicator()));
  if (const TimeParams& time = simulation_->time_params(); time.adaptive)
    system.adapt_substeps(time.frame_duration() / time.substeps);
  return system;
}

std::vector<SolidObject*> Scope::touching_objects() {
  std::vector<SolidObject*> objects;
  for (CurvesObject* curves : curves_objects()) objects.push_back(curves);
  for (SuperHelixObject* strands : super_helix_objects()) objects.push_back(strands);
  for (RigidObject* bodies : rigid_objects()) objects.push_back(bodies);
  for (MeshObject* mesh : mesh_objects()) objects.push_back(mesh);
  for (ElastonObject* plants : elaston_objects()) objects.push_back(plants);
  if (objects.empty()) return objects;
  SolidSystem& system = solids();
  for (SolidObject* object : objects) system.add(*object);
  return objects;
}

std::optional<double> Scope::smallest_voxel() {
  std::optional<double> least;
  for (const VolumeObject* gas : volume_objects())
    least = std::min(least.value_or(gas->grid().voxel()), gas->grid().voxel());
  return least;
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
  place(points.positions, from, "points", from.path);
  require_numbers(points.vertices, from.path);
  points.vertices.resize(points.positions.size());
  take_whole_numbers(points.vertices);
  add_overrides(points.vertices, from.overrides);
  return points;
}

std::int64_t Scope::generated_vertices(const InputRef& input) const {
  const InputSpec& from = spec(input);
  return from.recipe.items.empty() ? 0 : vertices_to_make(from.recipe);
}

Curves Scope::curves(const InputRef& input) const {
  const InputSpec& from = spec(input);
  require_still(from);
  if (const auto guides = guides_recipe(from.recipe)) {
    const Curves all = curves(InputRef{guides->of});
    Curves chosen = strands_of(all, select_guides(all, guides->count, "inputs." + guides->of).strands);
    add_overrides(chosen.strands, from.overrides);
    add_paintings(chosen, from);
    return chosen;
  }
  const bool made = !from.recipe.items.empty();
  Curves curves = made ? generated_curves(from.recipe, "inputs." + from.name) : read_curves(from.path);
  if (made)
    require_reach(curves.positions, "inputs." + from.name);
  else
    place(curves.positions, from, "strands", from.path);
  for (const Channels* channels : {&curves.vertices, &curves.strands})
    if (!made) require_numbers(*channels, from.path);
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(curves.strand_count());
  for (Channels* channels : {&curves.vertices, &curves.strands}) take_whole_numbers(*channels);
  // Radii of a groom are lengths in the file's unit.
  if (const Array* radius = curves.vertices.find("radius"); radius != nullptr) {
    std::vector<double> scaled = radius->holds<float>() ? as_doubles<float>(*radius) : as_doubles<double>(*radius);
    for (double& r : scaled) r *= from.scale;
    curves.vertices.set("radius", Array::of(scaled));
  }
  add_overrides(curves.strands, from.overrides);
  add_paintings(curves, from);
  return curves;
}

void Scope::add_paintings(Curves& curves, const InputSpec& from) const {
  for (const PaintedOverride& painted : from.painted) {
    std::optional<Surface> scalp;
    if (!painted.surface.empty()) scalp = surface(painted.surface);
    add_painted(curves, painted, scalp ? &*scalp : nullptr, "inputs." + from.name + ".overrides");
  }
}

void Scope::require_still(const InputSpec& from) const {
  if (from.frames.size() > 1)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the input '{}' is a sequence, which is not followed here; name one "
                            "of its files",
                            path_, from.name));
  if (!from.motion.keys().empty())
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: the input '{}' moves, which is not followed here; give the behavior a `motion:` of its "
                    "own if it has one, or use an input without",
                    path_, from.name));
  const ParamValue* deform = find_value(from.recipe, "deform");
  const auto* keys = deform != nullptr ? std::get_if<std::vector<ParamValues>>(deform) : nullptr;
  if (keys != nullptr && !keys->empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the input '{}' deforms, which is not followed here; use an input without `deform:`",
                            path_, from.name));
}

Surface Scope::surface(const InputRef& input) const {
  require_still(spec(input));
  return rest_surface(spec(input));
}

SolidMesh Scope::body(const InputRef& input, int order) {
  const InputSpec& from = spec(input);
  require_still(from);
  SolidMesh mesh = read_placed_body(from, from.path, order);
  for (Channels* channels : {&mesh.vertices, &mesh.elements}) {
    require_numbers(*channels, from.path);
    take_whole_numbers(*channels);
    turn_vectors(*channels, from.up);
  }
  if (!mesh.warning.empty()) warn(fmt::format("{}: {}", from.path.string(), mesh.warning));
  return mesh;
}

void Scope::add_paintings(SolidMesh& mesh, const InputRef& input) const {
  const InputSpec& from = spec(input);
  mesh.vertices.resize(mesh.positions.size());
  mesh.elements.resize(mesh.cell_count());
  if (from.kind == InputKind::surface) {
    for (Channels* channels : {&mesh.skin.vertices, &mesh.skin.faces}) {
      take_whole_numbers(*channels);
      turn_vectors(*channels, from.up);
    }
    take_skin_channels(mesh);
  }
  ParamValues overrides;
  for (const NamedValue& item : from.overrides.items)
    if (!mesh.vertices.has(item.name)) overrides.items.push_back(item);
  add_overrides(mesh.elements, overrides);
  for (const PaintedOverride& painted : from.painted) {
    std::optional<Surface> around;
    if (!painted.surface.empty()) around = surface(painted.surface);
    if (painted.surface.empty() && from.kind == InputKind::surface) around = surface(input);
    add_painted(mesh, painted, around ? &*around : nullptr, "inputs." + from.name + ".overrides");
  }
}

Surface Scope::rest_surface(const InputSpec& from) {
  if (!from.recipe.items.empty()) return generated_surface(from.recipe);
  return read_placed_surface(from, from.path);
}

AnimatedSurface Scope::animated_surface(const InputRef& input) const {
  const InputSpec& from = spec(input);
  if (from.recipe.items.empty())
    return animated(from, [from](const std::filesystem::path& file) { return read_placed_surface(from, file); });
  const TimeParams& time = simulation_->time_params();
  std::optional<SurfaceSequence> made =
      generated_sequence(from.recipe, "inputs." + from.name, time.fps, time.frames.first - 1);
  AnimatedSurface animated = made ? AnimatedSurface(std::move(*made)) : AnimatedSurface(rest_surface(from));
  animated.add_motion(from.motion);
  return animated;
}

AnimatedSurface Scope::animated_curves(const InputRef& input) const {
  const InputSpec& from = spec(input);
  const auto vertices_of = [](const Curves& curves) {
    Surface surface;
    surface.positions = curves.positions;
    for (std::size_t s = 0; s < curves.strand_count(); ++s) {
      const auto first = static_cast<std::int32_t>(curves.first[s]),
                 end = static_cast<std::int32_t>(curves.first[s + 1]);
      surface.triangles.push_back({first, first, end - 1});
    }
    surface.vertices.resize(surface.positions.size());
    surface.faces.resize(surface.triangles.size());
    return surface;
  };
  if (from.frames.size() < 2) return AnimatedSurface(vertices_of(curves(input)));
  return animated(from, [from, vertices_of](const std::filesystem::path& file) {
    Curves curves = read_curves(file);
    place(curves.positions, from, "strands", file);
    return vertices_of(curves);
  });
}

// Cells as triangles of their nodes: any other mesh has others.
Surface Scope::nodes_of_body(const SolidMesh& mesh) {
  Surface surface;
  surface.positions = mesh.positions;
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    for (std::size_t a = 2; a < each; ++a)
      surface.triangles.push_back(
          {mesh.cells[each * c + a - 2], mesh.cells[each * c + a - 1], mesh.cells[each * c + a]});
  surface.vertices.resize(surface.positions.size());
  surface.faces.resize(surface.triangles.size());
  return surface;
}

AnimatedSurface Scope::animated_body(const InputRef& input, int order) const {
  const InputSpec& from = spec(input);
  return animated(from, [from, order](const std::filesystem::path& file) {
    return nodes_of_body(read_placed_body(from, file, order));
  });
}

AnimatedSurface Scope::animated(const InputSpec& from,
                                const std::function<Surface(const std::filesystem::path& file)>& load) const {
  AnimatedSurface animated;
  const TimeParams& time = simulation_->time_params();
  if (from.frames.size() < 2) {
    animated = AnimatedSurface(load(from.path));
  } else {
    const auto file = [files = from.frames, first = from.first_frame](std::int64_t frame) {
      return files.at(static_cast<std::size_t>(frame - first));
    };
    SurfaceSequence sequence{from.first_frame,
                             from.first_frame + static_cast<std::int64_t>(from.frames.size()) - 1,
                             time.fps,
                             time.frames.first - 1,
                             {},
                             {}};
    sequence.load = [file, load](std::int64_t frame) { return load(file(frame)); };
    sequence.name = [file](std::int64_t frame) { return file(frame).string(); };
    animated = AnimatedSurface(std::move(sequence));
  }
  animated.add_motion(from.motion);
  return animated;
}

std::vector<VolumeGrid> Scope::volumes(const InputRef& input) const {
  const InputSpec& from = spec(input);
  std::vector<VolumeGrid> grids = read_vdb(from.path).volumes;
  for (VolumeGrid& grid : grids) {
    grid.voxel *= from.scale;
    grid.origin *= from.scale;
    Box box;
    for (const Vec3i block : grid.blocks)
      for (const int end : {0, VolumeGrid::block_side})
        box.include(grid.origin + (Vec3d(block) * VolumeGrid::block_side + Vec3d{1, 1, 1} * end) * grid.voxel);
    if (!box.empty() && !(within(box.low, farthest) && within(box.high, farthest)))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: grid '{}' reaches farther than {:g} m; check its unit (`scale:`), or repair it",
                              from.path.string(), grid.name, farthest));
    for (const float value : grid.values)
      if (!std::isfinite(value))
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: grid '{}' holds a value that is not finite; write the file anew without NaN",
                                from.path.string(), grid.name));
  }
  return grids;
}

VolumeGrid Scope::vector_volume(const InputRef& input) const {
  for (VolumeGrid& grid : volumes(input))
    if (grid.components == 3) return std::move(grid);
  throw Error(ExitCode::bad_input, fmt::format("{}: holds no vector volume; write a grid of 3 components (vec3f)",
                                               spec(input).path.string()));
}

void Scope::ask_bucket_size(double edge) { bucket_size_ = bucket_size_ ? std::min(*bucket_size_, edge) : edge; }

}  // namespace ymir
