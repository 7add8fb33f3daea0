#include "ymir/setup/solver_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "ymir/base/suggest.h"
#include "ymir/setup/document.h"
#include "ymir/setup/input_params.h"
#include "ymir/setup/setup_hash.h"
#include "ymir/setup/tree_reader.h"
#include "ymir/setup/value_reader.h"

namespace ymir {

const InputSpec* SolverSetup::find_input(std::string_view name) const {
  for (const InputSpec& input : inputs)
    if (input.name == name) return &input;
  return nullptr;
}

namespace {

using Kind = YamlNode::Kind;

constexpr std::int64_t format_version = 1;

// What is there instead of a file; nullptr: nothing.
const char* no_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) return nullptr;
  if (fs::is_directory(status)) return "a folder";
  if (fs::is_fifo(status)) return "a pipe";
  if (fs::is_socket(status)) return "a socket";
  return "a device";
}

class SetupReader {
 public:
  SetupReader(const std::filesystem::path& file, const Registry& registry, std::vector<Diagnostic>& diagnostics)
      : registry_(registry), report_(file.string(), diagnostics), values_(report_, known_) {
    setup_.file = file;
  }

  SolverSetup read(const YamlNode& root) {
    if (root.kind != Kind::map) {
      report_.error(root.at.line > 0 ? root.at : Location{1, 1}, "",
                    "expected a map with the keys ymir, time, inputs, setup and outputs");
      return std::move(setup_);
    }
    check_keys(root);
    check_version(root);
    section(root, "time", TimeParams::schema().info(), &setup_.time);
    check_substeps(root);
    if (const YamlNode* inputs = root.find("inputs")) read_inputs(*inputs);
    if (const YamlNode* tree = root.find("setup"))
      setup_.root = read_tree(*tree, registry_, known_, report_);
    else
      report_.error(root.at, "setup", "missing; give the list of groups and behaviors");
    section(root, "outputs", OutputParams::schema().info(), &setup_.outputs);
    if (setup_.outputs.hairs) check_hairs(*root.find("outputs")->find("hairs"), *setup_.outputs.hairs);
    check_camera(root);
    if (setup_.outputs.cache.empty()) setup_.outputs.cache = "out/" + setup_.file.stem().string();
    return std::move(setup_);
  }

