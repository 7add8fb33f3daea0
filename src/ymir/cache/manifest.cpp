#include "ymir/cache/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/file_bytes.h"

namespace ymir {
namespace {

using Json = nlohmann::json;

// 2 added branches and failures, which are absent from 1.
constexpr std::int64_t format_version = 2;
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 28;
constexpr int max_depth = 6;
constexpr std::int64_t max_number = 1'000'000'000;

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

// The last lines of the file; `text` is everything before them.
std::string closing(std::string_view text) {
  return fmt::format(",\n \"checksum\": \"{}\"\n}}\n", hex(hash_text(text)));
}

Json entries_to_json(const std::vector<CacheEntry>& entries, std::string (*file_name)(std::int64_t)) {
  Json list = Json::array();
  for (const CacheEntry& e : entries) {
    YMIR_CHECK(std::isfinite(e.time) && std::isfinite(e.seconds));
    list.push_back({{"number", e.number},
                    {"file", file_name(e.number)},
                    {"bytes", e.stamp.bytes},
                    {"checksum", hex(e.stamp.checksum)},
                    {"state_hash", hex(e.state_hash)},
                    {"time", e.time},
                    {"seconds", e.seconds}});
  }
  return list;
}

// Typed access to a parsed document; whatever is missing or of another type is an Error(io).
class Fields {
 public:
  Fields(const Json& object, const std::string& label) : object_(object), label_(label) {
    if (!object.is_object()) refuse("an entry is not an object");
  }
  const Json& at(const char* key) const {
    const auto it = object_.find(key);
    if (it == object_.end()) refuse(fmt::format("\"{}\" is missing", key));
    return *it;
  }
  bool has(const char* key) const { return object_.contains(key); }
  const Json& list(const char* key) const {
    if (!at(key).is_array()) refuse(fmt::format("\"{}\" is not a list", key));
    return at(key);
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) refuse(fmt::format("\"{}\" is not a text", key));
    return at(key).get<std::string>();
  }
  double real(const char* key) const {
    if (!at(key).is_number()) refuse(fmt::format("\"{}\" is not a number", key));
    return at(key).get<double>();
  }
  std::int64_t integer(const char* key, std::int64_t low, std::int64_t high) const {
    const Json& value = at(key);
    const bool fits =
        value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
    if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high)
      refuse(fmt::format("\"{}\" is not a whole number in range", key));
    return value.get<std::int64_t>();
  }
  std::uint64_t hash(const char* key) const {
    const std::string digits = text(key);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || hex(value) != digits) refuse(fmt::format("\"{}\" is not 16 hexadecimal digits", key));
    return value;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ExitCode::io, label_ + ": not a manifest of this program: " + what);
  }

 private:
  const Json& object_;
  const std::string& label_;
};

std::vector<CacheEntry> entries_from_json(const Json& list, const std::string& label,
                                          std::string (*file_name)(std::int64_t)) {
  std::vector<CacheEntry> entries;
  for (const Json& item : list) {
    const Fields fields(item, label);
    CacheEntry& e = entries.emplace_back();
    e.number = fields.integer("number", -max_number, max_number);
    // Files are deleted by these names, so only our own names in this folder are accepted.
    if (fields.text("file") != file_name(e.number)) fields.refuse("a file has a foreign name");
    e.stamp.bytes = static_cast<std::uint64_t>(fields.integer("bytes", 0, INT64_MAX));
    e.stamp.checksum = fields.hash("checksum");
    e.state_hash = fields.hash("state_hash");
    e.time = fields.real("time");
    e.seconds = fields.real("seconds");
    if (entries.size() > 1 && entries[entries.size() - 2].number >= e.number) fields.refuse("numbers do not increase");
  }
  return entries;
}

void add_identity(Json& object, const CacheIdentity& identity) {
  Json inputs = Json::array();
  for (const auto& input : identity.inputs) inputs.push_back({{"path", input.path}, {"hash", hex(input.hash)}});
  object["setup_hash"] = hex(identity.setup_hash);
  object["setup_name"] = identity.setup_name;
  object["inputs"] = std::move(inputs);
}

CacheIdentity identity_from(const Fields& fields, const std::string& label) {
  CacheIdentity identity{fields.hash("setup_hash"), fields.text("setup_name"), {}};
  for (const Json& item : fields.list("inputs")) {
    const Fields input(item, label);
    identity.inputs.push_back({input.text("path"), input.hash("hash")});
  }
  return identity;
}

std::vector<CacheBranch> branches_from_json(const Json& list, const std::string& label) {
  std::vector<CacheBranch> branches;
  for (const Json& item : list) {
    const Fields fields(item, label);
    branches.push_back(
        {fields.integer("from_frame", -max_number, max_number), fields.real("time"), identity_from(fields, label)});
  }
  return branches;
}

