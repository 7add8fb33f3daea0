#include "ymir/pipeline/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace ymir {
namespace {

// One number that grows by dt; whatever a test plugs in happens during the solve.
class Counter final : public Object {
 public:
  explicit Counter(std::string path, int group = 0) : Object(std::move(path), group) {}

  void schedule(Timeline& timeline) override {
    timeline.add({Stage::solid_solve, group(), Role::object, path(), "count", {}, {"value"}, [this](const Step& step) {
                    value += step.dt;
                    ++solves;
                    if (during_solve) during_solve(step);
                  }});
  }
  std::int64_t element_count() const override { return 1; }
  double step_limit() const override { return limit; }
  SolveReport solve_report() const override { return solved; }
  ObjectReport report() const override { return substep; }
  void save() override { saved = value; }
  void rollback() override { value = saved; }
  void accept() override { ++accepted; }
  std::optional<std::string> non_finite() const override {
    return std::isfinite(value) ? std::nullopt : std::optional<std::string>("value");
  }
  ObjectState frame_state() const override { return {path(), "state", {}, {{"value", value}}}; }
  ObjectState checkpoint() const override { return frame_state(); }
  void restore(const ObjectState* whole) override { value = std::get<double>(whole->attributes.at("value")); }
  std::uint64_t hash() const override { return static_cast<std::uint64_t>(value * 1e9); }
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}

  double value = 0, saved = 0;
  double limit = std::numeric_limits<double>::infinity();
  int solves = 0, accepted = 0;
  SolveReport solved;
  ObjectReport substep;
  std::function<void(const Step&)> during_solve;
};

struct World {
  explicit World(TimeParams time = {})
      : simulation(time, 1, alone), counter(simulation.add(std::make_unique<Counter>("Group/counter"))) {
    simulation.ingest();
  }
  Communicator alone;
  Simulation simulation;
  Counter& counter;
};

TimeParams time(int substeps) {
  TimeParams t;
  t.substeps = substeps;
  return t;
}

TEST(Simulation, TakesTheAskedNumberOfEqualSubsteps) {
  World world(time(5));
  world.simulation.advance_frame(1);
  EXPECT_EQ(world.counter.solves, 5);
  EXPECT_NEAR(world.counter.value, 1.0 / 24, 1e-15);
}

TEST(Simulation, AdaptiveSubstepsObeyTheStrictestObjectButNotBeyondTheirMaximum) {
  TimeParams t;
  t.adaptive = true;
  t.max_substeps = 64;
  World world(t);
  world.counter.limit = 1.0 / 24 / 6.5;
  world.simulation.advance_frame(1);
  EXPECT_EQ(world.counter.solves, 7);
  world.counter.solves = 0;
  world.counter.limit = 1e-12;
  world.simulation.advance_frame(2);
  EXPECT_EQ(world.counter.solves, 64);
}

TEST(Simulation, HalvesABadSubstepUntilItIsGoodAndLosesNothing) {
  World world;
  world.counter.during_solve = [&](const Step& step) {
    if (step.dt > 1.0 / 24 / 5) world.counter.value = std::numeric_limits<double>::quiet_NaN();
  };
  world.simulation.advance_frame(1);
  EXPECT_GE(world.simulation.halvings(), 3);  // 1/24 -> 1/192
  EXPECT_NEAR(world.counter.value, 1.0 / 24, 1e-15);
  EXPECT_EQ(world.counter.accepted, world.simulation.substeps());
}

TEST(Simulation, GivesUpAfterEightHalvingsNamingObjectFrameAndQuantityAtTheLastGoodState) {
  World world;
  world.simulation.advance_frame(1);
  const double good = world.counter.value;
  world.counter.solves = 0;
  world.counter.during_solve = [&](const Step&) { world.counter.value = std::numeric_limits<double>::infinity(); };
  try {
    world.simulation.advance_frame(2);
    FAIL() << "did not stop";
  } catch (const NumericalFailure& failure) {
    const std::string what = failure.what();
    EXPECT_NE(what.find("frame 2"), std::string::npos) << what;
    EXPECT_NE(what.find("Group/counter: value is not finite"), std::string::npos) << what;
    EXPECT_EQ(failure.code(), ExitCode::numerical);
  }
  EXPECT_EQ(world.counter.solves, 1 + Simulation::max_halvings);
  EXPECT_EQ(world.counter.value, good);
}

