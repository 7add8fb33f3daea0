// A Solver Setup as read and checked: a tree of Groups (scopes) and Behaviors (leaves) that says what is simulated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/behaviors/registry.h"
#include "ymir/param/references.h"
#include "ymir/param/time_params.h"
#include "ymir/setup/diagnostic.h"
#include "ymir/setup/output_params.h"

namespace ymir {

struct SetupNode {
  bool is_group = false;
  std::string name;     // of the group or behavior; the root is a group without a name
  std::string path;     // "Hair/elastic_rod", unique: a second one is "Hair/elastic_rod#2"; the root's is empty
  bool enabled = true;  // as written here; a node below a disabled group is off as well
  Location location;
  const BehaviorType* type = nullptr;  // behaviors only; belongs to the registry
  ParamValues values;                  // only those given
  std::vector<SetupNode> children;     // groups only
};

struct SolverSetup {
  std::filesystem::path file;
  std::string text;
  // Of all that changes results: values with defaults filled in, enabled nodes, inputs by name and written path (not
  // their contents), time. Comments, formatting, the last frame and `outputs:` do not count.
  std::uint64_t hash = 0;
  TimeParams time;
  std::vector<InputSpec> inputs;
  SetupNode root;
  OutputParams outputs;

  const InputSpec* find_input(std::string_view name) const;
};

struct ReadResult {
  std::optional<SolverSetup> setup;     // when there is no error
  std::vector<Diagnostic> diagnostics;  // all errors and warnings of the file, in its order
};

// Reads a file; also a missing or unreadable one becomes a diagnostic.
ReadResult read_setup(const std::filesystem::path& file, const Registry& registry);
// Reads a text as if it stood in `file`.
ReadResult read_setup_text(std::string_view text, const std::filesystem::path& file, const Registry& registry);

}  // namespace ymir
