#include "ymir/setup/json_schema.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "ymir/param/time_params.h"
#include "ymir/setup/input_params.h"
#include "ymir/setup/output_params.h"

namespace ymir {
namespace {

using Json = nlohmann::ordered_json;  // keys in declared order: the text is the same every time

// A number and perhaps a unit; dimensions are beyond a pattern and left to the reader.
constexpr const char* quantity_pattern =
    R"(^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?(\s*[^0-9\s].*|\s+1/.*)?$)";

Json to_json(const ParamInfo& info, const ParamValue& value) {
  struct Visitor {
    const ParamInfo& info;
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool v) const { return v; }
    Json operator()(std::int64_t v) const { return v; }
    Json operator()(double v) const { return v; }
    Json operator()(const Vec3d& v) const { return Json::array({v.x, v.y, v.z}); }
    Json operator()(const std::string& v) const { return v; }
    Json operator()(const std::vector<double>& v) const { return v; }
    Json operator()(const FrameRange& v) const { return Json::array({v.first, v.last}); }
    Json operator()(const ParamValues& v) const {
      Json object = Json::object();
      for (const NamedValue& item : v.items) object[item.name] = to_json(*info.fields->find(item.name), item.value);
      return object;
    }
    Json operator()(const std::vector<ParamValues>& v) const {
      Json list = Json::array();
      for (const ParamValues& item : v) list.push_back((*this)(item));
      return list;
    }
  };
  return std::visit(Visitor{info}, value);
}

Json bounded(Json number, const ParamInfo& info) {
  if (std::isfinite(info.low)) number[info.low_excluded ? "exclusiveMinimum" : "minimum"] = info.low;
  if (std::isfinite(info.high)) number["maximum"] = info.high;
  return number;
}

Json quantity(const ParamInfo& info) {
  return {{"anyOf",
           Json::array({bounded({{"type", "number"}}, info), {{"type", "string"}, {"pattern", quantity_pattern}}})}};
}

Json list_of(Json items, int count) {
  Json list{{"type", "array"}, {"items", std::move(items)}};
  if (count > 0) list["minItems"] = list["maxItems"] = count;
  return list;
}

// `within`: names of the structs around it, as channels of nested parameters carry them (param/varying_params.h).
Json object_of(const SchemaInfo& schema, const std::string& within = "");

Json type_of(const ParamInfo& info, const std::string& within) {
  switch (info.type) {
    case ParamType::boolean: return {{"type", "boolean"}};
    case ParamType::integer: return bounded({{"type", "integer"}}, info);
    case ParamType::real: return quantity(info);
    case ParamType::vector: return list_of(quantity(info), 3);
    case ParamType::list: return list_of(quantity(info), 0);
    case ParamType::text:
    case ParamType::input:
    case ParamType::group: return {{"type", "string"}, {"minLength", 1}};
    case ParamType::choice: return {{"enum", info.choices}};
    case ParamType::frames: return list_of(bounded({{"type", "integer"}}, info), 2);
    case ParamType::nested: return object_of(*info.fields, within + info.name + "_");
    case ParamType::items: return list_of(object_of(*info.fields), 0);
  }
  return {};
}

std::string description(const ParamInfo& info, const std::string& within) {
  std::string text = info.doc;
  if (!info.unit.symbol.empty()) text += " [" + std::string(info.unit.symbol) + "]";
  if (const std::string where = applies_text(info); !where.empty()) text += " Only " + where + ".";
  if (info.varying)
    text += within.empty() ? " A data channel of this name overrides it."
                           : " A data channel " + within + info.name + " overrides it.";
  return text;
}

Json property(const ParamInfo& info, const std::string& within) {
  Json type = type_of(info, within);
  if (info.optional) type = {{"anyOf", Json::array({{{"type", "null"}}, type})}};
  Json result = std::move(type);
  result["description"] = description(info, within);
  const auto* text = std::get_if<std::string>(&info.default_value);
  if (!info.required && (!text || !text->empty())) result["default"] = to_json(info, info.default_value);
  return result;
}

Json object_of(const SchemaInfo& schema, const std::string& within) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ParamInfo& p : schema.params) {
    properties[p.name] = property(p, within);
    for (const std::string& old : p.old_names) {
      properties[old] = property(p, within);
      properties[old]["deprecated"] = true;
    }
    // The old name is as good, so only a parameter without one can be demanded.
    if (p.required && p.old_names.empty()) required.push_back(p.name);
  }
  Json result{{"type", "object"},
              {"description", schema.doc},
              {"properties", std::move(properties)},
              {"additionalProperties", false}};
  if (!required.empty()) result["required"] = std::move(required);
  return result;
}

// Nothing (null) reads as an empty map, where nothing is required.
Json map_or_nothing(Json object) {
  if (object.contains("required")) return object;
  object["type"] = Json::array({"object", "null"});
  return object;
}

Json inputs(const Registry& registry) {
  Json input = object_of(InputParams::schema().info());
  const SchemaInfo varying = registry.varying_parameters();
  Json& overrides = input["properties"]["overrides"] = object_of(varying);
  for (const ParamInfo& parameter : varying.params)
    if (parameter.type == ParamType::real) {
      Json& value = overrides["properties"][parameter.name];
      value = {{"anyOf", Json::array({value, object_of(painting_schema(parameter))})}};
    }
  Json one_kind = Json::array();
  for (const InputSource& source : input_sources()) one_kind.push_back({{"required", Json::array({source.parameter})}});
  input["oneOf"] = std::move(one_kind);
  return {{"type", Json::array({"object", "null"})},
          {"description", "Geometry and volumes, from files or made, by name."},
          {"additionalProperties", std::move(input)}};
}

