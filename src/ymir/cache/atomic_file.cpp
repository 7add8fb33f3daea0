#include "ymir/cache/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

const char* remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "free some space or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder you may write to";
    case ENOENT:
    case ENOTDIR: return "create the folder first";
    case EFBIG: return "the file size limit (ulimit -f) is too low for this file; raise it or write fewer elements";
    case EMFILE:
    case ENFILE: return "close other files or raise the limit on open files";
    case ENAMETOOLONG: return "choose a shorter name";
    case EISDIR: return "choose the name of a file, not of a folder";
    default: return "check the disk, then run again";
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// File systems that cannot sync folders say EINVAL.
int error_of_syncing(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;  // a folder may be writable yet not readable
  const int error = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  return error;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) fail("cannot replace", EISDIR);
    throw Error(ExitCode::io, path_.string() + ": not a regular file; choose the name of a file");
  }
  static std::atomic<unsigned> counter{0};
  do {
    temporary_ = path_;
    temporary_ += fmt::format(".{}-{}.tmp", ::getpid(), counter++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail("cannot create", errno);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::span<const std::byte> bytes) {
  YMIR_CHECK(descriptor_ >= 0);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() >= buffer_bytes) flush();
}

void AtomicFile::commit() {
  YMIR_CHECK(descriptor_ >= 0);
  flush();
  if (::fsync(descriptor_) != 0) fail("cannot sync", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot close", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename", errno);
  committed_ = true;
  if (const int error = error_of_syncing(folder_of(path_))) fail("cannot sync the folder of", error);
}

void AtomicFile::flush() {
  const std::byte* next = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", errno);
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!committed_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* doing, int error) {
  discard();
  fail_io(path_, doing, error);
}

void sync_folder(const std::filesystem::path& folder) {
  if (const int error = error_of_syncing(folder)) fail_io(folder, "cannot sync", error);
}

void fail_io(const std::filesystem::path& path, const char* doing, int error) {
  throw Error(ExitCode::io, fmt::format("{}: {}: {}; {}", path.string(), doing, std::strerror(error), remedy(error)));
}

}  // namespace ymir
