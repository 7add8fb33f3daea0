// The timeline of a simulation as one table. [Lesser2022, 5.1 and Figure 8]
//
// User-facing stages are few and stable; developer-facing ones subdivide the user-facing stage above them and may
// change. The table is in execution order; Loop says in which of the nested loops a stage repeats.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ymir {

enum class Stage : std::uint8_t {
  ingest,
  group_enter,
  frame_begin,
  substep_begin,
  boundary_motion,
  detection,
  update_solids,
  solid_forces,
  solid_constraints,
  solid_solve,
  solid_update,
  update_fluids,
  data_transfer,
  fluid_forces,
  viscosity,
  pressure,
  substep_end,
  advection,
  emission,
  removal,
  rebucketing,
  balancing,
  group_exit,
  frame_end,
};

// substep_end: what may still fail and be rolled back; settle: bookkeeping after the substep was accepted.
enum class Loop : std::uint8_t { once, frame_begin, substep_begin, newton, substep_end, settle, frame_end };

struct StageInfo {
  Stage stage;
  std::string_view name;
  Loop loop;
  bool user_facing;
  std::string_view doc;
};

inline constexpr std::array stages{
    StageInfo{Stage::ingest, "ingest", Loop::once, true, "Objects and Actions exist, inputs are loaded"},
    StageInfo{Stage::group_enter, "group_enter", Loop::frame_begin, true, "data arrives from other Groups"},
    StageInfo{Stage::frame_begin, "frame_begin", Loop::frame_begin, true, "values that change per frame are set"},
    StageInfo{Stage::substep_begin, "substep_begin", Loop::substep_begin, true, "the state to advance is fixed"},
    StageInfo{Stage::boundary_motion, "boundary_motion", Loop::substep_begin, false, "colliders take their pose"},
    StageInfo{Stage::detection, "detection", Loop::substep_begin, false, "candidates for contact and attachment"},
    StageInfo{Stage::update_solids, "update_solids", Loop::newton, true, "one Newton iteration of all solids"},
    StageInfo{Stage::solid_forces, "solid_forces", Loop::newton, false, "forces of single points and derivatives"},
    StageInfo{Stage::solid_constraints, "solid_constraints", Loop::newton, false, "energies between points"},
    StageInfo{Stage::solid_solve, "solid_solve", Loop::newton, false, "velocities from the assembled system"},
    StageInfo{Stage::solid_update, "solid_update", Loop::newton, false, "positions from velocities, contact response"},
    StageInfo{Stage::update_fluids, "update_fluids", Loop::newton, true, "one Newton iteration of all fluids"},
    StageInfo{Stage::data_transfer, "data_transfer", Loop::newton, false, "solids as the fluids see them"},
    StageInfo{Stage::fluid_forces, "fluid_forces", Loop::newton, false, "forces on grid velocities"},
    StageInfo{Stage::viscosity, "viscosity", Loop::newton, false, "implicit viscosity"},
    StageInfo{Stage::pressure, "pressure", Loop::newton, false, "projection to divergence-free velocities"},
    StageInfo{Stage::substep_end, "substep_end", Loop::substep_end, true, "the advanced state is known"},
    StageInfo{Stage::advection, "advection", Loop::substep_end, false, "fluids move, once per substep"},
    StageInfo{Stage::emission, "emission", Loop::substep_end, false, "new material of the substep appears"},
    StageInfo{Stage::removal, "removal", Loop::substep_end, false, "material leaves the simulation"},
    StageInfo{Stage::rebucketing, "rebucketing", Loop::settle, false, "data moves to the buckets of its place"},
    StageInfo{Stage::balancing, "balancing", Loop::settle, false, "buckets move between ranks"},
    StageInfo{Stage::group_exit, "group_exit", Loop::frame_end, true, "data leaves for other Groups"},
    StageInfo{Stage::frame_end, "frame_end", Loop::frame_end, true, "results of the frame are reported"},
};

constexpr const StageInfo& info(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }

constexpr bool stages_in_order() {
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (static_cast<std::size_t>(stages[i].stage) != i || (i > 0 && stages[i].loop < stages[i - 1].loop)) return false;
  return true;
}
static_assert(stages_in_order());

}  // namespace ymir
