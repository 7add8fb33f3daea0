#include "ymir/setup/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "ymir/base/suggest.h"

namespace ymir {
namespace {

using Kind = YamlNode::Kind;

// What a node is, for "expected ..., got ...".
std::string seen(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null: return "nothing";
    case Kind::scalar: return node.quoted ? "the text " + shown(node.text) : shown(node.text);
    case Kind::sequence: return fmt::format("a list of {}", node.items.size());
    case Kind::map: return "a map {...}";
  }
  return "";
}

std::string in_unit(const Unit& unit, std::string_view number) {
  if (unit.symbol.empty()) return fmt::format("write a number alone, such as {}", number);
  return fmt::format("write it in {}, such as {} {}", unit.symbol, number, unit.symbol);
}

// The number that a quantity begins with, to show it with the right unit.
std::string leading_number(const std::string& text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool usable = status == std::errc() && std::isfinite(number) && end - text.data() <= 24;
  return usable ? std::string(text.data(), end) : "1.5";
}

std::vector<std::string> names_of(const SchemaInfo& schema, const std::vector<std::string>& reserved) {
  std::vector<std::string> names;
  for (const ParamInfo& p : schema.params) names.push_back(p.name);
  names.insert(names.end(), reserved.begin(), reserved.end());
  return names;
}

const ParamInfo* find_renamed(const SchemaInfo& schema, const std::string& key) {
  for (const ParamInfo& p : schema.params)
    if (std::find(p.old_names.begin(), p.old_names.end(), key) != p.old_names.end()) return &p;
  return nullptr;
}

std::string hint(const std::string& suggestion) { return suggestion.empty() ? "" : "; " + suggestion; }

}  // namespace

void Reporter::error(Location at, std::string path, std::string message) {
  diagnostics_.push_back({Severity::error, file_, at, std::move(path), std::move(message)});
}

void Reporter::warning(Location at, std::string path, std::string message) {
  diagnostics_.push_back({Severity::warning, file_, at, std::move(path), std::move(message)});
}

ParamValues ValueReader::read(const YamlNode& node, const SchemaInfo& schema, const std::string& path,
                              const std::vector<std::string>& reserved) {
  ParamValues values;
  if (node.kind != Kind::map && node.kind != Kind::null) {
    wrong(node, path, fmt::format("expected parameters such as {{name: value}}, got {}", seen(node)));
    return values;
  }
  std::vector<const ParamInfo*> given;
  std::vector<std::pair<const ParamInfo*, Location>> conditional;
  bool understood = true;
  for (const YamlEntry& entry : node.entries) {
    if (std::find(reserved.begin(), reserved.end(), entry.key) != reserved.end()) continue;
    const ParamInfo* info = schema.find(entry.key);
    if (!info) {
      info = find_renamed(schema, entry.key);
      if (info)
        report_.warning(entry.at, path + "." + entry.key, fmt::format("renamed; write '{}'", info->name));
      else
        report_.error(entry.at, path,
                      fmt::format("unknown parameter {}{}", shown(entry.key),
                                  hint(suggest(entry.key, names_of(schema, reserved)))));
    }
    understood = understood && info;
    if (!info) continue;
    if (std::find(given.begin(), given.end(), info) != given.end()) {
      report_.error(entry.at, path, fmt::format("'{}' is given under its old and its new name; keep one", info->name));
      continue;
    }
    given.push_back(info);
    if (!info->only_when.empty()) conditional.emplace_back(info, entry.at);
    if (auto read = value(entry.value, *info, path + "." + info->name))
      values.items.push_back({info->name, std::move(*read)});
    else
      understood = false;
  }
  // Where a name or a value was not understood, what follows from its absence would mislead.
  if (understood)
    for (const auto& [info, at] : conditional)
      if (const std::string problem = no_effect(schema, *info, values); !problem.empty())
        report_.error(at, path + "." + info->name, problem);
  for (const ParamInfo& p : schema.params)
    if (p.required && std::find(given.begin(), given.end(), &p) == given.end())
      report_.error(node.at, path, fmt::format("the parameter '{}' is required: {}", p.name, p.doc));
  return values;
}

