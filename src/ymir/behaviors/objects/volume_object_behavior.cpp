#include "ymir/behaviors/objects/volume_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/machine_memory.h"
#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

constexpr double gigabyte = 1e9;
// Of the machine's memory, unless the user says otherwise.
constexpr double share_of_memory = 0.7;

}  // namespace

Schema<VolumeObjectBehavior::Domain> VolumeObjectBehavior::Domain::schema() {
  return Schema<Domain>("domain", "Box that the gas does not leave the simulation of.")
      .param(&Domain::low, "low", unit::m, "Lower corner.")
      .param(&Domain::high, "high", unit::m, "Upper corner.")
      .param(&Domain::sides, "sides", "All sides: open to the air around, or closed by walls.")
      .enumerated<DomainSide>({{"open", DomainSide::open}, {"closed", DomainSide::closed}})
      .param(&Domain::floor, "floor", "The lower side (-y) is closed.")
      .only_when("sides", {"open"})
      .param(&Domain::ceiling, "ceiling", "The upper side (+y) is closed.")
      .only_when("sides", {"open"})
      .param(&Domain::left, "left", "The side towards -x is closed.")
      .only_when("sides", {"open"})
      .param(&Domain::right, "right", "The side towards +x is closed.")
      .only_when("sides", {"open"})
      .param(&Domain::back, "back", "The side towards -z is closed.")
      .only_when("sides", {"open"})
      .param(&Domain::front, "front", "The side towards +z is closed.")
      .only_when("sides", {"open"})
      .param(&Domain::walls, "walls",
             "How gas meets closed sides: it slides (free_slip), or is held by them (no_slip; best with `viscosity`).")
      .enumerated<Wall>({{"free_slip", Wall::free_slip}, {"no_slip", Wall::no_slip}})
      .param(&Domain::fill, "fill", "All of the box is simulated; otherwise only where something is.");
}

Schema<VolumeObjectBehavior::Params> VolumeObjectBehavior::schema() {
  return Schema<Params>("volume_object", "A gas on a sparse grid: wind, smoke.")
      .category(Category::object)
      .example("examples/smoke_plume.yaml")
      .param(&Params::voxel, "voxel", unit::m, "Edge of a voxel.")
      .positive()
      .param(&Params::domain, "domain", Domain::schema(), "Limits; without them the gas goes wherever it goes.")
      .param(&Params::around, "around", "Group whose particles, strands, solids and cloth the gas surrounds.")
      .param(&Params::padding, "padding", unit::none,
             "Gas simulated around what there is, in tiles of 8 voxels; 0.5 is 4 voxels.")
      .range(0.25, 64)
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the gas.")
      .positive()
      .param(&Params::temperature, "temperature", unit::kelvin, "Temperature of the air around.")
      .positive()
      .param(&Params::advection, "advection",
             "How values are carried along: bfecc (sharp), mac_cormack (as sharp only over moves well below a voxel), "
             "semi_lagrangian (smooth, cheapest).")
      .enumerated<AdvectionScheme>({{"semi_lagrangian", AdvectionScheme::semi_lagrangian},
                                    {"mac_cormack", AdvectionScheme::mac_cormack},
                                    {"bfecc", AdvectionScheme::bfecc}})
      .param(&Params::interpolation, "interpolation", "Between voxels: linear, or cubic without overshoot.")
      .enumerated<Interpolation>({{"linear", Interpolation::linear}, {"cubic", Interpolation::cubic}})
      .param(&Params::reflection, "reflection",
             "Advection-reflection: two projections per substep, and swirls that last.")
      .param(&Params::courant_number, "courant_number", unit::none,
             "Adaptive substeps move nothing farther than this many voxels.")
      .positive()
      .advanced()
      .param(&Params::threshold, "threshold", unit::none,
             "Material below it counts as none, relative to 1 or to the ambient value.")
      .positive()
      .advanced()
      .param(&Params::memory, "memory", unit::none, "Memory the gas may take [GB]; 70 % of the machine's when absent.")
      .positive()
      .advanced();
}

void VolumeObjectBehavior::create(Scope& scope) {
  VolumeObject::Description d;
  d.voxel = params_.voxel;
  d.density = params_.density;
  d.temperature = params_.temperature;
  d.padding = params_.padding;
  d.threshold = params_.threshold;
  d.advection = {params_.advection, params_.interpolation, true};
  d.reflection = params_.reflection;
  d.courant_number = params_.courant_number;
  d.most_memory = params_.memory ? *params_.memory * gigabyte : share_of_memory * machine_memory();
  const auto fail = [&](const std::string& what) { return Error(ExitCode::bad_input, scope.path() + ": " + what); };
  if (params_.domain) {
    const Domain& domain = *params_.domain;
    GasBox box{{domain.low, domain.high}, {}};
    for (int axis = 0; axis < 3; ++axis)
      if (!(domain.high[axis] - domain.low[axis] >= params_.voxel))
        throw fail("the domain is thinner than a voxel; check `low:` and `high:`, or use smaller voxels");
    box.closed = {domain.left, domain.right, domain.floor, domain.ceiling, domain.back, domain.front};
    if (domain.sides == DomainSide::closed) box.closed.fill(true);
    if (domain.walls != Domain{}.walls && std::none_of(box.closed.begin(), box.closed.end(), [](bool c) { return c; }))
      throw Error(ExitCode::bad_input, scope.path() +
                                           ".domain.walls: has no effect where all sides are open; leave "
                                           "it out, or close a side");
    box.wall.fill(domain.walls);
    d.box = box;
    d.everywhere = domain.fill;
  }
  auto& gas =
      scope.add_object(std::make_unique<VolumeObject>(scope.path(), scope.group(), d, scope.domain().communicator()));
  if (d.everywhere) {
    const Vec3d voxels = d.box->box.size() / params_.voxel;
    const double bytes = voxels.x * voxels.y * voxels.z * gas.bytes_per_voxel();
    if (bytes > d.most_memory)
      throw fail(fmt::format(
          "a domain of {:.0f} x {:.0f} x {:.0f} voxels needs about {:.1f} GB, more than the {:.1f} GB allowed; use "
          "larger voxels (`voxel:`), a smaller `domain:`, `fill: false`, or raise `memory:`",
          voxels.x, voxels.y, voxels.z, bytes / gigabyte, d.most_memory / gigabyte));
  }
  if (!params_.around.empty())
    scope.after_objects([this, &scope, &gas] {
      const std::vector<ForceTarget*> targets = scope.force_targets_of(params_.around);
      if (targets.empty())
        throw Error(ExitCode::bad_input, scope.path() + ": the group of `around:` has neither particles nor strands");
      for (const ForceTarget* target : targets) gas.stay_around(target);
    });
}

}  // namespace ymir
