#include "ymir/setup/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ymir/param/time_params.h"
#include "ymir/setup/input_params.h"
#include "ymir/setup/output_params.h"

namespace ymir {
namespace {

constexpr Category categories[] = {Category::object, Category::force, Category::material, Category::constraint,
                                   Category::operator_};

std::string value_type_text(const ParamInfo& info) {
  switch (info.type) {
    case ParamType::boolean: return "true or false";
    case ParamType::integer: return "whole number";
    case ParamType::real: return "number";
    case ParamType::vector: return "three numbers";
    case ParamType::text: return "text";
    case ParamType::choice: return fmt::format("one of {}", fmt::join(info.choices, ", "));
    case ParamType::list: return "list of numbers";
    case ParamType::group: return "name of a group";
    case ParamType::frames: return "first and last frame";
    case ParamType::nested: return "map";
    case ParamType::items: return "list of maps";
    case ParamType::input: break;
  }
  std::vector<std::string_view> kinds;
  for (const InputKind kind : info.accepts) kinds.push_back(to_string(kind));
  return kinds.empty() ? "name of an input" : fmt::format("name of an input ({})", fmt::join(kinds, ", "));
}

std::string type_and_range(const ParamInfo& info) {
  std::string text = value_type_text(info);
  const bool ranged = !info.fields && info.type != ParamType::choice;
  const bool bounded = info.low > -2147483648.0 || info.high < 2147483647.0;
  if (ranged && bounded) text += ", " + range_text(info);
  return text;
}

std::string default_text(const ParamInfo& info) {
  if (info.required) return "required";
  if (info.type == ParamType::nested && !info.optional) return "see below";
  return value_text(info, info.default_value);
}

// `within`: the nested structs around it, as varying_params() puts them before the name of a channel.
std::string notes(const ParamInfo& info, const std::string& within) {
  std::string text;
  if (const std::string where = applies_text(info); !where.empty()) text += fmt::format(" Only {}.", where);
  if (!info.acts_on.empty()) {
    std::vector<std::string_view> targets;
    for (const ActsOn target : info.acts_on) targets.push_back(to_string(target));
    text += fmt::format(" Acts on {}.", fmt::join(targets, " and "));
  }
  if (info.varying && within.empty()) text += " Varying: a data channel of this name overrides it.";
  if (info.varying && !within.empty())
    text += fmt::format(" Varying: a data channel {}{} overrides it.", within, info.name);
  if (info.advanced) text += " Advanced.";
  for (const std::string& old : info.old_names) text += fmt::format(" Formerly {}.", old);
  return text;
}

void describe_params(std::string& text, const SchemaInfo& schema, const std::string& indent,
                     const std::string& within = "") {
  for (const ParamInfo& p : schema.params) {
    const std::string unit = p.unit.symbol.empty() ? "" : fmt::format(" [{}]", p.unit.symbol);
    text += fmt::format("{}{}{} = {}\n", indent, p.name, unit, default_text(p));
    text += fmt::format("{}    {} ({}){}\n", indent, p.doc, type_and_range(p), notes(p, within));
    if (p.fields) describe_params(text, *p.fields, indent + "    ", within + p.name + "_");
  }
}

// A bar would end the cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void table(std::string& page, const SchemaInfo& schema, const std::string& within = "") {
  if (schema.params.empty()) {
    page += "No parameters.\n";
    return;
  }
  page += "| parameter | unit | default | value | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const ParamInfo& p : schema.params)
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", p.name, p.unit.symbol, cell(default_text(p)),
                        cell(type_and_range(p)), cell(p.doc + notes(p, within)));
  for (const ParamInfo& p : schema.params)
    if (p.fields) {
      page += fmt::format("\n`{}`{}:\n\n", p.name, p.type == ParamType::items ? ", each item" : "");
      table(page, *p.fields, within + p.name + "_");
    }
}

std::string behavior_page(const SchemaInfo& schema) {
  std::string page = fmt::format("# {}\n\n{} ({})\n\n", schema.name, schema.doc, to_string(schema.category));
  table(page, schema);
  if (!schema.example.empty()) page += fmt::format("\nExample: [{0}](../../{0})\n", schema.example);
  return page;
}

std::string setup_file_page() {
  std::string page =
      "# The setup file\n\n"
      "A setup file is YAML with the sections below. `ymir: 1` and `setup` are required. A number may carry a unit\n"
      "(`1.3 g/cm^3`, `40 um`, `90 deg`); a number alone is in the SI unit of its parameter.\n\n"
      "`setup` is a list. An item is a behavior, `- gravity: {acceleration: [0, -9.81, 0]}` or `- gravity`, or a "
      "group,\n"
      "`- group: Hair` with its own list under `with:`. A behavior acts on every object of its group and below.\n"
      "`enabled: false` switches any item off.\n";
  const SchemaInfo sections[] = {TimeParams::schema().info(), InputParams::schema().info(),
                                 OutputParams::schema().info()};
  for (const SchemaInfo& section : sections) {
    const bool input = section.name == "input";
    page += fmt::format("\n## {}\n\n{}\n\n", input ? "inputs" : section.name, section.doc);
    if (input)
      page +=
          "Each entry is `name: {kind: file}`, or `name: {groom: {style: curly}}` and the like where it is made "
          "instead of\n"
          "read; parameters refer to it by its name.\n\n"
          "`overrides: {friction: 0.1}` sets, for objects made from this input, any parameter marked as varying. The\n"
          "narrowest scope wins: default, then behavior, then `overrides`, then a channel of the file of that "
          "name.\n\n"
          "Of curves, a number may be painted: `overrides: {bend: {texture: bend.png, surface: head, low: 0.5, high: "
          "3}}`\n"
          "gives every strand the grey value of a PNG (8 or 16 bits; black is `low`, white is `high`) at the texture\n"
          "coordinates that the surface has nearest to its root (`vt` of .obj, `u` and `v` of .ply); without `surface` "
          "at\n"
          "`u` and `v` of the curves themselves.\n\n";
    table(page, section);
  }
  return page;
}

