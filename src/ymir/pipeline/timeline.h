// Tasks and when they run. Objects and Actions declare tasks for stages; the order of evaluation follows from the stage
// table and the Group tree alone: stage, then group, then behaviors (user-facing stages), objects, actions.
// [Lesser2022, Algorithm 1]
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ymir/pipeline/stage.h"

namespace ymir {

// Where the simulation stands while tasks run.
struct Step {
  std::int64_t frame = 0;
  int substep = 0;
  int iteration = 0;  // of Newton's method
  double time = 0;    // beginning of the substep [s]
  double dt = 0;      // [s]
};

enum class Role : std::uint8_t { behavior, object, action };

struct Task {
  Stage stage;
  int group = 0;  // index of the Group in the tree, depth first
  Role role = Role::object;
  std::string owner;  // path of the Object, or of the Action's behavior
  std::string what;
  std::vector<std::string> reads;
  std::vector<std::string> writes;
  // Empty for work that a task of the object performs in one pass with its own (forces on single points, contacts).
  std::function<void(const Step&)> run;
};

class Timeline {
 public:
  void add(Task task);
  void run(Stage stage, const Step& step);
  // All stages of one loop in order.
  void run(Loop loop, const Step& step);
  // In order of evaluation.
  const std::vector<Task>& tasks() const { return tasks_; }
  // Wall-clock time spent in each Stage since the last call [s].
  std::array<double, stages.size()> take_seconds();

 private:
  std::vector<Task> tasks_;  // kept sorted
  std::array<double, stages.size()> seconds_{};
};

}  // namespace ymir
