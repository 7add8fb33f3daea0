#include "ymir/setup/unread_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ymir/behaviors/register.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/particle_object.h"

namespace ymir {
namespace {

using Names = std::set<std::string, std::less<>>;

void add_varying(const SetupNode& behavior, Names& names) {
  for (const ParamInfo& p : behavior.type->schema.params)
    if (p.varying) names.insert(p.name);
}

// Real-valued channels that came with the input of an object.
Names channels_of(const Object& object) {
  Names names;
  if (const auto* particles = dynamic_cast<const ParticleObject*>(&object))
    for (int c = 0; c < particles->particles().channel_count(); ++c)
      names.insert(particles->particles().channel_name(c));
  if (const auto* curves = dynamic_cast<const CurvesObject*>(&object))
    for (const Channels* channels : {&curves->curves().vertices, &curves->curves().strands})
      for (const auto& [name, array] : channels->all()) names.insert(name);
  return names;
}

class Search {
 public:
  Search(const SolverSetup& setup, const BuiltSimulation& built) : setup_(setup), built_(built) {
    for (const ParamInfo& p : all_behaviors().varying_parameters().params) parameters_.insert(p.name);
  }

  std::vector<Diagnostic> run() {
    visit(setup_.root, {});
    for (const InputSpec& input : setup_.inputs)
      if (!input.overrides.items.empty() && !seen_.contains(input.name))
        tell(Severity::error, {}, "inputs." + input.name + ".overrides",
             "no object takes them: only the inputs of a particle_object or curves_object have overrides; leave them "
             "out");
    return std::move(found_);
  }

 private:
  // `above`: what the behaviors of the groups around take from objects.
  void visit(const SetupNode& group, Names above) {
    for (const SetupNode& child : group.children)
      if (child.enabled && !child.is_group && child.type->schema.category != Category::object && !is_off(child))
        add_varying(child, above);
    for (const SetupNode& child : group.children) {
      if (!child.enabled) continue;
      if (child.is_group)
        visit(child, above);
      else if (child.type->schema.category == Category::object)
        look_at(child, above);
    }
  }

  bool is_off(const SetupNode& node) const {
    return std::find(built_.switched_off.begin(), built_.switched_off.end(), node.path) != built_.switched_off.end();
  }

  void look_at(const SetupNode& object, Names taken) {
    add_varying(object, taken);
    Names overridden;
    for (const ParamInfo& p : object.type->schema.params) {
      if (p.type != ParamType::input) continue;
      const ParamValue* value = find_value(object.values, p.name);
      const std::string* name = value != nullptr ? std::get_if<std::string>(value) : nullptr;
      const InputSpec* input = name != nullptr ? setup_.find_input(*name) : nullptr;
      if (input == nullptr) continue;
      seen_.insert(*name);
      for (const NamedValue& item : input->overrides.items) {
        overridden.insert(item.name);
        if (!taken.contains(item.name))
          tell(Severity::error, object.location, object.path,
               fmt::format("the override '{}' of its input '{}' is taken by no behavior that acts on it; add one with "
                           "that parameter to its group, or leave the override out",
                           item.name, *name));
      }
    }
    const auto built = std::find_if(built_.simulation->objects().begin(), built_.simulation->objects().end(),
                                    [&](const auto& o) { return o->path() == object.path; });
    if (built == built_.simulation->objects().end()) return;
    for (const std::string& name : channels_of(**built))
      if (parameters_.contains(name) && !taken.contains(name) && !overridden.contains(name))
        tell(Severity::warning, object.location, object.path,
             fmt::format("the channel '{}' of its input has the name of a parameter, but no behavior that acts on it "
                         "takes it",
                         name));
  }

  void tell(Severity severity, Location at, const std::string& path, const std::string& message) {
    found_.push_back({severity, setup_.file.string(), at, path, message});
  }

  const SolverSetup& setup_;
  const BuiltSimulation& built_;
  Names parameters_;  // of any behavior, that data may override
  Names seen_;        // inputs of objects
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> unread_values(const SolverSetup& setup, const BuiltSimulation& built) {
  return Search(setup, built).run();
}

}  // namespace ymir