std::optional<ParamValue> ValueReader::value(const YamlNode& node, const ParamInfo& info, const std::string& path) {
  if (node.kind == Kind::null && info.optional) return ParamValue();
  std::optional<ParamValue> result;
  switch (info.type) {
    case ParamType::boolean: result = read_bool(node, path); break;
    case ParamType::integer: result = integer(node, path); break;
    case ParamType::real: result = real(node, info, path); break;
    case ParamType::vector:
      if (node.kind != Kind::sequence || node.items.size() != 3)
        return wrong(node, path, fmt::format("expected three numbers such as [0, 1, 0], got {}", seen(node)));
      if (const auto v = reals(node, info, path)) result = Vec3d{(*v)[0], (*v)[1], (*v)[2]};
      break;
    case ParamType::list:
      if (node.kind != Kind::sequence)
        return wrong(node, path, fmt::format("expected a list such as [1, 2], got {}", seen(node)));
      result = reals(node, info, path);
      break;
    case ParamType::text:
      if (!is_scalar(node, path, "a text")) return std::nullopt;
      result = node.text;
      break;
    case ParamType::choice: result = choice(node, info, path); break;
    case ParamType::input: result = input(node, info, path); break;
    case ParamType::group: result = group(node, path); break;
    case ParamType::frames: result = frames(node, path); break;
    case ParamType::nested: return read(node, *info.fields, path);
    case ParamType::items: return items(node, info, path);
  }
  if (!result) return std::nullopt;
  if (const std::string problem = range_problem(info, *result); !problem.empty()) return wrong(node, path, problem);
  return result;
}

std::optional<bool> ValueReader::read_bool(const YamlNode& node, const std::string& path) {
  if (node.kind == Kind::scalar && !node.quoted && node.text == "true") return true;
  if (node.kind == Kind::scalar && !node.quoted && node.text == "false") return false;
  return wrong(node, path, fmt::format("expected true or false, got {}", seen(node)));
}

std::optional<std::int64_t> ValueReader::integer(const YamlNode& node, const std::string& path) {
  if (node.kind == Kind::scalar && !node.quoted) {
    const char* const end = node.text.data() + node.text.size();
    const char* const begin = node.text.data() + (node.text.starts_with('+') ? 1 : 0);
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(begin, end, number);
    if (stop == end && status == std::errc()) return number;
    if (status == std::errc::result_out_of_range)
      return wrong(node, path, fmt::format("the number {} is too large", shown(node.text)));
    double real_number = 0;  // 2e5 is a whole number as well
    const auto [real_stop, real_status] = std::from_chars(begin, end, real_number);
    if (real_stop == end && real_status == std::errc() && std::abs(real_number) <= 0x1p53 &&
        real_number == std::floor(real_number))
      return static_cast<std::int64_t>(real_number);
  }
  return wrong(node, path, fmt::format("expected a whole number, got {}", seen(node)));
}

std::optional<double> ValueReader::real(const YamlNode& node, const ParamInfo& info, const std::string& path) {
  if (!is_scalar(node, path, std::string(info.unit.quantity))) return std::nullopt;
  const ParsedQuantity parsed = parse_quantity(node.text);
  if (!parsed.quantity)
    return wrong(node, path,
                 fmt::format("expected {}, got {}: {}; {}", info.unit.quantity, shown(node.text), parsed.error,
                             in_unit(info.unit, leading_number(node.text))));
  if (!fits(*parsed.quantity, info.unit))
    return wrong(node, path,
                 fmt::format("expected {}, got {}, {}; {}", info.unit.quantity, node.text.substr(0, 40),
                             quantity_name(parsed.quantity->dimension), in_unit(info.unit, leading_number(node.text))));
  return parsed.quantity->value;
}

std::optional<std::vector<double>> ValueReader::reals(const YamlNode& node, const ParamInfo& info,
                                                      const std::string& path) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (const auto number = real(node.items[i], info, fmt::format("{}[{}]", path, i))) numbers.push_back(*number);
  if (numbers.size() != node.items.size()) return std::nullopt;
  return numbers;
}

