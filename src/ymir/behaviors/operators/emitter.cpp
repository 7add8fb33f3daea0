#include "ymir/behaviors/operators/emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ymir/actions/gas_emission.h"
#include "ymir/behaviors/gas_channel.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/signed_distance_grid.h"
#include "ymir/data/volume_grid_sampler.h"
#include "ymir/math/rigid_motion.h"

namespace ymir {
namespace {

// Corners of a box as it moves.
Box moved(const Box& box, const RigidTransform& pose) {
  Box result;
  for (int corner = 0; corner < 8; ++corner)
    result.include(pose.to_world({corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                                  corner & 4 ? box.high.z : box.low.z}));
  return result;
}

struct Solid {
  std::function<double(Vec3d)> distance;  // in its own frame
  Box box;
};

Solid make_solid(const Emitter::Params& p, Scope& scope) {
  if (p.from == EmitterShape::mesh) {
    const auto grid = std::make_shared<const SignedDistanceGrid>(scope.surface(p.surface), *scope.smallest_voxel(),
                                                                 2 * *scope.smallest_voxel(), p.surface.name);
    return {[grid](Vec3d x) { return grid->sample(x).distance; }, grid->box()};
  }
  ColliderShape shape;
  Vec3d half{p.radius, p.radius, p.radius};
  if (p.from == EmitterShape::sphere) {
    shape.kind = ShapeKind::sphere;
    shape.sphere = {p.center, p.radius, false};
  } else {
    const Quaternion q = quaternion_from_angles(p.rotation);
    const Vec3d x = rotate(q, {1, 0, 0}), y = rotate(q, {0, 1, 0}), z = rotate(q, {0, 0, 1});
    shape.kind = ShapeKind::box;
    shape.box = {p.center, p.size * 0.5, x, y, z, 0, false};
    for (int a = 0; a < 3; ++a)
      half[a] = 0.5 * (std::abs(x[a]) * p.size.x + std::abs(y[a]) * p.size.y + std::abs(z[a]) * p.size.z);
  }
  return {[shape](Vec3d x) { return signed_distance(shape, x).distance; }, {p.center - half, p.center + half}};
}

// Parts of a sphere or box that is thinner than a voxel in two directions, so that the centres of voxels may all miss
// it: even, several to a voxel, in its own frame. Empty: large enough to be sampled there.
std::vector<Vec3d> parts_of(const Emitter::Params& p, const Solid& solid, double voxel) {
  constexpr int least = 6;          // along an axis
  constexpr double per_voxel = 4;   // likewise, of longer ones
  constexpr double most = 100'000;  // along the axis of a rod
  const bool ball = p.from == EmitterShape::sphere;
  if (!ball && p.from != EmitterShape::box) return {};
  const Vec3d size = ball ? Vec3d{2, 2, 2} * p.radius : p.size;
  if ((size.x < voxel) + (size.y < voxel) + (size.z < voxel) < 2) return {};
  int count[3];
  for (int a = 0; a < 3; ++a)
    count[a] = std::max(least, static_cast<int>(std::min(most, std::ceil(per_voxel * size[a] / voxel))));
  const Quaternion turned = ball ? Quaternion{} : quaternion_from_angles(p.rotation);
  std::vector<Vec3d> parts;
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i) {
        const Vec3d at{(i + 0.5) / count[0] - 0.5, (j + 0.5) / count[1] - 0.5, (k + 0.5) / count[2] - 0.5};
        const Vec3d x = p.center + rotate(turned, {at.x * size.x, at.y * size.y, at.z * size.z});
        if (solid.distance(x) <= 0) parts.push_back(x);
      }
  return parts;
}

}  // namespace

Schema<Emitter::Material> Emitter::Material::schema() {
  return Schema<Material>("material", "Value of a material channel.")
      .param(&Material::name, "name", "Name of the channel.")
      .required()
      .param(&Material::value, "value", unit::none, "Value inside the emitter, in SI units.");
}

