#include "ymir/param/schema_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/base/reach.h"
#include "ymir/param/codec.h"

namespace ymir {

std::string_view to_string(Category category) {
  switch (category) {
    case Category::section: return "section";
    case Category::object: return "object";
    case Category::force: return "force";
    case Category::material: return "material";
    case Category::constraint: return "constraint";
    case Category::operator_: return "operator";
  }
  return "";
}

const ParamInfo* SchemaInfo::find(std::string_view param) const {
  for (const ParamInfo& p : params)
    if (p.name == param) return &p;
  return nullptr;
}

void apply(const SchemaInfo& info, const ParamValues& values, void* params) {
  for (const NamedValue& item : values.items) {
    const ParamInfo* found = info.find(item.name);
    YMIR_CHECK(found != nullptr);
    found->set(params, item.value);
  }
}

ParamValues collect(const SchemaInfo& info, const void* params) {
  ParamValues values;
  for (const ParamInfo& p : info.params) values.items.push_back({p.name, p.get(params)});
  return values;
}

ParamValues resolved(const SchemaInfo& info, const ParamValues& values) {
  ParamValues all;
  for (const ParamInfo& p : info.params) {
    const ParamValue* given = find_value(values, p.name);
    ParamValue value = given ? *given : p.default_value;
    if (auto* nested = std::get_if<ParamValues>(&value)) *nested = resolved(*p.fields, *nested);
    if (auto* items = std::get_if<std::vector<ParamValues>>(&value))
      for (ParamValues& item : *items) item = resolved(*p.fields, item);
    all.items.push_back({p.name, std::move(value)});
  }
  return all;
}

namespace {

std::string with_unit(double value, const Unit& unit) {
  return unit.symbol.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, unit.symbol);
}

// The shortest text that reads back as the same number.
std::string exact(double value) { return fmt::format("{}", value); }

std::string number_problem(const ParamInfo& info, double value) {
  if (!std::isfinite(value)) return "must be finite";
  const bool low = info.low_excluded ? value <= info.low : value < info.low;
  if (low || value > info.high) return fmt::format("must be {}, got {}", range_text(info), with_unit(value, info.unit));
  if (info.type == ParamType::integer || info.type == ParamType::frames) return "";
  if (info.unit.dimension == unit::m.dimension && std::abs(value) > farthest)
    return fmt::format("lengths and places are at most {:g} m, got {}; check the unit", farthest,
                       with_unit(value, info.unit));
  if (fits_in_frames(value)) return "";
  return fmt::format("frames hold numbers up to {:.2g}, got {}; give a smaller one", largest_number,
                     with_unit(value, info.unit));
}

// Bounds that come from the C++ type alone are not worth telling.
bool told(double bound) { return std::abs(bound) < 2147483647.0; }

}  // namespace

std::string range_text(const ParamInfo& info) {
  const bool low = told(info.low);
  const bool high = told(info.high) || (std::isfinite(info.high) && info.type == ParamType::real);
  if (low && high && !info.low_excluded)
    return fmt::format("between {} and {}", info.low, with_unit(info.high, info.unit));
  if (low && high) return fmt::format("above {} and at most {}", info.low, with_unit(info.high, info.unit));
  if (low) return (info.low_excluded ? "above " : "at least ") + with_unit(info.low, info.unit);
  if (high) return "at most " + with_unit(info.high, info.unit);
  return info.type == ParamType::integer ? "between -2147483648 and 2147483647" : "";
}