Json parse_bounded(std::string_view text, const std::string& label) {
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) throw Error(ExitCode::io, label + ": nested too deeply for a manifest");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), limit_depth);
  } catch (const Json::exception&) {
    throw Error(ExitCode::io, label + ": not valid JSON");
  }
}

Manifest read_manifest_file(const std::filesystem::path& path) {
  const Bytes bytes = read_file_bytes(path, max_bytes);
  return parse_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

std::filesystem::path path_of_current(const std::filesystem::path& folder) { return folder / "manifest.json"; }
std::filesystem::path path_of_previous(const std::filesystem::path& folder) {
  return folder / "manifest.previous.json";
}

// A second name for the current manifest, so that there is one at every moment; renamed where links are not supported.
void keep_as_previous(const std::filesystem::path& folder) {
  const auto link = folder / "manifest.previous.json.tmp";
  std::error_code error;
  std::filesystem::remove(link, error);
  std::filesystem::create_hard_link(path_of_current(folder), link, error);
  std::filesystem::rename(error ? path_of_current(folder) : link, path_of_previous(folder), error);
  if (error) throw Error(ExitCode::io, path_of_previous(folder).string() + ": cannot replace: " + error.message());
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  YMIR_CHECK(std::isfinite(manifest.fps));
  Json branches = Json::array();
  for (const CacheBranch& branch : manifest.branches) {
    YMIR_CHECK(std::isfinite(branch.time));
    Json& item = branches.emplace_back(Json{{"from_frame", branch.from_frame}, {"time", branch.time}});
    add_identity(item, branch.identity);
  }
  Json document{{"ymir_cache", format_version},
                {"program_version", manifest.program_version},
                {"branches", branches},
                {"fps", manifest.fps},
                {"frames", entries_to_json(manifest.frames, frame_file_name)},
                {"checkpoints", entries_to_json(manifest.checkpoints, checkpoint_file_name)},
                {"failures", entries_to_json(manifest.failures, failure_file_name)}};
  add_identity(document, manifest.identity);
  // File names need not be UTF-8, JSON must be.
  std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // "\n}" comes back after the checksum
  return text + closing(text);
}

Manifest parse_manifest(std::string_view text, const std::string& label) {
  const std::size_t tail = closing("").size();
  if (text.size() < tail || text.substr(text.size() - tail) != closing(text.substr(0, text.size() - tail)))
    throw Error(ExitCode::io, label + ": damaged or truncated: its checksum does not match");
  const Json document = parse_bounded(text, label);
  const Fields fields(document, label);
  const std::int64_t version = fields.integer("ymir_cache", 0, INT64_MAX);
  if (version < 1 || version > format_version)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: format version {}, but this program reads versions up to {}; use the program that "
                            "wrote it",
                            label, version, format_version));
  Manifest manifest;
  manifest.program_version = fields.text("program_version");
  manifest.identity = identity_from(fields, label);
  if (fields.has("branches")) manifest.branches = branches_from_json(fields.list("branches"), label);
  manifest.fps = fields.real("fps");
  manifest.frames = entries_from_json(fields.list("frames"), label, frame_file_name);
  manifest.checkpoints = entries_from_json(fields.list("checkpoints"), label, checkpoint_file_name);
  if (fields.has("failures")) manifest.failures = entries_from_json(fields.list("failures"), label, failure_file_name);
  return manifest;
}

bool has_manifest(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(path_of_current(folder), ignored) ||
         std::filesystem::exists(path_of_previous(folder), ignored);
}

LoadedManifest load_manifest(const std::filesystem::path& folder) {
  if (!has_manifest(folder))
    throw Error(ExitCode::io, folder.string() + ": holds no manifest.json; name the folder of a cache");
  std::string problem;
  try {
    return {read_manifest_file(path_of_current(folder)), std::nullopt};
  } catch (const Error& error) {
    if (error.code() == ExitCode::bad_input) throw;  // nothing is damaged
    problem = error.what();
  }
  try {
    return {read_manifest_file(path_of_previous(folder)), problem};
  } catch (const Error& error) {
    if (error.code() == ExitCode::bad_input) throw;
    throw Error(ExitCode::io, problem + ", and " + error.what() + "; ymir run SETUP --out " + folder.string() +
                                  " --resume computes the frames again and keeps those that come out the same");
  }
}

std::optional<std::string> problem_with_previous_manifest(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_of_previous(folder), ignored)) return std::nullopt;
  try {
    read_manifest_file(path_of_previous(folder));
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

void save_manifest(const std::filesystem::path& folder, const Manifest& manifest, bool keep_previous) {
  const std::string text = manifest_text(manifest);
  AtomicFile out(path_of_current(folder));
  out.write(text);
  if (keep_previous) keep_as_previous(folder);
  out.commit();
}

}  // namespace ymir
