#include "ymir/setup/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

// Where no object asks for a size of buckets [m].
constexpr double default_bucket_size = 0.25;

struct Placed {
  const SetupNode* node;
  int group;
};

// Enabled behaviors with their group; groups are numbered depth first, group_end[g] is one past the last below g.
void place(const SetupNode& node, std::vector<Placed>& behaviors, std::vector<std::string>& groups,
           std::vector<int>& group_end) {
  const auto group = groups.size();
  groups.push_back(node.path);
  group_end.push_back(0);
  for (const SetupNode& child : node.children) {
    if (!child.enabled) continue;
    if (child.is_group)
      place(child, behaviors, groups, group_end);
    else
      behaviors.push_back({&child, static_cast<int>(group)});
  }
  group_end[group] = static_cast<int>(groups.size());
}

// An error of a behavior, with the place of that behavior in the setup file.
Error located(const Error& error, const SolverSetup& setup, const SetupNode& node) {
  const std::string what = error.what();
  if (!what.starts_with(node.path)) return error;  // about an input, whose file it names
  return {error.code(),
          fmt::format("{}:{}:{} {}", setup.file.string(), node.location.line, node.location.column, what)};
}

}  // namespace

BuiltSimulation build(const SolverSetup& setup, Communicator& communicator) {
  BuiltSimulation built;
  built.simulation = std::make_unique<Simulation>(setup.time, default_bucket_size, communicator);
  std::vector<Placed> behaviors;
  std::vector<int> group_end;
  place(setup.root, behaviors, built.groups, group_end);
  // Objects first, wherever they stand in the file: what acts on them finds them all.
  std::stable_partition(behaviors.begin(), behaviors.end(),
                        [](const Placed& b) { return b.node->type->schema.category == Category::object; });

  std::optional<double> bucket_size;
  for (const Placed& placed : behaviors) {
    Scope scope(*built.simulation, setup.inputs, placed.node->path, placed.group,
                group_end[static_cast<std::size_t>(placed.group)]);
    try {
      placed.node->type->create(placed.node->values)->create(scope);
    } catch (const Error& error) {
      throw located(error, setup, *placed.node);
    }
    if (scope.switched_off()) built.switched_off.push_back(placed.node->path);
    if (const auto asked = scope.asked_bucket_size())
      bucket_size = bucket_size ? std::min(*bucket_size, *asked) : *asked;
  }
  if (bucket_size) built.simulation->domain().set_bucket_size(*bucket_size);
  return built;
}

std::string explain(const BuiltSimulation& built) {
  const auto names = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string("-") : fmt::format("{}", fmt::join(list, ", "));
  };
  std::string text = fmt::format("{:<20}{:<14}{:<30}{:<52}{}\n", "stage", "group", "owner", "task", "reads -> writes");
  const auto& tasks = built.simulation->timeline().tasks();
  for (const StageInfo& stage : stages) {
    const std::string label = stage.user_facing ? std::string(stage.name) : "  " + std::string(stage.name);
    bool first = true;
    for (const Task& task : tasks) {
      if (task.stage != stage.stage) continue;
      const std::string& group = built.groups[static_cast<std::size_t>(task.group)];
      text += fmt::format("{:<20}{:<14}{:<30}{:<52}{} -> {}\n", first ? label : "", group.empty() ? "/" : group,
                          task.owner, task.what, names(task.reads), names(task.writes));
      first = false;
    }
    if (first) text += label + "\n";
  }
  for (const std::string& path : built.switched_off) text += fmt::format("off: {} finds nothing to act on\n", path);
  return text;
}

}  // namespace ymir