std::optional<ParamValue> ValueReader::items(const YamlNode& node, const ParamInfo& info, const std::string& path) {
  if (node.kind != Kind::sequence)
    return wrong(node, path, fmt::format("expected a list such as [{{name: value}}, ...], got {}", seen(node)));
  std::vector<ParamValues> read_items;
  for (std::size_t i = 0; i < node.items.size(); ++i)
    read_items.push_back(read(node.items[i], *info.fields, fmt::format("{}[{}]", path, i)));
  return read_items;
}

std::optional<ParamValue> ValueReader::frames(const YamlNode& node, const std::string& path) {
  if (node.kind != Kind::sequence || node.items.size() != 2)
    return wrong(node, path, fmt::format("expected the first and the last frame such as [1, 48], got {}", seen(node)));
  const auto first = integer(node.items[0], path + "[0]");
  const auto last = integer(node.items[1], path + "[1]");
  if (!first || !last) return std::nullopt;
  return FrameRange{*first, *last};
}

std::optional<ParamValue> ValueReader::choice(const YamlNode& node, const ParamInfo& info, const std::string& path) {
  const std::string expected = fmt::format("one of {}", fmt::join(info.choices, ", "));
  if (!is_scalar(node, path, expected)) return std::nullopt;
  if (std::find(info.choices.begin(), info.choices.end(), node.text) != info.choices.end()) return node.text;
  std::string message = fmt::format("expected {}, got {}", expected, seen(node));
  if (const std::string near = suggest(node.text, info.choices); near.starts_with("did")) message += "; " + near;
  return wrong(node, path, message);
}

std::optional<ParamValue> ValueReader::input(const YamlNode& node, const ParamInfo& info, const std::string& path) {
  if (!is_scalar(node, path, "the name of an input")) return std::nullopt;
  const auto found = std::find_if(known_.inputs.begin(), known_.inputs.end(),
                                  [&](const KnownNames::Input& entry) { return entry.name == node.text; });
  if (found == known_.inputs.end()) {
    std::vector<std::string> names;
    for (const KnownNames::Input& entry : known_.inputs) names.push_back(entry.name);
    return wrong(node, path,
                 fmt::format("no input {}{}", shown(node.text),
                             names.empty() ? "; declare it under 'inputs:'" : hint(suggest(node.text, names))));
  }
  const auto& accepts = info.accepts;
  if (found->kind && !accepts.empty() && std::find(accepts.begin(), accepts.end(), *found->kind) == accepts.end()) {
    std::vector<std::string_view> kinds;
    for (const InputKind kind : accepts) kinds.push_back(to_string(kind));
    return wrong(node, path,
                 fmt::format("the input '{}' is {}, expected {}", found->name, to_string(*found->kind),
                             fmt::join(kinds, " or ")));
  }
  return node.text;
}

std::optional<ParamValue> ValueReader::group(const YamlNode& node, const std::string& path) {
  if (!is_scalar(node, path, "the name of a group")) return std::nullopt;
  if (node.text == "/") return node.text;
  std::vector<std::string> named;
  for (const KnownNames::Group& entry : known_.groups) {
    if (entry.path == node.text) return entry.path;
    if (entry.name == node.text) named.push_back(entry.path);
  }
  if (named.size() == 1) return named.front();
  if (named.size() > 1)
    return wrong(node, path,
                 fmt::format("{} groups are called {}; write the path, one of {}", named.size(), shown(node.text),
                             fmt::join(named, ", ")));
  std::vector<std::string> names;
  for (const KnownNames::Group& entry : known_.groups) names.push_back(entry.name);
  return wrong(node, path, fmt::format("no group {}{}", shown(node.text), hint(suggest(node.text, names))));
}

bool ValueReader::is_scalar(const YamlNode& node, const std::string& path, const std::string& expected) {
  if (node.kind == Kind::scalar && !node.text.empty()) return true;
  wrong(node, path, fmt::format("expected {}, got {}", expected, seen(node)));
  return false;
}

std::nullopt_t ValueReader::wrong(const YamlNode& node, const std::string& path, const std::string& message) {
  report_.error(node.at, path, message);
  return std::nullopt;
}

}  // namespace ymir
