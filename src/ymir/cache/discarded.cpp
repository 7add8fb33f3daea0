#include "ymir/cache/discarded.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/cache_files.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;

fs::path home_of(const fs::path& cache) { return cache / "discarded"; }

// 0 for a name that is not a number.
std::int64_t number_in(const std::string& name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

}  // namespace

fs::path make_discarded_folder(const fs::path& cache, const Manifest& manifest) {
  const fs::path home = home_of(cache);
  std::error_code error;
  fs::create_directories(home, error);
  if (error) fail_io(home, "cannot create the folder", error.value());
  std::int64_t number = 1;
  for (const std::string& name : names_in(home)) number = std::max(number, number_in(name) + 1);
  const fs::path folder = home / fmt::format("{:04}", number);
  if (!fs::create_directory(folder, error)) fail_io(folder, "cannot create the folder", error ? error.value() : EEXIST);
  try {
    save_manifest(folder, manifest, false);
  } catch (const Error&) {
    fs::remove(folder, error);
    throw;
  }
  sync_folder(home);
  sync_folder(cache);
  return folder;
}

void move_files(const fs::path& from, const fs::path& to, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code error;
    fs::rename(from / name, to / name, error);
    if (error && error != std::errc::no_such_file_or_directory)
      fail_io(from / name, fmt::format("cannot move to {}", to.string()).c_str(), error.value());
  }
  sync_folder(to);
  sync_folder(from);
}

std::vector<Discarded> list_discarded(const fs::path& cache) {
  std::vector<Discarded> all;
  std::error_code error;
  if (!fs::is_directory(home_of(cache), error)) return all;
  for (const std::string& name : names_in(home_of(cache))) {
    const fs::path folder = home_of(cache) / name;
    if (number_in(name) == 0 || !fs::is_directory(folder, error)) continue;
    Discarded& found = all.emplace_back(Discarded{"discarded/" + name, 0, 0});
    for (const std::string& file : names_in(folder)) {
      const auto parsed = parse_file_name(file);
      if (parsed && parsed->kind == CacheFile::Kind::frame) ++found.frames;
      if (const auto size = fs::file_size(folder / file, error); !error) found.bytes += size;
    }
  }
  return all;
}

}  // namespace ymir
