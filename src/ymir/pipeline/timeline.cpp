#include "ymir/pipeline/timeline.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ymir/base/timer.h"

namespace ymir {
namespace {

auto rank_of(const Task& task) { return std::tuple(task.stage, task.group, task.role); }

}  // namespace

void Timeline::add(Task task) {
  const auto after = std::upper_bound(tasks_.begin(), tasks_.end(), task,
                                      [](const Task& a, const Task& b) { return rank_of(a) < rank_of(b); });
  tasks_.insert(after, std::move(task));
}

void Timeline::run(Stage stage, const Step& step) {
  const Timer timer;
  for (const Task& task : tasks_)
    if (task.stage == stage && task.run) task.run(step);
  seconds_[static_cast<std::size_t>(stage)] += timer.seconds();
}

void Timeline::run(Loop loop, const Step& step) {
  for (const StageInfo& entry : stages)
    if (entry.loop == loop) run(entry.stage, step);
}

std::array<double, stages.size()> Timeline::take_seconds() { return std::exchange(seconds_, {}); }

}  // namespace ymir
