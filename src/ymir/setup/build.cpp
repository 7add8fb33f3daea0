#include "ymir/setup/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "ymir/behaviors/scope.h"
#include "ymir/setup/stored_detail.h"
#include "ymir/setup/unread_values.h"

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

// Messages begin with the behavior's path, perhaps with a parameter; those about inputs with the file.
Diagnostic diagnostic(Severity severity, const SolverSetup& setup, const SetupNode& node, const std::string& what) {
  std::string path = node.path, message = what;
  if (const std::size_t colon = what.find(": "); what.starts_with(node.path) && colon != std::string::npos) {
    path = what.substr(0, colon);
    message = what.substr(colon + 2);
  }
  return {severity, setup.file.string(), node.location, path, message};
}

// The node that a message begins with the path of, the longest one; nullptr: none.
const SetupNode* speaker(const SetupNode& node, const std::string& what) {
  const SetupNode* found = nullptr;
  for (const SetupNode& child : node.children)
    if (const SetupNode* deeper = speaker(child, what);
        deeper != nullptr && (found == nullptr || deeper->path.size() > found->path.size()))
      found = deeper;
  const std::size_t end = node.path.size();
  const bool mine =
      !node.is_group && what.starts_with(node.path) && what.size() > end && (what[end] == ':' || what[end] == '.');
  return found == nullptr && mine ? &node : found;
}

bool holds_objects(const SetupNode& node, bool enabled) {
  return std::any_of(node.children.begin(), node.children.end(), [&](const SetupNode& child) {
    if (enabled && !child.enabled) return false;
    return child.is_group ? holds_objects(child, enabled) : child.type->schema.category == Category::object;
  });
}

// Whether the group at `path` is there, and it, one around it or all objects in it are switched off.
bool is_off(const SetupNode& node, const std::string& path, bool within) {
  const bool off = within || !node.enabled;
  if (node.is_group && node.path == path) return off || (holds_objects(node, false) && !holds_objects(node, true));
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const SetupNode& child) { return is_off(child, path, off); });
}

class Builder {
 public:
  Builder(const SolverSetup& setup, Communicator& communicator, const std::function<void(const std::string&)>& begin)
      : setup_(setup), begin_(begin) {
    built_.simulation = std::make_unique<Simulation>(setup.time, default_bucket_size, communicator);
  }

  BuildResult run() {
    std::vector<Placed> behaviors;
    std::vector<int> group_end;
    place(setup_.root, behaviors, built_.groups, group_end);
    // Objects first, wherever they stand in the file: what acts on them, or refers to them, finds them all.
    const auto actions = std::stable_partition(behaviors.begin(), behaviors.end(), [](const Placed& b) {
      return b.node->type->schema.category == Category::object;
    });
    const auto begin = [&](const Placed& placed) -> Part& {
      parts_.push_back({placed.node, nullptr,
                        Scope(*built_.simulation, setup_.inputs, placed.node->path, placed.group,
                              group_end[static_cast<std::size_t>(placed.group)])});
      return parts_.back();
    };
    if (behaviors.begin() == actions)
      result_.diagnostics.push_back(
          {Severity::warning,
           setup_.file.string(),
           {},
           "setup",
           "holds nothing to simulate; add an object, such as curves_object, solid_object or volume_object"});
    for (auto b = behaviors.begin(); b != actions; ++b) create(begin(*b));
    for (Part& part : parts_) attempt(part, [&] { part.scope.run_after_objects(); });
    objects_failed_ = result_.code != ExitCode::ok;
    for (auto b = actions; b != behaviors.end(); ++b) {
      Part& part = begin(*b);
      create(part);
      attempt(part, [&] { part.scope.run_after_objects(); });
    }
    for (Part& part : parts_) attempt(part, [&] { part.scope.run_after_all(); });
    if (bucket_size_) built_.simulation->domain().set_bucket_size(*bucket_size_);
    for (const Part& part : parts_) finish(part);
    if (result_.code == ExitCode::ok)
      for (Diagnostic& d : unread_values(setup_, built_)) {
        if (d.severity == Severity::error) result_.code = ExitCode::bad_input;
        result_.diagnostics.push_back(std::move(d));
      }
    std::stable_sort(result_.diagnostics.begin(), result_.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) {
                       return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
                     });
    if (result_.code == ExitCode::ok) {
      built_.warnings = result_.diagnostics;
      result_.built = std::move(built_);
    }
    return std::move(result_);
  }

 private:
  // A behavior and what it sees live until the end: tasks that wait for others refer to them.
  struct Part {
    const SetupNode* node;
    std::unique_ptr<Behavior> behavior;
    Scope scope;
    bool failed = false;
    bool refers_to_off = false;  // a group that is switched off
  };

  void create(Part& part) {
    if (begin_) begin_(part.node->path);
    attempt(part, [&] {
      part.behavior = part.node->type->create(part.node->values);
      part.behavior->create(part.scope);
    });
    if (const auto asked = part.scope.asked_bucket_size())
      bucket_size_ = bucket_size_ ? std::min(*bucket_size_, *asked) : *asked;
  }

  template <class F>
  void attempt(Part& part, F&& work) {
    if (part.failed) return;
    try {
      work();
    } catch (const Error& error) {
      part.failed = true;
      // What misses an object that could not be made needs no message of its own.
      if (objects_failed_ && part.scope.found_nothing()) return;
      if (part.scope.dangling() && is_off(setup_.root, *part.scope.dangling(), false)) {
        part.refers_to_off = true;
        return;
      }
      if (result_.code == ExitCode::ok) result_.code = error.code();
      tell(Severity::error, *part.node, error.what());
    }
  }

  void tell(Severity severity, const SetupNode& node, const std::string& what) {
    result_.diagnostics.push_back(diagnostic(severity, setup_, node, what));
  }

  // An object without the material that could not be made.
  bool follows_from_failure(const std::string& warning) const {
    return warning.starts_with("has no material") && std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
             return part.failed && warning.find("`" + part.node->type->schema.name + "`") != std::string::npos;
           });
  }

  void finish(const Part& part) {
    for (const std::string& warning : part.scope.warnings())
      if (!follows_from_failure(warning)) tell(Severity::warning, *part.node, warning);
    for (const Scope::Inspection& inspection : part.scope.inspections())
      built_.inspections.push_back({part.node, inspection});
    if (part.refers_to_off) {
      built_.switched_off.push_back(part.node->path);
      tell(Severity::warning, *part.node,
           fmt::format("is off, as the group '{}' that it refers to is", *part.scope.dangling()));
    }
    if (part.failed || objects_failed_ || !part.scope.switched_off()) return;
    built_.switched_off.push_back(part.node->path);
    tell(Severity::warning, *part.node,
         fmt::format("finds nothing to act on and is off: {} in its group or below; move it up, or leave it out",
                     part.scope.missing()));
  }

  const SolverSetup& setup_;
  const std::function<void(const std::string&)>& begin_;
  BuiltSimulation built_;
  BuildResult result_;
  std::deque<Part> parts_;
  std::optional<double> bucket_size_;
  bool objects_failed_ = false;
};

}  // namespace