Schema<Emitter::Params> Emitter::schema() {
  return with_motion(
      Schema<Params>("emitter", "Puts smoke, heat and motion into gas, inside a shape.")
          .category(Category::operator_)
          .example("examples/smoke_plume.yaml")
          .param(&Params::from, "from", "Where: in a sphere, a box, a closed mesh, the voxels of a volume, at points.")
          .enumerated<EmitterShape>({{"sphere", EmitterShape::sphere},
                                     {"box", EmitterShape::box},
                                     {"mesh", EmitterShape::mesh},
                                     {"volume", EmitterShape::volume},
                                     {"points", EmitterShape::points}})
          .param(&Params::center, "center", unit::m, "Its centre.")
          .only_when("from", {"sphere", "box"})
          .param(&Params::radius, "radius", unit::m, "Its radius.")
          .positive()
          .only_when("from", {"sphere"})
          .param(&Params::size, "size", unit::m, "Its edges.")
          .positive()
          .only_when("from", {"box"})
          .param(&Params::rotation, "rotation", unit::radian, "Angles about x, then y, then z.")
          .only_when("from", {"box"})
          .param(&Params::surface, "surface", "Input with a closed surface.")
          .accepts({InputKind::surface})
          .only_when("from", {"mesh"})
          .param(&Params::volume, "volume",
                 "Input whose grids give the values of channels of the same name; vectors from `velocity`.")
          .accepts({InputKind::volume})
          .only_when("from", {"volume"})
          .param(&Params::points, "points", "Group whose particles or strands emit.")
          .only_when("from", {"points"})
          .param(&Params::density, "density", unit::none, "Smoke, as a share of 1.")
          .at_least(0)
          .param(&Params::temperature, "temperature", unit::kelvin, "Temperature.")
          .positive()
          .param(&Params::materials, "materials", Material::schema(), "Further channels.")
          .param(&Params::velocity, "velocity", unit::m_per_s, "Velocity; the gas keeps its own when absent.")
          .only_when("from", {"sphere", "box", "mesh", "volume"})
          .param(&Params::rate, "rate", unit::per_second,
                 "How fast values are approached; they are set at once when absent.")
          .positive()
          .param(&Params::flow, "flow", unit::m3_per_s, "Volume of new gas per time; pushes the rest away.")
          .at_least(0)
          .only_when("from", {"sphere", "box", "mesh", "volume"})
          .param(&Params::start, "start", unit::s, "When it begins.")
          .param(&Params::stop, "stop", unit::s, "When it ends."),
      "Point that turns in place; `center`, or the origin of a mesh, when absent.",
      {Condition::value_of("from", {"sphere", "box", "mesh", "volume"})});
}

// Values of the grids of a file: scalar ones are channels of their name, `velocity` (or `vel`) moves the gas. They fill
// where `density`, or else the first of them, is above 0. Returns their box.
Box Emitter::add_grids(GasEmission& e, VolumeObject& gas, const RigidMotion& motion, Scope& scope) const {
  using Sampler = std::shared_ptr<const VolumeGridSampler>;
  Sampler mask, flow;
  Box box;
  std::string unused;
  for (const VolumeGrid& grid : scope.volumes(params_.volume)) {
    const bool velocity = grid.components == 3 && (grid.name == "velocity" || grid.name == "vel");
    if (grid.components != 1 && !velocity) {
      unused += (unused.empty() ? "" : ", ") + grid.name;
      continue;
    }
    const auto sampler = std::make_shared<const VolumeGridSampler>(grid);
    box.include(sampler->bounds());
    if (velocity) {
      flow = sampler;
      continue;
    }
    if (!mask || grid.name == "density") mask = sampler;
    e.materials.push_back({gas.material(grid.name), [sampler, motion](Vec3d x, double time) {
                             return sampler->sample(motion.at(time).to_body(x)).x;
                           }});
  }
  if (!unused.empty())
    scope.warn(fmt::format("does not use these grids of '{}': {}; vectors are taken from `velocity` only",
                           params_.volume.name, unused));
  if (!mask && !flow)
    throw Error(ExitCode::bad_input, fmt::format("{}: the input '{}' holds no scalar grid and no `velocity`",
                                                 scope.path(), params_.volume.name));
  // A value of the setup stands above that of the file.
  if (flow && !params_.velocity)
    e.velocity = [flow, motion](Vec3d x, double time) {
      const RigidTransform pose = motion.at(time);
      return pose.direction_to_world(flow->sample(pose.to_body(x)));
    };
  e.shape = {[box, motion](double time) { return moved(box, motion.at(time)); },
             [mask, flow, motion](Vec3d x, double time, double) {
               const Vec3d body = motion.at(time).to_body(x);
               return (mask ? mask->sample(body).x > 0 : norm(flow->sample(body)) > 0) ? 1.0 : 0.0;
             }};
  return box;
}

