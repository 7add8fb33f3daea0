// check, explain, describe, schema: what can be said about a setup without running it.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "make_folder.h"
#include "progress.h"
#include "setup_file.h"
#include "ymir/base/plain_text.h"
#include "ymir/base/suggest.h"
#include "ymir/behaviors/register.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/setup/build.h"
#include "ymir/setup/check.h"
#include "ymir/setup/json_schema.h"
#include "ymir/setup/reference.h"

namespace ymir::cli {
namespace {

// Names that are not UTF-8 have their bad bytes replaced: the document stays JSON.
std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

using Json = nlohmann::ordered_json;

Json to_json(const Diagnostic& d) {
  return {{"severity", d.severity == Severity::error ? "error" : "warning"},
          {"file", d.file},
          {"line", d.at.line},
          {"column", d.at.column},
          {"path", d.path},
          {"message", d.message}};
}

}  // namespace

SolverSetup load_setup(const std::filesystem::path& path, const Registry& registry) {
  ReadResult result = read_setup(path, registry);
  if (!result.setup) throw SetupError(ExitCode::bad_input, std::move(result.diagnostics));
  if (Communicator::world().root()) std::cerr << to_string(result.diagnostics);
  return std::move(*result.setup);
}

ExitCode check(const SetupArguments& arguments) {
  const Registry registry = all_behaviors();
  Communicator& world = Communicator::world();
  // Large inputs take their time: a terminal shows what is being looked at.
  Activity activity("check");
  const CheckResult result = check_setup(arguments.setup, arguments.out, registry, world,
                                         [&](const std::string& what) { activity.update(what); });
  activity.clear();
  if (!world.root()) return result.ok ? ExitCode::ok : ExitCode::bad_input;
  if (arguments.json) {
    Json diagnostics = Json::array();
    for (const Diagnostic& d : result.diagnostics) diagnostics.push_back(to_json(d));
    std::cout << to_text(Json{{"ok", result.ok}, {"diagnostics", diagnostics}});
  } else {
    std::cout << to_string(result.diagnostics);
    if (result.ok) std::cout << plain_text(arguments.setup.string()) << ": good\n";
  }
  return result.ok ? ExitCode::ok : ExitCode::bad_input;
}

ExitCode explain(const SetupArguments& arguments) {
  const Registry registry = all_behaviors();
  const SolverSetup setup = load_setup(arguments.setup, registry);
  const BuiltSimulation built = build(setup, Communicator::world());
  built.simulation->schedule();
  if (!arguments.json) {
    std::cout << explain(built);
    return ExitCode::ok;
  }
  Json tasks = Json::array();
  for (const Task& task : built.simulation->timeline().tasks())
    tasks.push_back({{"stage", info(task.stage).name},
                     {"group", built.groups[static_cast<std::size_t>(task.group)]},
                     {"owner", task.owner},
                     {"task", task.what},
                     {"reads", task.reads},
                     {"writes", task.writes}});
  std::cout << to_text(Json{{"tasks", tasks}, {"off", built.switched_off}});
  return ExitCode::ok;
}

ExitCode describe(const DescribeArguments& arguments) {
  const Registry registry = all_behaviors();
  if (!arguments.pages.empty()) {
    make_folder(arguments.pages, "--pages");
    for (const auto& [name, text] : reference_pages(registry)) {
      AtomicFile file(arguments.pages / name);
      file.write(text);
      file.commit();
    }
    return ExitCode::ok;
  }
  if (arguments.json) {
    if (!arguments.behavior.empty())
      throw Error(ExitCode::usage, "--json describes all behaviors at once; leave out the name");
    std::cout << describe_json(registry);
    return ExitCode::ok;
  }
  if (arguments.behavior.empty()) {
    std::cout << describe_all(registry);
    return ExitCode::ok;
  }
  if (const std::string section = describe_section(arguments.behavior); !section.empty()) {
    std::cout << section;
    return ExitCode::ok;
  }
  if (arguments.behavior == "channels") {
    std::cout << describe_channels(registry);
    return ExitCode::ok;
  }
  const BehaviorType* type = registry.find(arguments.behavior);
  if (type == nullptr) {
    std::vector<std::string> names{"time", "inputs", "outputs", "channels"};
    for (const BehaviorType& known : registry.all()) names.push_back(known.schema.name);
    throw Error(ExitCode::usage, fmt::format("no behavior {}; {} (`ymir describe` lists all)", arguments.behavior,
                                             suggest(arguments.behavior, names)));
  }
  std::cout << describe(*type);
  return ExitCode::ok;
}

ExitCode schema() {
  std::cout << json_schema(all_behaviors()) << "\n";
  return ExitCode::ok;
}

}  // namespace ymir::cli
