#include "ymir/setup/tree_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ymir/base/suggest.h"

namespace ymir {
namespace {

using Kind = YamlNode::Kind;

// A node whose parameters wait until all groups are known, because parameters may name groups.
struct Draft {
  SetupNode node;
  const YamlNode* params = nullptr;
  std::vector<Draft> children;
};

// Group names become parts of paths in caches and messages.
bool is_group_name(std::string_view name) {
  const auto allowed = [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || u == '_' ||
           u == '-' || u == ' ';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), allowed);
}

class TreeReader {
 public:
  TreeReader(const Registry& registry, KnownNames& known, Reporter& report)
      : registry_(registry), known_(known), report_(report), values_(report, known) {}

  std::vector<Draft> drafts(const YamlNode& list, const std::string& parent) {
    std::vector<Draft> result;
    if (list.kind == Kind::null) return result;
    if (list.kind != Kind::sequence) {
      report_.error(list.at, parent.empty() ? "setup" : parent, "expected a list of '- behavior: {...}' lines");
      return result;
    }
    std::map<std::string, int> used;
    for (const YamlNode& item : list.items)
      if (auto read = draft(item, parent, used)) result.push_back(std::move(*read));
    return result;
  }

  SetupNode finish(Draft draft) {
    SetupNode node = std::move(draft.node);
    if (draft.params) {
      node.values = values_.read(*draft.params, node.type->schema, node.path, {"enabled"});
      if (const YamlNode* inside = draft.params->find("enabled"))
        if (const auto enabled = values_.read_bool(*inside, node.path + ".enabled")) node.enabled &= *enabled;
    } else if (node.type) {
      YamlNode nothing;
      nothing.at = node.location;
      node.values = values_.read(nothing, node.type->schema, node.path);
    }
    for (Draft& child : draft.children) node.children.push_back(finish(std::move(child)));
    warn_of_doubles(node);
    return node;
  }

 private:
  void warn_of_doubles(const SetupNode& group) {
    std::set<std::string> seen;
    for (const SetupNode& child : group.children) {
      const bool alone = child.is_group || child.type->schema.once;
      if (!child.enabled || !alone || seen.insert(child.name).second) continue;
      report_.warning(child.location, child.path,
                      child.is_group
                          ? fmt::format("another group '{}' stands beside it; give it a name of its own, "
                                        "messages and caches call it '{}'",
                                        child.name, child.path)
                          : fmt::format("the same group has {} already{}; leave one of them out", child.name,
                                        child.type->schema.category == Category::material ? "" : ", and both count"));
    }
  }

  std::optional<Draft> draft(const YamlNode& item, const std::string& parent, std::map<std::string, int>& used) {
    const std::string place = parent.empty() ? "setup" : parent;
    if (item.kind == Kind::scalar) return behavior(item.text, item.at, nullptr, parent, used);
    if (item.kind != Kind::map || item.entries.empty()) {
      report_.error(item.at, place, "expected '- behavior: {...}' or '- group: Name'");
      return std::nullopt;
    }
    std::optional<Draft> result = item.find("group") ? group(item, parent, used) : leaf(item, parent, used);
    if (result) result->node.location = item.at;
    if (const YamlNode* enabled = item.find("enabled")) {
      const auto read = values_.read_bool(*enabled, (result ? result->node.path : place) + ".enabled");
      if (result && read) result->node.enabled = *read;
    }
    return result;
  }

  std::optional<Draft> leaf(const YamlNode& item, const std::string& parent, std::map<std::string, int>& used) {
    const YamlEntry* chosen = nullptr;
    for (const YamlEntry& entry : item.entries) {
      if (entry.key == "enabled") continue;
      if (chosen) {
        report_.error(entry.at, parent.empty() ? "setup" : parent,
                      fmt::format("{} stands in the same list item as {}; begin its line with '- '", shown(entry.key),
                                  shown(chosen->key)));
        continue;
      }
      chosen = &entry;
    }
    if (!chosen) {
      report_.error(item.at, parent.empty() ? "setup" : parent, "the list item names no behavior");
      return std::nullopt;
    }
    return behavior(chosen->key, chosen->at, &chosen->value, parent, used);
  }

  std::optional<Draft> behavior(const std::string& name, Location at, const YamlNode* params, const std::string& parent,
                                std::map<std::string, int>& used) {
    const BehaviorType* type = registry_.find(name);
    if (!type) {
      std::vector<std::string> names;
      for (const BehaviorType& t : registry_.all()) names.push_back(t.schema.name);
      names.emplace_back("group");
      const std::string remedy = name == "group" ? "write '- group: Name'" : suggest(name, names);
      report_.error(at, parent.empty() ? "setup" : parent, fmt::format("unknown behavior {}; {}", shown(name), remedy));
      return std::nullopt;
    }
    Draft result;
    result.node.name = name;
    result.node.path = unique_path(name, parent, used);
    result.node.location = at;
    result.node.type = type;
    result.params = params;
    return result;
  }

  std::optional<Draft> group(const YamlNode& item, const std::string& parent, std::map<std::string, int>& used) {
    const YamlNode& name = *item.find("group");
    const std::string place = parent.empty() ? "setup" : parent;
    if (name.kind != Kind::scalar || !is_group_name(name.text)) {
      report_.error(name.at, place, "a group needs a name of letters, digits, spaces, '_' and '-', at most 64 of them");
      return std::nullopt;
    }
    Draft result;
    result.node.is_group = true;
    result.node.name = name.text;
    result.node.path = unique_path(name.text, parent, used);
    known_.groups.push_back({result.node.name, result.node.path});
    for (const YamlEntry& entry : item.entries)
      if (entry.key != "group" && entry.key != "with" && entry.key != "enabled")
        report_.error(entry.at, result.node.path,
                      fmt::format("unknown key {} of a group; {}", shown(entry.key),
                                  registry_.find(entry.key) ? "put behaviors under 'with:'"
                                                            : suggest(entry.key, {"with", "enabled"})));
    if (const YamlNode* children = item.find("with")) result.children = drafts(*children, result.node.path);
    return result;
  }

  static std::string unique_path(const std::string& name, const std::string& parent, std::map<std::string, int>& used) {
    const int count = ++used[name];
    const std::string own = count == 1 ? name : fmt::format("{}#{}", name, count);
    return parent.empty() ? own : parent + "/" + own;
  }

  const Registry& registry_;
  KnownNames& known_;
  Reporter& report_;
  ValueReader values_;
};

}  // namespace

SetupNode read_tree(const YamlNode& section, const Registry& registry, KnownNames& known, Reporter& report) {
  TreeReader reader(registry, known, report);
  Draft root;
  root.node.is_group = true;
  root.node.location = section.at;
  root.children = reader.drafts(section, "");
  return reader.finish(std::move(root));
}

}  // namespace ymir
