// Reads the parameters of one behavior or section from YAML, by its schema, and says all that is wrong with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ymir/param/schema_info.h"
#include "ymir/setup/document.h"

namespace ymir {

// Collects what is wrong with one file.
class Reporter {
 public:
  Reporter(std::string file, std::vector<Diagnostic>& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics) {}
  void error(Location at, std::string path, std::string message);
  void warning(Location at, std::string path, std::string message);

 private:
  std::string file_;
  std::vector<Diagnostic>& diagnostics_;
};

// What parameters may refer to.
struct KnownNames {
  struct Input {
    std::string name;
    std::optional<InputKind> kind;  // none: its own declaration is wrong and was reported
  };
  struct Group {
    std::string name;
    std::string path;
  };
  std::vector<Input> inputs;
  std::vector<Group> groups;
};

class ValueReader {
 public:
  ValueReader(Reporter& report, const KnownNames& known) : report_(report), known_(known) {}

  // The given values, in declared order; wrong ones are reported and left out. `path` is the node's; nothing (null)
  // reads as an empty map. Keys in `reserved` belong to someone else.
  ParamValues read(const YamlNode& node, const SchemaInfo& schema, const std::string& path,
                   const std::vector<std::string>& reserved = {});
  std::optional<bool> read_bool(const YamlNode& node, const std::string& path);

 private:
  std::optional<ParamValue> value(const YamlNode& node, const ParamInfo& info, const std::string& path);
  std::optional<std::int64_t> integer(const YamlNode& node, const std::string& path);
  std::optional<double> real(const YamlNode& node, const ParamInfo& info, const std::string& path);
  std::optional<std::vector<double>> reals(const YamlNode& node, const ParamInfo& info, const std::string& path);
  std::optional<ParamValue> items(const YamlNode& node, const ParamInfo& info, const std::string& path);
  std::optional<ParamValue> frames(const YamlNode& node, const std::string& path);
  std::optional<ParamValue> choice(const YamlNode& node, const ParamInfo& info, const std::string& path);
  std::optional<ParamValue> input(const YamlNode& node, const ParamInfo& info, const std::string& path);
  std::optional<ParamValue> group(const YamlNode& node, const std::string& path);
  bool is_scalar(const YamlNode& node, const std::string& path, const std::string& expected);
  std::nullopt_t wrong(const YamlNode& node, const std::string& path, const std::string& message);

  Reporter& report_;
  const KnownNames& known_;
};

}  // namespace ymir