 private:
  void check_keys(const YamlNode& root) {
    const std::vector<std::string> keys{"ymir", "time", "inputs", "setup", "outputs"};
    for (const YamlEntry& entry : root.entries)
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end())
        report_.error(entry.at, "", fmt::format("unknown section {}; {}", shown(entry.key), suggest(entry.key, keys)));
  }

  void check_version(const YamlNode& root) {
    const YamlNode* version = root.find("ymir");
    if (!version)
      report_.error(root.at, "ymir", fmt::format("missing; begin the file with 'ymir: {}'", format_version));
    else if (version->kind != Kind::scalar || version->text != std::to_string(format_version))
      report_.error(version->at, "ymir",
                    fmt::format("this program reads version {0} of the format; write 'ymir: {0}'", format_version));
  }

  void section(const YamlNode& root, const std::string& name, const SchemaInfo& schema, void* params) {
    if (const YamlNode* node = root.find(name)) apply(schema, values_.read(*node, schema, name), params);
  }

  void check_substeps(const YamlNode& root) {
    const TimeParams& time = setup_.time;
    if (time.adaptive && time.max_substeps < time.substeps)
      report_.error(root.find("time")->at, "time.max_substeps",
                    fmt::format("must be at least substeps ({}), is {}", time.substeps, time.max_substeps));
  }

  void read_inputs(const YamlNode& section) {
    if (section.kind == Kind::null) return;
    if (section.kind != Kind::map) {
      report_.error(section.at, "inputs", "expected entries such as 'groom: {curves: groom.hair}'");
      return;
    }
    for (const YamlEntry& entry : section.entries) {
      KnownNames::Input declared{entry.key, std::nullopt};
      if (auto input = read_input(entry)) {
        declared.kind = input->kind;
        setup_.inputs.push_back(std::move(*input));
      }
      known_.inputs.push_back(std::move(declared));
    }
    check_guides(section);
    check_painted();
  }

  // Guides may stand before the groom they are chosen from.
  void check_guides(const YamlNode& section) {
    for (const InputSpec& input : setup_.inputs) {
      const auto guides = guides_recipe(input.recipe);
      if (!guides || guides->of.empty()) continue;
      const InputSpec* of = setup_.find_input(guides->of);
      const Location at = section.find(input.name)->at;
      const std::string path = fmt::format("inputs.{}.guides.of", input.name);
      if (of == nullptr) {
        if (const auto declared = std::find_if(known_.inputs.begin(), known_.inputs.end(),
                                               [&](const KnownNames::Input& i) { return i.name == guides->of; });
            declared != known_.inputs.end())
          continue;  // what is wrong with it was said
        std::vector<std::string> names;
        for (const InputSpec& other : setup_.inputs)
          if (other.kind == InputKind::curves && other.name != input.name) names.push_back(other.name);
        report_.error(at, path, fmt::format("no input {}; {}", shown(guides->of), suggest(guides->of, names)));
      } else if (of->kind != InputKind::curves) {
        report_.error(at, path, fmt::format("the input '{}' is {}, expected curves", of->name, to_string(of->kind)));
      } else if (guides_recipe(of->recipe)) {
        report_.error(at, path, fmt::format("'{}' are guides themselves; name the whole groom", of->name));
      }
    }
  }

  void check_camera(const YamlNode& root) {
    const PreviewParams& camera = setup_.outputs.preview;
    constexpr double least = 1e-9;  // [m]
    if (camera.eye && camera.target && norm(*camera.eye - *camera.target) < least)
      report_.error(root.find("outputs")->find("preview")->find("eye")->at, "outputs.preview.eye",
                    "is the same place as the target; move one of them");
  }

  void check_hairs(const YamlNode& node, const HairsParams& hairs) {
    if (hairs.groom.empty()) return;
    const YamlNode* given = node.find("groom");
    if (const InputSpec* input = setup_.find_input(hairs.groom)) {
      if (input->kind != InputKind::curves)
        report_.error(given->at, "outputs.hairs.groom",
                      fmt::format("the input '{}' is {}, expected curves", input->name, to_string(input->kind)));
      return;
    }
    std::error_code failure;
    if (!std::filesystem::is_regular_file(setup_.file.parent_path() / hairs.groom, failure))
      report_.error(given->at, "outputs.hairs.groom",
                    fmt::format("no input and no file {}; paths are relative to the setup file", shown(hairs.groom)));
  }

  std::optional<InputSpec> read_input(const YamlEntry& entry) {
    const std::string path = "inputs." + entry.key.substr(0, 64);
    const SchemaInfo schema = InputParams::schema().info();
    const ParamValues given = values_.read(entry.value, schema, path, {"overrides"});
    InputParams params;
    apply(schema, given, &params);
    if (entry.value.kind != Kind::map && entry.value.kind != Kind::null) return std::nullopt;

    InputSpec input;
    input.name = entry.key;
    input.scale = params.scale;
    input.up = params.up;
    if (const YamlNode* overrides = entry.value.find("overrides"))
      read_overrides(input, *overrides, path + ".overrides");
    int kinds = 0;
    const InputSource* source = nullptr;
    const YamlNode* node = nullptr;
    for (const InputSource& candidate : input_sources())
      if (const YamlNode* found = entry.value.find(std::string(candidate.parameter))) {
        ++kinds;
        source = &candidate;
        node = found;
      }
    if (kinds != 1) {
      // A misspelt kind was reported as an unknown parameter; a second message about it would not help.
      const bool misspelt =
          kinds == 0 && std::any_of(entry.value.entries.begin(), entry.value.entries.end(),
                                    [&](const YamlEntry& e) { return e.key != "overrides" && !schema.find(e.key); });
      if (!misspelt)
        report_.error(entry.at, path,
                      "give exactly one of points, curves, surface, body, volume, with the path of a file, or of "
                      "groom, helix, line, "
                      "guides, shape");
      return std::nullopt;
    }
    input.kind = source->kind;
    const ParamValue* written = find_value(given, source->parameter);
    if (!written) return std::nullopt;
    const bool nothing = std::holds_alternative<std::monostate>(*written);
    if (source->made && !nothing) {
      read_recipe(input, params, *source, entry.value, path);
    } else if (const std::string* file = std::get_if<std::string>(written)) {
      input.written_path = *file;
      input.path = setup_.file.parent_path() / input.written_path;
      find_files(input, *node, fmt::format("{}.{}", path, source->parameter));
    } else {
      report_.error(node->at, path,
                    source->made ? fmt::format("{}: expected what to make, got nothing", source->parameter)
                                 : "expected the path of a file, got nothing");
      return std::nullopt;
    }
    read_motion(input, params, given, entry.value, path);
    return input;
  }

  // Values, or pictures: `youngs_modulus: {texture: stiff.png, low: 1 GPa, high: 4 GPa}`.
  void read_overrides(InputSpec& input, const YamlNode& overrides, const std::string& path) {
    const SchemaInfo varying = registry_.varying_parameters();
    YamlNode values = overrides;
    values.entries.clear();
    for (const YamlEntry& item : overrides.entries) {
      const ParamInfo* info = varying.find(item.key);
      if (info == nullptr || item.value.kind != Kind::map)
        values.entries.push_back(item);
      else
        read_painted(input, *info, item, path + "." + item.key);
    }
    input.overrides = values_.read(values, varying, path);
  }

  void read_painted(InputSpec& input, const ParamInfo& info, const YamlEntry& item, const std::string& path) {
    if (info.type != ParamType::real) {
      report_.error(item.at, path, "only numbers can be painted; give a vector such as [0, -9.81, 0]");
      return;
    }
    const SchemaInfo fields = painting_schema(info);
    const ParamValues given = values_.read(item.value, fields, path);
    const ParamValue *texture = find_value(given, "texture"), *low = find_value(given, "low"),
                     *high = find_value(given, "high"), *surface = find_value(given, "surface");
    if (texture == nullptr || low == nullptr || high == nullptr) return;
    PaintedOverride painted;
    painted.parameter = item.key;
    painted.written_path = std::get<std::string>(*texture);
    painted.texture = setup_.file.parent_path() / painted.written_path;
    painted.low = std::get<double>(*low);
    painted.high = std::get<double>(*high);
    if (surface != nullptr) painted.surface.name = std::get<std::string>(*surface);
    std::error_code failure;
    if (!std::filesystem::is_regular_file(painted.texture, failure))
      report_.error(item.value.find("texture")->at, path + ".texture",
                    fmt::format("no file {}; paths are relative to the setup file", shown(painted.written_path)));
    input.painted.push_back(std::move(painted));
    paintings_.push_back({input.name, path, item.value});
  }

  // Paintings may name surfaces that stand below them.
  void check_painted() {
    const auto find = [&](const std::string& name) { return setup_.find_input(name); };
    for (const Painting& painting : paintings_) {
      const InputSpec* input = find(painting.input);
      if (input == nullptr) continue;  // its declaration is wrong and was reported
      if (input->kind != InputKind::curves && input->kind != InputKind::body && input->kind != InputKind::surface)
        report_.error(painting.node.at, painting.path,
                      "only curves, bodies and surfaces can be painted by a texture; give points a channel of this "
                      "name");
      const YamlNode* surface = painting.node.find("surface");
      if (surface == nullptr) continue;
      const InputSpec* named = find(surface->text);
      if (named == nullptr || named->kind != InputKind::surface)
        report_.error(surface->at, painting.path + ".surface",
                      fmt::format("no surface {} among the inputs", shown(surface->text)));
    }
  }

  void read_recipe(InputSpec& input, const InputParams& params, const InputSource& source, const YamlNode& entry,
                   const std::string& path) {
    if (const std::string problem = recipe_problem(params); !problem.empty())
      report_.error(entry.find(std::string(source.parameter))->at, fmt::format("{}.{}", path, source.parameter),
                    problem);
    input.recipe = collect(GeneratedInput::schema().info(), static_cast<const GeneratedInput*>(&params));
  }

  void find_files(InputSpec& input, const YamlNode& at, const std::string& path) {
    std::error_code failure;
    if (std::filesystem::is_regular_file(input.path, failure)) return;
    if (const char* other = no_file(input.path)) {
      report_.error(at.at, path, fmt::format("{} is {}; name a file", shown(input.written_path), other));
    } else if (!is_sequence_pattern(input.path)) {
      report_.error(at.at, path,
                    fmt::format("no file {}; paths are relative to the setup file", shown(input.written_path)));
    } else if (input.kind == InputKind::points || input.kind == InputKind::volume) {
      report_.error(
          at.at, path,
          fmt::format("only curves, surfaces and bodies may be sequences; name one file of {}", to_string(input.kind)));
    } else {
      FileSequence sequence = find_sequence(input.path);
      if (!sequence.problem.empty()) report_.error(at.at, path, shown(input.written_path) + ": " + sequence.problem);
      if (sequence.files.empty()) return;
      input.path = sequence.files.front();
      input.first_frame = sequence.first_frame;
      input.frames = std::move(sequence.files);
    }
  }

  void read_motion(InputSpec& input, const InputParams& params, const ParamValues& given, const YamlNode& entry,
                   const std::string& path) {
    const YamlNode* motion = entry.find("motion");
    const ParamValue* keys = find_value(given, "motion");
    if (motion == nullptr || keys == nullptr) return;
    // Keys with a value that was refused, and reported, say nothing about the others.
    for (std::size_t k = 0; k < motion->items.size(); ++k)
      if (std::get<std::vector<ParamValues>>(*keys)[k].items.size() != motion->items[k].entries.size()) return;
    if (input.kind != InputKind::surface && input.kind != InputKind::body) return;  // that it has no effect was said
    if (const std::string problem = motion_problem(params); !problem.empty())
      report_.error(motion->at, path + ".motion", problem);
    else
      input.motion = make_motion(params);
  }

  const Registry& registry_;
  Reporter report_;
  KnownNames known_;
  ValueReader values_;
  SolverSetup setup_;
  struct Painting {
    std::string input, path;
    YamlNode node;
  };
  std::vector<Painting> paintings_;
};

}  // namespace

ReadResult read_setup_text(std::string_view text, const std::filesystem::path& file, const Registry& registry) {
  ReadResult result;
  if (const auto document = parse_document(text, file.string(), result.diagnostics)) {
    SolverSetup setup = SetupReader(file, registry, result.diagnostics).read(*document);
    if (!has_errors(result.diagnostics)) {
      setup.text = text;
      setup.hash = hash_setup(setup);
      result.setup = std::move(setup);
    }
  }
  std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  return result;
}

ReadResult read_setup(const std::filesystem::path& file, const Registry& registry) {
  const auto fail = [&](const std::string& why) {
    ReadResult result;
    result.diagnostics.push_back({Severity::error, file.string(), {}, "", why});
    return result;
  };
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) return fail("no such file");
  if (!std::filesystem::is_regular_file(status)) return fail("not a file; name a setup file (.yaml)");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text(document_limit::bytes + 1, '\0');  // one more than allowed: a file may grow while it is read
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return read_setup_text(text, file, registry);
}

}  // namespace ymir
