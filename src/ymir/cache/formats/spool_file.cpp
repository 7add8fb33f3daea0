#include "ymir/cache/formats/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "ymir/cache/atomic_file.h"

namespace ymir {
namespace {

int open_nameless(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
  // Network file systems have no O_TMPFILE.
  std::string name = (folder / "ymir-spool-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

SpoolFile::SpoolFile(std::filesystem::path beside) : beside_(std::move(beside)) {
  descriptor_ = open_nameless(beside_.has_parent_path() ? beside_.parent_path() : std::filesystem::path("."));
  if (descriptor_ < 0) fail_io(beside_, "cannot create scratch space", errno);
}

SpoolFile::~SpoolFile() { ::close(descriptor_); }

SpoolFile::Extent SpoolFile::append(std::string_view text) {
  const Extent extent{size_, static_cast<std::int64_t>(text.size())};
  while (!text.empty()) {
    const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(beside_, "cannot write scratch space", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
    size_ += written;
  }
  return extent;
}

void SpoolFile::copy(Extent extent, const std::function<void(std::string_view)>& sink) const {
  std::string part(static_cast<std::size_t>(std::min<std::int64_t>(extent.size, 4 << 20)), '\0');
  while (extent.size > 0) {
    const auto wanted = std::min(part.size(), static_cast<std::size_t>(extent.size));
    const ssize_t got = ::pread(descriptor_, part.data(), wanted, extent.offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail_io(beside_, "cannot read scratch space", got < 0 ? errno : EIO);
    sink(std::string_view(part.data(), static_cast<std::size_t>(got)));
    extent.offset += got;
    extent.size -= got;
  }
}

}  // namespace ymir