TEST(Simulation, UndoesASubstepThatEndsFasterThanTheStatedBound) {
  World world;
  world.counter.during_solve = [&](const Step& step) {
    world.counter.substep.speed = step.dt > 1.0 / 24 / 3 ? 1001 : 999;
  };
  world.simulation.advance_frame(1);
  EXPECT_NEAR(world.counter.value, 1.0 / 24, 1e-15);
  EXPECT_GE(world.simulation.frame_report().undone, 2);                     // 1/24, 1/48
  EXPECT_EQ(world.simulation.frame_report().objects[0].report.speed, 999);  // of what was accepted
  world.counter.during_solve = [&](const Step&) { world.counter.substep.stretch = 1001; };
  EXPECT_THROW(world.simulation.advance_frame(2), NumericalFailure);
}

TEST(Simulation, CountsWhatWasAcceptedAboveItsTolerance) {
  World world(time(4));
  world.counter.substep = {.solves = 10, .iterations = 50, .unconverged = 2, .residual = 0.25, .worst = "strand 7"};
  world.counter.solved.status = SolveReport::Status::iterating;  // never settles: four substeps are cut short
  world.simulation.advance_frame(1);
  const FrameReport& report = world.simulation.frame_report();
  EXPECT_EQ(report.substeps, 4);
  EXPECT_EQ(report.cut_short, 4);
  EXPECT_EQ(report.objects[0].report.solves, 40);
  EXPECT_EQ(report.unconverged(), 4 + 8);
  EXPECT_EQ(report.trouble(), "Group/counter: 8 of 40 solves accepted above tolerance (strand 7, residual 0.25)");
}

TEST(Simulation, ACheckpointInsideAFrameResumesThere) {
  World world(time(4));
  world.simulation.advance_frame(1);
  int substeps = 0;
  world.counter.during_solve = [&](const Step&) {
    if (++substeps > 2) world.counter.value = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_THROW(world.simulation.advance_frame(2), NumericalFailure);
  const Frame checkpoint = world.simulation.checkpoint(1);
  World resumed(time(4));
  resumed.simulation.restore(&checkpoint);
  resumed.simulation.advance_frame(2);
  EXPECT_EQ(resumed.counter.solves, 2);
  EXPECT_NEAR(resumed.counter.value, 2.0 / 24, 1e-15);
}

TEST(Simulation, RepeatsNewtonIterationsWhileAnObjectHasNotConverged) {
  World world;
  world.counter.solved.status = SolveReport::Status::iterating;
  world.counter.during_solve = [&](const Step& step) {
    if (step.iteration == 2) world.counter.solved.status = SolveReport::Status::converged;
  };
  world.simulation.advance_frame(1);
  EXPECT_EQ(world.counter.solves, 3);
}

// Algorithm 1 of [Lesser2022]: stages, in them groups, in them behaviors, objects, actions.
TEST(Timeline, RunsStagesThenGroupsThenRolesThenInOrderOfCreation) {
  std::string order;
  Timeline timeline;
  const auto add = [&](Stage stage, int group, Role role, const char* name) {
    timeline.add({stage, group, role, "", "", {}, {}, [&order, name](const Step&) { order += name; }});
  };
  add(Stage::solid_update, 0, Role::object, "h");
  add(Stage::solid_solve, 1, Role::action, "g");
  add(Stage::solid_solve, 1, Role::object, "e");
  add(Stage::solid_solve, 1, Role::object, "f");
  add(Stage::solid_solve, 0, Role::action, "d");
  add(Stage::solid_forces, 2, Role::action, "c");
  add(Stage::update_solids, 0, Role::object, "b");
  add(Stage::update_solids, 0, Role::behavior, "a");
  add(Stage::frame_end, 0, Role::object, "z");
  timeline.run(Loop::newton, {});
  EXPECT_EQ(order, "abcdefgh");
}

}  // namespace
}  // namespace ymir
