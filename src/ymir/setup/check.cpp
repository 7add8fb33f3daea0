#include "ymir/setup/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "ymir/behaviors/scope.h"
#include "ymir/cache/cache.h"
#include "ymir/cache/gather.h"
#include "ymir/setup/build.h"
#include "ymir/setup/carried_hairs.h"
#include "ymir/setup/session.h"

namespace ymir {
namespace {

// Why nothing can be made in a folder; "": a folder was made there, and is gone again. Permissions do not say
// everything: root has them all, and some file systems take nothing.
std::string why_not_writable(const std::filesystem::path& folder) {
  std::string name = (folder / ".ymir-check-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return std::strerror(errno);
  return rmdir(name.c_str()) == 0 ? "" : std::strerror(errno);
}

constexpr std::size_t longest_name = 64;  // of files in the folder of a cache

}  // namespace

std::vector<Diagnostic> check_output_folder(const SolverSetup& setup, const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  std::vector<Diagnostic> found;
  const auto tell = [&](Severity severity, std::string message) {
    found.push_back({severity, setup.file.string(), {}, "outputs.cache", std::move(message)});
  };
  std::error_code failure;
  const fs::file_status status = fs::status(out, failure);
  if (failure == std::errc::filename_too_long || out.native().size() + longest_name > PATH_MAX) {
    tell(Severity::error, "the name of the folder is too long; give a shorter one with --out");
    return found;
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    tell(Severity::error, fmt::format("{} exists and is not a folder; name another with --out", out.string()));
    return found;
  }
  if (!fs::exists(status) && fs::is_symlink(fs::symlink_status(out, failure))) {
    tell(Severity::error,
         fmt::format("{} is a link to nothing; mend it, or name another folder with --out", out.string()));
    return found;
  }
  // The nearest folder that exists decides whether the others can be made.
  fs::path folder = fs::absolute(out, failure);
  while (!fs::exists(fs::status(folder, failure)) && folder.has_relative_path()) folder = folder.parent_path();
  if (!fs::is_directory(fs::status(folder, failure)))
    tell(Severity::error, fmt::format("{} is not a folder, so {} cannot be made; name another with --out",
                                      folder.string(), out.string()));
  else if (access(folder.c_str(), W_OK | X_OK) != 0)
    tell(Severity::error, fmt::format("{} may not be written ({}); change that, or name another with --out",
                                      folder.string(), std::strerror(errno)));
  else if (const std::string why = why_not_writable(folder); !why.empty())
    tell(Severity::error,
         fmt::format("nothing can be written in {}: {}; name another with --out", folder.string(), why));
  if (!found.empty() || !Cache::exists(out)) return found;
  try {
    if (const auto why = Cache::open(out).why_not_resumable(identity_of(setup)))
      tell(Severity::warning,
           fmt::format("{} holds a cache that this setup does not go on with: {}; name another folder with --out",
                       out.string(), *why));
  } catch (const Error& error) {
    tell(Severity::warning, fmt::format("{}; name another folder with --out", error.what()));
  }
  return found;
}

CheckResult check_setup(const std::filesystem::path& file, const std::filesystem::path& out, const Registry& registry,
                        Communicator& communicator, const std::function<void(const std::string&)>& begin) {
  ReadResult read = read_setup(file, registry);
  CheckResult result{false, std::move(read.diagnostics)};
  if (!read.setup) return result;
  const SolverSetup& setup = *read.setup;
  const auto add = [&](const std::vector<Diagnostic>& more) {
    result.diagnostics.insert(result.diagnostics.end(), more.begin(), more.end());
  };
  BuildResult build = try_build(setup, communicator, begin);
  add(build.diagnostics);
  if (build.built) {
    if (begin) begin("take the inputs in");
    try {
      add(ingest(*build.built, setup));
      if (setup.outputs.hairs) {
        if (begin) begin("carry the hairs");
        Simulation& simulation = *build.built->simulation;
        const Frame initial = gather_frame(simulation.frame(setup.time.frames.first - 1), communicator);
        if (communicator.root()) hairs_of(setup, simulation, initial);
      }
    } catch (const SetupError& error) {
      add(error.diagnostics());
    } catch (const Error& error) {
      add({{Severity::error, setup.file.string(), {}, "outputs.hairs", error.what()}});
    }
  }
  for (const InputSpec& input : setup.inputs) {
    const bool moving_kind = input.kind == InputKind::surface || input.kind == InputKind::body;
    if (!build.built || !moving_kind || input.frames.size() < 2) continue;
    if (begin) begin("read the files of " + input.name);
    try {
      const Scope scope(*build.built->simulation, setup.inputs, "inputs", 0, 0);
      (input.kind == InputKind::body ? scope.animated_body({input.name}) : scope.animated_surface({input.name}))
          .require_all();
    } catch (const Error& error) {
      add({{Severity::error, setup.file.string(), {}, "inputs." + input.name, error.what()}});
    }
  }
  if (begin) begin("look at the folder of the cache");
  add(check_output_folder(setup, out.empty() ? std::filesystem::path(setup.outputs.cache) : out));
  std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  result.ok = !has_errors(result.diagnostics);
  return result;
}

}  // namespace ymir
