#include "ymir/cache/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "ymir/base/error.h"

namespace ymir {
namespace {

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

Bytes read_file_bytes(const std::filesystem::path& path, std::uint64_t limit) {
  const auto refuse = [&](const std::string& what) -> Error { return {ExitCode::io, path.string() + ": " + what}; };
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait for ever.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) throw refuse(std::string("cannot open: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(file.value, &status) != 0) throw refuse(std::string("cannot read: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw refuse("not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit)
    throw refuse("has " + std::to_string(size) + " bytes, more than the " + std::to_string(limit) + " expected");

  Bytes bytes;
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc&) {
    throw refuse("does not fit in memory");
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::read(file.value, bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw refuse(std::string("cannot read: ") + std::strerror(errno));
    if (got == 0) throw refuse("became shorter while it was read");
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace ymir
