#include "ymir/setup/unread_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ymir/behaviors/generated_input.h"
#include "ymir/behaviors/register.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/objects/particle_object.h"
#include "ymir/objects/rigid_object.h"
#include "ymir/objects/super_helix_object.h"
#include "ymir/objects/volume_object.h"
#include "ymir/param/varying_params.h"
#include "ymir/setup/channel_range.h"

namespace ymir {
namespace {

using Names = std::set<std::string, std::less<>>;

// What the behaviors around an object take from its strands, or from its particles.
struct Readers {
  std::map<std::string, std::vector<ParamInfo>, std::less<>> taken;  // by channel, as each of them declares it
  std::map<std::string, std::string, std::less<>> idle;              // why one does not look at a channel it declares
  std::map<std::string, std::string, std::less<>> fixed;             // who has a parameter that data does not override
  bool nothing = false;  // the object takes no values of data, whatever acts on it
};
struct AllReaders {
  Readers particles, strands, solids, cloth;
  Readers& of(ActsOn kind) {
    return kind == ActsOn::strands  ? strands
           : kind == ActsOn::solids ? solids
           : kind == ActsOn::cloth  ? cloth
                                    : particles;
  }
};

// What is declared for no kind is for particles and strands.
bool is_for(const ParamInfo& p, ActsOn kind) {
  return p.acts_on.empty() ? kind == ActsOn::particles || kind == ActsOn::strands
                           : std::find(p.acts_on.begin(), p.acts_on.end(), kind) != p.acts_on.end();
}

void add_readers(const SetupNode& node, const Behavior& behavior, ActsOn kind, Readers& to) {
  const std::vector<Behavior::Unused> unused = behavior.unused(kind);
  for (const ParamInfo& p : node.type->schema.params)
    if (!p.varying && (p.type == ParamType::real || p.type == ParamType::vector))
      to.fixed.try_emplace(p.name, node.path);
  for (ParamInfo& p : varying_params(node.type->schema)) {
    const auto idle =
        std::find_if(unused.begin(), unused.end(), [&](const Behavior::Unused& u) { return u.channel == p.name; });
    if (idle != unused.end())
      to.idle[p.name] = fmt::format("{} does not use it: {}", node.path, idle->remedy);
    else if (is_for(p, kind))
      to.taken[p.name].push_back(std::move(p));
    else
      to.idle.try_emplace(p.name,
                          fmt::format("{} does not take it from {}: give it there", node.path, to_string(kind)));
  }
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
  if (const auto* solid = dynamic_cast<const MeshObject*>(&object))
    for (const Channels* channels : {&solid->mesh().vertices, &solid->mesh().elements})
      for (const auto& [name, array] : channels->all()) names.insert(name);
  return names;
}

bool is(const Object& object, ActsOn kind) {
  switch (kind) {
    case ActsOn::particles: return dynamic_cast<const ParticleObject*>(&object) != nullptr;
    case ActsOn::strands:
      return dynamic_cast<const CurvesObject*>(&object) != nullptr ||
             dynamic_cast<const SuperHelixObject*>(&object) != nullptr;
    case ActsOn::solids:
      return dynamic_cast<const MeshObject*>(&object) != nullptr ||
             dynamic_cast<const RigidObject*>(&object) != nullptr ||
             dynamic_cast<const ElastonObject*>(&object) != nullptr;
    case ActsOn::cloth: {
      const auto* mesh = dynamic_cast<const MeshObject*>(&object);
      return mesh != nullptr && mesh->cloth();
    }
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
      if ((!input.overrides.items.empty() || !input.painted.empty()) && !seen_.contains(input.name))
        tell(Severity::error, {}, "inputs." + input.name + ".overrides",
             "no object takes them: only the inputs of a particle_object, curves_object, solid_object or cloth_object "
             "have "
             "overrides; leave them out");
    tell_unused_inputs();
    return std::move(found_);
  }

 private:
  // Texts of values, those that name inputs among them.
  static void collect(const ParamValues& values, Names& texts) {
    for (const NamedValue& item : values.items) {
      if (const auto* text = std::get_if<std::string>(&item.value)) texts.insert(*text);
      if (const auto* nested = std::get_if<ParamValues>(&item.value)) collect(*nested, texts);
      if (const auto* list = std::get_if<std::vector<ParamValues>>(&item.value))
        for (const ParamValues& one : *list) collect(one, texts);
    }
  }
  static void collect(const SetupNode& node, Names& texts) {
    collect(node.values, texts);
    for (const SetupNode& child : node.children) collect(child, texts);
  }

  // Behaviors that are switched off count: they may come back.
  void tell_unused_inputs() {
    Names texts;
    collect(setup_.root, texts);
    if (setup_.outputs.hairs) texts.insert(setup_.outputs.hairs->groom);
    for (const InputSpec& input : setup_.inputs) {
      collect(input.recipe, texts);
      for (const PaintedOverride& painted : input.painted) texts.insert(painted.surface.name);
    }
    for (const InputSpec& input : setup_.inputs)
      if (!texts.contains(input.name))
        tell(Severity::warning, {}, "inputs." + input.name,
             "no behavior uses it; name it where it belongs, or leave it out");
  }

  // `above`: what the behaviors of the groups around take from objects.
  void visit(const SetupNode& group, AllReaders above) {
    for (const SetupNode& child : group.children) {
      if (!child.enabled || child.is_group || child.type->schema.category == Category::object || is_off(child))
        continue;
      const auto behavior = child.type->create(child.values);
      for (const ActsOn kind : {ActsOn::particles, ActsOn::strands, ActsOn::solids, ActsOn::cloth})
        add_readers(child, *behavior, kind, above.of(kind));
    }
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

  // Whose values are read: of rigid bodies, plants and super-helices none, but for those of their own object.
  static std::optional<ActsOn> kind_of(const Object* object) {
    if (dynamic_cast<const CurvesObject*>(object) != nullptr) return ActsOn::strands;
    if (const auto* mesh = dynamic_cast<const MeshObject*>(object); mesh != nullptr)
      return mesh->cloth() ? ActsOn::cloth : ActsOn::solids;
    if (dynamic_cast<const RigidObject*>(object) != nullptr || dynamic_cast<const ElastonObject*>(object) != nullptr ||
        dynamic_cast<const SuperHelixObject*>(object) != nullptr)
      return std::nullopt;
    return ActsOn::particles;
  }

  void look_at(const SetupNode& node, AllReaders above) {
    const auto built = std::find_if(built_.simulation->objects().begin(), built_.simulation->objects().end(),
                                    [&](const auto& o) { return o->path() == node.path; });
    const Object* object = built != built_.simulation->objects().end() ? built->get() : nullptr;
    Readers readers;
    if (const auto kind = kind_of(object)) {
      readers = above.of(*kind);
      add_readers(node, *node.type->create(node.values), *kind, readers);
    } else if (dynamic_cast<const ElastonObject*>(object) != nullptr) {
      readers.nothing = true;
      readers.taken["radius"];  // of branches
    } else if (dynamic_cast<const SuperHelixObject*>(object) != nullptr) {
      for (const char* own : {"radius", "density", "flattening"}) readers.taken[own];
    } else {
      readers.nothing = object != nullptr;
    }
    Names overridden;
    std::string file;
    for (const ParamInfo& p : node.type->schema.params) {
      if (p.type != ParamType::input) continue;
      const ParamValue* value = find_value(node.values, p.name);
      const std::string* name = value != nullptr ? std::get_if<std::string>(value) : nullptr;
      // Guides bring along what their curves have.
      for (const InputSpec* input = name != nullptr ? setup_.find_input(*name) : nullptr; input != nullptr;) {
        seen_.insert(input->name);
        if (!input->path.empty()) file = input->path.string();
        for (const std::string& parameter : overrides_of(*input))
          if (overridden.insert(parameter).second && !readers.taken.contains(parameter))
            refuse_override(node, readers, *input, parameter);
        const auto guides = guides_recipe(input->recipe);
        input = guides ? setup_.find_input(guides->of) : nullptr;
      }
    }
    if (object != nullptr) look_at_channels(node, *object, readers, overridden, file);
  }

  static Names overrides_of(const InputSpec& input) {
    Names names;
    for (const NamedValue& item : input.overrides.items) names.insert(item.name);
    for (const PaintedOverride& painted : input.painted) names.insert(painted.parameter);
    return names;
  }

  void refuse_override(const SetupNode& node, const Readers& readers, const InputSpec& input,
                       const std::string& parameter) {
    const auto idle = readers.idle.find(parameter);
    if (readers.nothing)
      return tell(
          Severity::error, node.location, node.path,
          fmt::format("the override '{}' of its input '{}' does nothing: {} takes no values from its input; give "
                      "it in the setup, and leave the override out",
                      parameter, input.name, node.type->schema.name));
    tell(Severity::error, node.location, node.path,
         idle != readers.idle.end()
             ? fmt::format("the override '{}' of its input '{}' does nothing, as {}, or leave the override out",
                           parameter, input.name, idle->second)
             : fmt::format("the override '{}' of its input '{}' is taken by no behavior that acts on it; add one with "
                           "that parameter to its group, or leave the override out",
                           parameter, input.name));
  }

  void look_at_channels(const SetupNode& node, const Object& object, const Readers& readers, const Names& overridden,
                        const std::string& file) {
    for (const std::string& name : channels_of(object)) {
      if (const auto taken = readers.taken.find(name); taken != readers.taken.end()) {
        for (const ParamInfo& parameter : taken->second)
          if (const std::string problem = channel_problem(object, parameter); !problem.empty()) {
            tell(Severity::error, node.location, node.path, file.empty() ? problem : file + ": " + problem);
            break;
          }
        continue;
      }
      const auto idle = readers.idle.find(name);
      const auto fixed = readers.fixed.find(name);
      if (idle == readers.idle.end() && fixed != readers.fixed.end() &&
          dynamic_cast<const MeshObject*>(&object) != nullptr) {
        tell(Severity::warning, node.location, node.path,
             fmt::format("the channel '{}' of its input does nothing: {}.{} is one value for all of it; give it there, "
                         "or remove the channel",
                         name, fixed->second, name));
        continue;
      }
      if (!parameters_.contains(name) || overridden.contains(name)) continue;
      if (idle != readers.idle.end())
        tell(Severity::error, node.location, node.path,
             fmt::format("the channel '{}' of its input does nothing, as {}, or remove the channel", name,
                         idle->second));
      else
        tell(Severity::warning, node.location, node.path,
             fmt::format("the channel '{}' of its input has the name of a parameter, but no behavior that acts on it "
                         "takes it",
                         name));
    }
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