// frames, checkpoints, input
std::string uses_text(const ChannelInfo& channel) {
  std::vector<std::string_view> uses;
  if (channel.shown) uses.emplace_back("frames");
  if (channel.kept) uses.emplace_back("checkpoints");
  if (channel.writable) uses.emplace_back("input");
  return fmt::format("{}", fmt::join(uses, ", "));
}

std::string channels_page(const Registry& registry) {
  std::string page =
      "# Channels\n\n"
      "What every object lets others see. `in` says where: in the frames of a cache, in its checkpoints, or in the "
      "input\n"
      "that the object is made from. A place is what there is one value of: a strand, a vertex and so on; those of "
      "the\n"
      "object are of the whole. Frames hold f64 in single precision, as f32. `<name>` stands for any other.\n\n"
      "With `outputs.hairs` frames have one more object, `hairs`, with the channels of curves_object in frames and "
      "those\n"
      "that its groom has on strands.\n";
  for (const BehaviorType& type : registry.all()) {
    if (type.channels.empty()) continue;
    page += fmt::format(
        "\n## {}\n\n| channel | place | type | unit | in | meaning |\n| --- | --- | --- | --- | --- | --- |\n",
        type.schema.name);
    for (const ChannelInfo& c : type.channels)
      page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", c.name, name_of(c.place),
                          type_text(c.type, c.components), c.unit, uses_text(c), cell(c.doc));
  }
  return page;
}

}  // namespace

std::string describe_channels(const Registry& registry) {
  std::string text;
  for (const BehaviorType& type : registry.all()) {
    if (type.channels.empty()) continue;
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", type.schema.name);
    for (const ChannelInfo& c : type.channels)
      text += fmt::format("  {:<22} {:<10} {:<8} {:<8} {:<26} {}\n", c.name, name_of(c.place),
                          type_text(c.type, c.components), c.unit, uses_text(c), c.doc);
  }
  return text;
}

std::string describe(const BehaviorType& type) {
  const SchemaInfo& schema = type.schema;
  std::string text = fmt::format("{} ({})\n{}\n\n", schema.name, to_string(schema.category), schema.doc);
  describe_params(text, schema, "  ");
  if (schema.params.empty()) text += "  No parameters.\n";
  if (!schema.example.empty()) text += fmt::format("\nExample: {}\n", schema.example);
  return text;
}

std::string describe_section(std::string_view name) {
  if (name != "time" && name != "inputs" && name != "outputs") return "";
  const SchemaInfo schema = name == "time"     ? TimeParams::schema().info()
                            : name == "inputs" ? InputParams::schema().info()
                                               : OutputParams::schema().info();
  std::string text = fmt::format("{} (section of the setup file)\n{}\n\n", name, schema.doc);
  describe_params(text, schema, "  ");
  return text;
}

std::string describe_all(const Registry& registry) {
  std::size_t width = 0;
  for (const BehaviorType& type : registry.all()) width = std::max(width, type.schema.name.size());
  std::string text;
  for (const Category category : categories) {
    bool first = true;
    for (const BehaviorType& type : registry.all()) {
      if (type.schema.category != category) continue;
      if (first) text += fmt::format("{}{}s\n", text.empty() ? "" : "\n", to_string(category));
      first = false;
      text += fmt::format("  {:<{}}  {}\n", type.schema.name, width, type.schema.doc);
    }
  }
  return text;
}

std::map<std::string, std::string> reference_pages(const Registry& registry) {
  std::map<std::string, std::string> pages;
  std::string index =
      "# Reference\n\nGenerated from the declarations in the source. Values to begin with: [typical "
      "values](../typical_values.md).\n\n- [The setup file](setup_file.md)\n- [Channels](channels.md) of objects, in "
      "frames, "
      "checkpoints and inputs\n";
  for (const Category category : categories) {
    bool first = true;
    for (const BehaviorType& type : registry.all()) {
      if (type.schema.category != category) continue;
      if (first) index += fmt::format("\n## {}s\n\n", to_string(category));
      first = false;
      index += fmt::format("- [{0}]({0}.md): {1}\n", type.schema.name, type.schema.doc);
    }
  }
  for (const BehaviorType& type : registry.all()) pages[type.schema.name + ".md"] = behavior_page(type.schema);
  pages["index.md"] = std::move(index);
  pages["setup_file.md"] = setup_file_page();
  pages["channels.md"] = channels_page(registry);
  return pages;
}

}  // namespace ymir