SetupError::SetupError(ExitCode code, std::vector<Diagnostic> diagnostics)
    : Error(code,
            [&] {
              std::string text;
              for (const Diagnostic& d : diagnostics) text += (text.empty() ? "" : "\n") + to_string(d);
              return text;
            }()),
      diagnostics_(std::move(diagnostics)) {}

BuildResult try_build(const SolverSetup& setup, Communicator& communicator,
                      const std::function<void(const std::string&)>& begin) {
  return Builder(setup, communicator, begin).run();
}

BuiltSimulation build(const SolverSetup& setup, Communicator& communicator) {
  BuildResult result = try_build(setup, communicator);
  if (!result.built) throw SetupError(result.code, std::move(result.diagnostics));
  return std::move(*result.built);
}

namespace {

// What begins faster than anything may move would be undone by every substep.
void refuse_too_fast(BuiltSimulation& built, const SolverSetup& setup) {
  std::vector<Diagnostic> found;
  for (const auto& object : built.simulation->objects()) {
    if (dynamic_cast<const ForceTarget*>(object.get()) == nullptr) continue;
    const double speed = joined(object->report(), built.simulation->domain().communicator()).speed;
    if (!(speed > setup.time.largest_speed)) continue;
    const std::string text = fmt::format(
        "begins with {:.3g} m/s, above largest_speed ({:g} m/s); make its velocity or spin smaller, or give "
        "`time: {{largest_speed: ...}}`",
        speed, setup.time.largest_speed);
    const SetupNode* node = speaker(setup.root, object->path() + ":");
    found.push_back(node != nullptr ? diagnostic(Severity::error, setup, *node, text)
                                    : Diagnostic{Severity::error, setup.file.string(), {}, object->path(), text});
  }
  if (!found.empty()) throw SetupError(ExitCode::bad_input, std::move(found));
}

}  // namespace

std::vector<Diagnostic> ingest(BuiltSimulation& built, const SolverSetup& setup) {
  try {
    built.simulation->ingest();
  } catch (const Error& error) {
    const SetupNode* node = speaker(setup.root, error.what());
    if (node == nullptr) throw SetupError(error.code(), {{Severity::error, setup.file.string(), {}, "", error.what()}});
    throw SetupError(error.code(), {diagnostic(Severity::error, setup, *node, error.what())});
  }
  refuse_too_fast(built, setup);
  std::vector<Diagnostic> warnings;
  for (const auto& [node, message] : built.inspections)
    if (const std::string text = message(); !text.empty())
      warnings.push_back(diagnostic(Severity::warning, setup, *node, text));
  for (const std::string& text : lost_detail(*built.simulation)) {
    const SetupNode* node = speaker(setup.root, text);
    warnings.push_back(diagnostic(Severity::warning, setup, node == nullptr ? setup.root : *node, text));
  }
  return warnings;
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