void Emitter::create(Scope& scope) {
  const auto fail = [&](const std::string& what) { return Error(ExitCode::bad_input, scope.path() + ": " + what); };
  if (const std::string problem = motion_problem(params_); !problem.empty()) throw fail("motion: " + problem);
  if (params_.from == EmitterShape::mesh && params_.surface.empty())
    throw fail("from: mesh needs `surface:`, an input");
  if (params_.from == EmitterShape::volume && params_.volume.empty())
    throw fail("from: volume needs `volume:`, an input");
  if (params_.from == EmitterShape::points && params_.points.empty())
    throw fail("from: points needs `points:`, a group");
  if (params_.stop && *params_.stop < params_.start) throw fail("`stop:` must not be before `start:`");
  std::set<std::string> named;
  if (params_.density) named.insert("density");
  if (params_.temperature) named.insert("temperature");
  for (const Material& m : params_.materials)
    if (!named.insert(m.name).second) throw fail(fmt::format("materials: {} is given twice; keep one", m.name));
  if (named.empty() && !params_.velocity && params_.flow == 0 && params_.from != EmitterShape::volume)
    scope.warn("puts nothing in; give `density:`, `temperature:`, `materials:`, `velocity:` or `flow:`");
  const std::vector<VolumeObject*> gases = scope.volume_objects();
  if (gases.empty()) return;
  const SchemaInfo table = schema().info();
  for (VolumeObject* gas : gases) {
    GasEmission e;
    e.rate = params_.rate;
    e.flow = params_.flow;
    e.start = params_.start;
    if (params_.stop) e.stop = *params_.stop;
    const auto add = [&](const std::string& name, double value) {
      e.materials.push_back({gas->material(name), [value](Vec3d, double) { return value; }});
    };
    if (params_.density) add("density", *params_.density);
    if (params_.temperature) add("temperature", *params_.temperature);
    for (const Material& m : params_.materials) {
      if (const std::string problem = name_problem(*gas, m.name); !problem.empty()) throw fail(problem);
      const ParamInfo* own = table.find(m.name);  // density, temperature: their bounds hold here too
      const std::string problem = own != nullptr ? range_problem(*own, m.value) : "";
      if (!problem.empty()) throw fail(fmt::format("materials: {} {}", m.name, problem));
      add(m.name, m.value);
    }
    if (params_.velocity) e.velocity = [v = *params_.velocity](Vec3d, double) { return v; };
    if (params_.from == EmitterShape::points) {
      const std::vector<ForceTarget*> targets = scope.force_targets_of(params_.points);
      if (targets.empty()) throw fail("the group of `points:` has neither particles nor strands");
      add_point_emission(*gas, scope.path(), std::move(e), {targets.begin(), targets.end()});
      continue;
    }
    Box box;
    const bool has_centre = params_.from == EmitterShape::sphere || params_.from == EmitterShape::box;
    const RigidMotion motion = make_motion(params_, has_centre ? params_.center : Vec3d{0, 0, 0});
    if (params_.from == EmitterShape::volume) {
      box = add_grids(e, *gas, motion, scope);
      box = moved(box, motion.at(params_.start));
    } else {
      const Solid solid = make_solid(params_, scope);
      box = moved(solid.box, motion.at(params_.start));
      e.shape = shape_of([solid, motion](Vec3d x, double time) { return solid.distance(motion.at(time).to_body(x)); },
                         [solid, motion](double time) { return moved(solid.box, motion.at(time)); });
      if (std::vector<Vec3d> parts = parts_of(params_, solid, gas->grid().voxel()); !parts.empty()) {
        constexpr double ball = 4.1887902047863905;  // 4 pi/3
        e.shape.volume = params_.from == EmitterShape::sphere ? ball * std::pow(params_.radius, 3)
                                                              : params_.size.x * params_.size.y * params_.size.z;
        e.shape.parts = [parts = std::move(parts), motion](double time) {
          const RigidTransform pose = motion.at(time);
          std::vector<Vec3d> placed;
          for (const Vec3d& x : parts) placed.push_back(pose.to_world(x));
          return placed;
        };
      }
    }
    if (const auto& domain = gas->description().box; domain) {
      for (int axis = 0; axis < 3; ++axis)
        if (box.high[axis] < domain->box.low[axis] || box.low[axis] > domain->box.high[axis])
          throw fail(
              fmt::format("the emitter lies outside the domain of {} (its box is [{:.4g}, {:.4g}] on axis {}); "
                          "move it or enlarge `domain:`",
                          gas->path(), box.low[axis], box.high[axis], "xyz"[axis]));
    }
    if (const auto& domain = gas->description().box;
        e.flow > 0 && domain && std::all_of(domain->closed.begin(), domain->closed.end(), [](bool c) { return c; })) {
      gas->sealed_source_is_known();
      scope.warn(fmt::format(
          "{:.3g} m^3/s of new gas cannot enter {}, which is closed on all sides; as much is taken out all over the "
          "room: open a side (`domain:`), or leave out `flow:`",
          e.flow, gas->path()));
    }
    add_emission(*gas, scope.path(), std::move(e));
  }
}

}  // namespace ymir
