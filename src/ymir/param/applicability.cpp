#include "ymir/param/applicability.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/check.h"
#include "ymir/param/schema_info.h"

namespace ymir {
namespace {

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

// As a condition writes it; "" for what is unset.
std::string word_of(const ParamValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const std::string* name = std::get_if<std::string>(&value)) return *name;
  return "";
}

bool says_something(const ParamValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return false;
  if (const std::string* text = std::get_if<std::string>(&value)) return !text->empty();
  if (const auto* items = std::get_if<std::vector<ParamValues>>(&value)) return !items->empty();
  return true;
}

const ParamValue& value_of(const SchemaInfo& schema, const std::string& name, const ParamValues& given) {
  const ParamValue* found = find_value(given, name);
  return found != nullptr ? *found : schema.find(name)->default_value;
}

bool counts(const SchemaInfo& schema, const std::string& name, const ParamValues& given) {
  const ParamValue* found = find_value(given, name);
  return found != nullptr && says_something(*found) && no_effect(schema, *schema.find(name), given).empty();
}

std::string unmet(const SchemaInfo& schema, const Condition& condition, const ParamValues& given) {
  const auto counted = std::find_if(condition.params.begin(), condition.params.end(),
                                    [&](const std::string& name) { return counts(schema, name, given); });
  if (condition.asks == Condition::Asks::given && counted == condition.params.end())
    return fmt::format("has no effect without {}; leave it out", list_of(condition.params));
  if (condition.asks == Condition::Asks::absent && counted != condition.params.end())
    return fmt::format("has no effect beside {}; leave one of them out", *counted);
  if (condition.asks != Condition::Asks::value) return "";
  const std::string& name = condition.params.front();
  const std::string word = word_of(value_of(schema, name, given));
  if (std::find(condition.values.begin(), condition.values.end(), word) != condition.values.end()) return "";
  const bool chosen = find_value(given, name) != nullptr;
  const std::string now =
      word.empty() ? "without " + name : fmt::format("with {}: {}{}", name, word, chosen ? "" : " (the default)");
  return fmt::format("has no effect {}; leave it out, or give {}: {}", now, name, list_of(condition.values));
}

}  // namespace

std::string_view to_string(ActsOn target) {
  switch (target) {
    case ActsOn::particles: return "particles";
    case ActsOn::strands: return "strands";
    case ActsOn::solids: return "solids";
    case ActsOn::cloth: return "cloth";
    case ActsOn::gas: return "gas";
  }
  return "";
}

std::string no_effect(const SchemaInfo& schema, const ParamInfo& param, const ParamValues& given) {
  const ParamValue* value = find_value(given, param.name);
  if (value == nullptr || !says_something(*value)) return "";
  for (const Condition& condition : param.only_when)
    if (std::string problem = unmet(schema, condition, given); !problem.empty()) return problem;
  return "";
}

std::string applies_text(const ParamInfo& param) {
  std::string text;
  for (const Condition& condition : param.only_when) {
    text += text.empty() ? "" : ", ";
    switch (condition.asks) {
      case Condition::Asks::value:
        text += fmt::format("for {}: {}", condition.params.front(), list_of(condition.values));
        break;
      case Condition::Asks::given: text += "with " + list_of(condition.params); break;
      case Condition::Asks::absent: text += "without " + list_of(condition.params); break;
    }
  }
  return text;
}

void check_conditions(const SchemaInfo& schema) {
  for (const ParamInfo& p : schema.params)
    for (const Condition& condition : p.only_when) {
      YMIR_CHECK(!condition.params.empty());
      for (const std::string& name : condition.params) YMIR_CHECK(name != p.name && schema.find(name) != nullptr);
      if (condition.asks != Condition::Asks::value) continue;
      const ParamInfo& other = *schema.find(condition.params.front());
      YMIR_CHECK(condition.params.size() == 1 && !condition.values.empty());
      for (const std::string& value : condition.values)
        YMIR_CHECK(other.type == ParamType::boolean
                       ? value == "true" || value == "false"
                       : std::find(other.choices.begin(), other.choices.end(), value) != other.choices.end());
    }
}

}  // namespace ymir