Json group_node() {
  return {{"type", "object"},
          {"description", "A scope: its behaviors act on the objects in it and below."},
          {"properties",
           {{"group", {{"type", "string"}, {"pattern", "^[^/#.]{1,64}$"}}},
            {"with", {{"$ref", "#/$defs/nodes"}}},
            {"enabled", {{"type", "boolean"}, {"default", true}}}}},
          {"required", Json::array({"group"})},
          {"additionalProperties", false}};
}

Json behavior_node(const SchemaInfo& schema) {
  return {{"type", "object"},
          {"properties",
           {{schema.name, {{"$ref", "#/$defs/behavior_" + schema.name}}},
            {"enabled", {{"type", "boolean"}, {"default", true}}}}},
          {"required", Json::array({schema.name})},
          {"additionalProperties", false}};
}

std::string_view name_of(ParamType type) {
  switch (type) {
    case ParamType::boolean: return "boolean";
    case ParamType::integer: return "integer";
    case ParamType::real: return "real";
    case ParamType::vector: return "vector";
    case ParamType::text: return "text";
    case ParamType::choice: return "choice";
    case ParamType::list: return "list";
    case ParamType::input: return "input";
    case ParamType::group: return "group";
    case ParamType::frames: return "frames";
    case ParamType::nested: return "nested";
    case ParamType::items: return "items";
  }
  return "";
}

// What must hold for a parameter to count: {"param", "values"}, {"given"} or {"absent"}, all of the list.
Json conditions_of(const ParamInfo& info) {
  Json list = Json::array();
  for (const Condition& condition : info.only_when) switch (condition.asks) {
      case Condition::Asks::value:
        list.push_back({{"param", condition.params.front()}, {"values", condition.values}});
        break;
      case Condition::Asks::given: list.push_back({{"given", condition.params}}); break;
      case Condition::Asks::absent: list.push_back({{"absent", condition.params}}); break;
    }
  return list;
}

// Bounds and defaults in SI units.
Json parameters_of(const SchemaInfo& schema) {
  Json list = Json::array();
  for (const ParamInfo& info : schema.params) {
    Json entry{{"name", info.name},         {"type", name_of(info.type)},
               {"unit", info.unit.symbol},  {"varying", info.varying},
               {"optional", info.optional}, {"required", info.required},
               {"advanced", info.advanced}, {"doc", info.doc}};
    if (std::isfinite(info.low)) entry["low"] = info.low;
    if (std::isfinite(info.low) && info.low_excluded) entry["low_excluded"] = true;
    if (std::isfinite(info.high)) entry["high"] = info.high;
    if (!info.choices.empty()) entry["choices"] = info.choices;
    if (!info.required) entry["default"] = to_json(info, info.default_value);
    if (!info.only_when.empty()) entry["only_when"] = conditions_of(info);
    for (const ActsOn target : info.acts_on) entry["acts_on"].push_back(to_string(target));
    if (info.fields) entry["fields"] = parameters_of(*info.fields);
    list.push_back(std::move(entry));
  }
  return list;
}

Json channels_of(const BehaviorType& type) {
  Json list = Json::array();
  for (const ChannelInfo& c : type.channels)
    list.push_back({{"name", c.name},
                    {"place", name_of(c.place)},
                    {"type", type_text(c.type, 1)},
                    {"components", c.components},
                    {"unit", c.unit},
                    {"doc", c.doc},
                    {"shown", c.shown},
                    {"kept", c.kept},
                    {"writable", c.writable}});
  return list;
}

}  // namespace

std::string describe_json(const Registry& registry) {
  Json behaviors = Json::array();
  for (const BehaviorType& type : registry.all())
    behaviors.push_back({{"name", type.schema.name},
                         {"category", to_string(type.schema.category)},
                         {"doc", type.schema.doc},
                         {"example", type.schema.example},
                         {"parameters", parameters_of(type.schema)},
                         {"channels", channels_of(type)}});
  const Json all{{"behaviors", std::move(behaviors)},
                 {"time", parameters_of(TimeParams::schema().info())},
                 {"inputs", parameters_of(InputParams::schema().info())},
                 {"outputs", parameters_of(OutputParams::schema().info())}};
  return all.dump(2) + "\n";
}

std::string json_schema(const Registry& registry) {
  Json definitions = Json::object();
  Json bare = Json::array();
  Json kinds = Json::array({group_node()});
  for (const BehaviorType& type : registry.all()) {
    Json params = object_of(type.schema);
    params["properties"]["enabled"] = {{"type", "boolean"}, {"default", true}};
    if (!params.contains("required")) bare.push_back(type.schema.name);
    definitions["behavior_" + type.schema.name] = map_or_nothing(std::move(params));
    kinds.push_back(behavior_node(type.schema));
  }
  if (!bare.empty()) kinds.push_back({{"enum", std::move(bare)}});
  definitions["node"] = {{"oneOf", std::move(kinds)}};
  definitions["nodes"] = {{"type", Json::array({"array", "null"})}, {"items", {{"$ref", "#/$defs/node"}}}};
  Json properties{{"ymir", {{"const", 1}, {"description", "Version of the format."}}},
                  {"time", map_or_nothing(object_of(TimeParams::schema().info()))},
                  {"inputs", inputs(registry)},
                  {"setup", {{"$ref", "#/$defs/nodes"}}},
                  {"outputs", map_or_nothing(object_of(OutputParams::schema().info()))}};
  const Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "Ymir Solver Setup"},
                    {"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", Json::array({"ymir", "setup"})},
                    {"additionalProperties", false},
                    {"$defs", std::move(definitions)}};
  return schema.dump(2) + "\n";
}

}  // namespace ymir
