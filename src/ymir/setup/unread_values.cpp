#include "ymir/setup/unread_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ymir/behaviors/register.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/particle_object.h"
#include "ymir/objects/volume_object.h"

namespace ymir {
namespace {

using Names = std::set<std::string, std::less<>>;
// Parameters that data may override, with their declarations: behaviors differ in what they allow.
using Varying = std::map<std::string, std::vector<const ParamInfo*>, std::less<>>;

void add_varying(const SetupNode& behavior, Varying& parameters) {
  for (const ParamInfo& p : behavior.type->schema.params)
    if (p.varying) parameters[p.name].push_back(&p);
}

// "vertex 3 must be at least 0, got -1"; "" when all values are allowed.
std::string channel_problem(const ParamInfo& parameter, const Array& array, const char* of) {
  const auto first_bad = [&](const auto& values, auto&& as) -> std::string {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const std::string problem = range_problem(parameter, as(values[i])); !problem.empty())
        return fmt::format("{} {}: {}", of, i, problem);
    return "";
  };
  const auto number = [](double v) { return ParamValue(v); };
  const auto vector = [](auto v) { return ParamValue(Vec3d(v)); };
  if (parameter.type == ParamType::real && array.holds<double>()) return first_bad(array.as<double>(), number);
  if (parameter.type == ParamType::real && array.holds<float>()) return first_bad(array.as<float>(), number);
  if (parameter.type == ParamType::vector && array.holds<Vec3d>()) return first_bad(array.as<Vec3d>(), vector);
  if (parameter.type == ParamType::vector && array.holds<Vec3f>()) return first_bad(array.as<Vec3f>(), vector);
  return "";
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

bool is(const Object& object, ActsOn kind) {
  switch (kind) {
    case ActsOn::particles: return dynamic_cast<const ParticleObject*>(&object) != nullptr;
    case ActsOn::strands: return dynamic_cast<const CurvesObject*>(&object) != nullptr;
    case ActsOn::gas: return dynamic_cast<const VolumeObject*>(&object) != nullptr;
  }
  return false;
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
  void visit(const SetupNode& group, Varying above) {
    for (const SetupNode& child : group.children)
      if (child.enabled && !child.is_group && child.type->schema.category != Category::object && !is_off(child))
        add_varying(child, above);
    for (const SetupNode& child : group.children) {
      if (!child.enabled) continue;
      if (!child.is_group && !is_off(child)) look_for_targets(child, group.path.empty() ? "" : group.path + "/");
      if (child.is_group)
        visit(child, above);
      else if (child.type->schema.category == Category::object)
        look_at(child, above);
    }
  }

  bool is_off(const SetupNode& node) const {
    return std::find(built_.switched_off.begin(), built_.switched_off.end(), node.path) != built_.switched_off.end();
  }

  // Values for kinds of objects that are not below `prefix`. They may be switched off for a while: no error.
  void look_for_targets(const SetupNode& behavior, const std::string& prefix) {
    for (const ParamInfo& p : behavior.type->schema.params) {
      if (p.acts_on.empty() || find_value(behavior.values, p.name) == nullptr) continue;
      const auto& objects = built_.simulation->objects();
      const bool found = std::any_of(objects.begin(), objects.end(), [&](const auto& object) {
        return object->path().starts_with(prefix) &&
               std::any_of(p.acts_on.begin(), p.acts_on.end(), [&](ActsOn kind) { return is(*object, kind); });
      });
      if (found) continue;
      std::vector<std::string_view> kinds;
      for (const ActsOn kind : p.acts_on) kinds.push_back(to_string(kind));
      tell(Severity::warning, behavior.location, behavior.path + "." + p.name,
           fmt::format("has no effect: it is for {}, and there are none in its group or below; leave it out",
                       fmt::join(kinds, " and ")));
    }
  }

  // Values of channels that are outside what the parameter allows; the reader has checked those of the setup.
  void look_at_values(const SetupNode& node, const Object& object, const Varying& taken) {
    const auto look = [&](const ParamInfo& p, const Array* array, const char* of) {
      const std::string problem = array != nullptr ? channel_problem(p, *array, of) : "";
      if (!problem.empty())
        tell(
            Severity::error, node.location, node.path,
            fmt::format("the channel '{}' of its input, {}; mend the file, or leave the channel out", p.name, problem));
      return problem.empty();
    };
    const auto* particles = dynamic_cast<const ParticleObject*>(&object);
    const auto* curves = dynamic_cast<const CurvesObject*>(&object);
    for (const auto& [name, declarations] : taken)
      for (const ParamInfo* p : declarations) {
        bool good = true;
        if (particles != nullptr) good = look(*p, particles->input_channel(name), "point");
        if (curves != nullptr)
          good = look(*p, curves->curves().vertices.find(name), "vertex") &&
                 look(*p, curves->curves().strands.find(name), "strand");
        if (!good) break;
      }
  }

  void look_at(const SetupNode& object, Varying taken) {
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
    look_at_values(object, **built, taken);
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