std::string range_problem(const ParamInfo& info, const ParamValue& value) {
  const auto each = [&](std::initializer_list<double> numbers) {
    for (const double number : numbers)
      if (std::string problem = number_problem(info, number); !problem.empty()) return problem;
    return std::string();
  };
  switch (info.type) {
    case ParamType::boolean:
    case ParamType::text:
    case ParamType::choice:
    case ParamType::input:
    case ParamType::group: return "";
    default: break;
  }
  if (const auto* v = std::get_if<std::int64_t>(&value)) return each({static_cast<double>(*v)});
  if (const auto* v = std::get_if<double>(&value)) return each({*v});
  if (const auto* v = std::get_if<Vec3d>(&value)) {
    if (info.direction && *v == Vec3d{0, 0, 0}) return "must be a direction, not [0, 0, 0]";
    return each({v->x, v->y, v->z});
  }
  if (const auto* v = std::get_if<FrameRange>(&value)) {
    if (v->first > v->last) return fmt::format("the first frame {} is after the last frame {}", v->first, v->last);
    return each({static_cast<double>(v->first), static_cast<double>(v->last)});
  }
  if (const auto* v = std::get_if<std::vector<double>>(&value))
    for (const double number : *v)
      if (std::string problem = number_problem(info, number); !problem.empty()) return problem;
  const auto fields = [&](const ParamValues& values) -> std::string {
    for (const NamedValue& item : values.items) {
      const ParamInfo* field = info.fields->find(item.name);
      YMIR_CHECK(field != nullptr);
      if (std::string problem = range_problem(*field, item.value); !problem.empty()) return item.name + ": " + problem;
    }
    return "";
  };
  if (const auto* v = std::get_if<ParamValues>(&value)) return fields(*v);
  if (const auto* v = std::get_if<std::vector<ParamValues>>(&value))
    for (const ParamValues& item : *v)
      if (std::string problem = fields(item); !problem.empty()) return problem;
  return "";
}

std::string value_text(const ParamInfo& info, const ParamValue& value) {
  const std::string unit = info.unit.symbol.empty() ? "" : fmt::format(" {}", info.unit.symbol);
  struct Visitor {
    const ParamInfo& info;
    const std::string& unit;
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return exact(v) + unit; }
    std::string operator()(const Vec3d& v) const {
      return fmt::format("[{}, {}, {}]{}", exact(v.x), exact(v.y), exact(v.z), unit);
    }
    std::string operator()(const std::string& v) const { return v.empty() ? "none" : v; }
    std::string operator()(const std::vector<double>& v) const {
      std::string text = "[";
      for (const double number : v) text += (text.size() > 1 ? ", " : "") + exact(number);
      return text + "]" + unit;
    }
    std::string operator()(const FrameRange& v) const { return fmt::format("[{}, {}]", v.first, v.last); }
    std::string operator()(const ParamValues& v) const {
      std::string text = "{";
      for (const NamedValue& item : v.items)
        text +=
            (text.size() > 1 ? ", " : "") + item.name + ": " + value_text(*info.fields->find(item.name), item.value);
      return text + "}";
    }
    std::string operator()(const std::vector<ParamValues>& v) const {
      std::string text = "[";
      for (const ParamValues& item : v) text += (text.size() > 1 ? ", " : "") + (*this)(item);
      return text + "]";
    }
  };
  return std::visit(Visitor{info, unit}, value);
}

void check_schema(const SchemaInfo& info) {
  YMIR_CHECK(!info.name.empty() && !info.doc.empty());
  for (const ParamInfo& p : info.params) {
    YMIR_CHECK(!p.name.empty() && !p.doc.empty() && p.get && p.set);
    YMIR_CHECK(p.name != "enabled");  // every node has it
    YMIR_CHECK(info.find(p.name) == &p);
    for (const std::string& old : p.old_names) YMIR_CHECK(info.find(old) == nullptr);
    if (p.type == ParamType::choice) {
      YMIR_CHECK(!p.choices.empty());
    }
    YMIR_CHECK(p.low <= p.high);
    YMIR_CHECK(p.required || range_problem(p, p.default_value).empty());
  }
  check_conditions(info);
}

void name_choices(ParamInfo& info, std::vector<std::pair<std::string, std::int64_t>> names) {
  for (const auto& [name, number] : names) info.choices.push_back(name);
  info.get = [names, number_of = info.get](const void* params) -> ParamValue {
    const ParamValue number = number_of(params);
    if (std::holds_alternative<std::monostate>(number)) return number;
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& entry) { return entry.second == held<std::int64_t>(number); });
    YMIR_CHECK(found != names.end());
    return found->first;
  };
  info.set = [names, set_number = info.set](void* params, const ParamValue& value) {
    if (std::holds_alternative<std::monostate>(value)) return set_number(params, value);
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& entry) { return entry.first == held<std::string>(value); });
    YMIR_CHECK(found != names.end());
    set_number(params, found->second);
  };
}

}  // namespace ymir
