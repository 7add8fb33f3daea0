#include "ymir/cache/cache_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/cache/atomic_file.h"

namespace ymir {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t max_bytes = 1 << 16;

enum class Taken : std::uint8_t { yes, held, unsupported };

Taken lock(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  // Of the open file, not of the process: a second lock of this process is refused too, and closing some other
  // descriptor of the file does not release this one.
  if (::fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return Taken::yes;
  return errno == EAGAIN || errno == EACCES ? Taken::held : Taken::unsupported;
}

// Held by somebody, as far as the operating system knows.
Taken probe(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_GETLK, &whole) != 0) return Taken::unsupported;
  return whole.l_type == F_UNLCK ? Taken::yes : Taken::held;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

// Field 22 of /proc/PID/stat, counted after the command's name, which may hold anything.
std::string start_of(std::int64_t pid) {
  std::string boot, stat;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::getline(file, stat, '\0');
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::size_t at = name_end + 1;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return boot + " " + stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

std::string text_of(const LockHolder& holder) {
  return Json{{"host", holder.host},   {"pid", holder.pid},         {"started", holder.started},
              {"since", holder.since}, {"command", holder.command}, {"token", holder.token}}
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

// Empty while the holder is still writing it, and for a file that is not ours.
std::optional<LockHolder> read_holder(int descriptor) {
  std::string text(max_bytes, '\0');
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  if (size <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  const auto word = [&](const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  LockHolder holder{.host = word("host"),
                    .pid = 0,
                    .started = word("started"),
                    .since = word("since"),
                    .command = word("command"),
                    .token = word("token")};
  if (const auto pid = document.find("pid"); pid != document.end() && pid->is_number_integer())
    holder.pid = pid->get<std::int64_t>();
  return holder;
}

bool same_file(int descriptor, const fs::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

// The system's reason when it fails, 0 otherwise. A full disk may take a part before it says so.
int write_whole(int descriptor, const std::string& text) {
  if (::ftruncate(descriptor, 0) != 0) return errno;
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::pwrite(descriptor, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    at += static_cast<std::size_t>(written);
  }
  return 0;
}

[[noreturn]] void refuse(const fs::path& path, const std::optional<LockHolder>& holder, bool certain) {
  throw Error(ExitCode::io,
              fmt::format("{}: {} writes to this cache; wait for it to end, or choose another folder with --out{}",
                          path.parent_path().string(), holder ? holder->in_words() : "another process",
                          certain ? "" : fmt::format("; if it does not run any more, remove {}", path.string())));
}

int open_lock(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail_io(path, "cannot lock the cache", errno);
  return descriptor;
}

}  // namespace

LockHolder LockHolder::this_process(std::string command) {
  std::random_device random;
  return {.host = host_name(),
          .pid = ::getpid(),
          .started = start_of(::getpid()),
          .since = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr))),
          .command = std::move(command),
          .token = fmt::format("{:08x}{:08x}", random(), random())};
}

std::string LockHolder::in_words() const {
  return fmt::format("process {} on {} since {}{}", pid, host, since, command.empty() ? "" : " (" + command + ")");
}

bool may_be_alive(const LockHolder& holder) {
  if (holder.host != host_name()) return true;  // nobody here can tell
  if (holder.pid <= 0 || (::kill(static_cast<pid_t>(holder.pid), 0) != 0 && errno == ESRCH)) return false;
  const std::string started = start_of(holder.pid);
  return started.empty() || holder.started.empty() || started == holder.started;
}

CacheLock::CacheLock(const fs::path& folder, const std::string& command) : path_(folder / "lock.json") {
  for (;;) {
    descriptor_ = open_lock(path_);
    const Taken taken = lock(descriptor_);
    const std::optional<LockHolder> before = read_holder(descriptor_);
    const bool held = taken == Taken::held || (taken == Taken::unsupported && before && may_be_alive(*before));
    if (held) {
      ::close(std::exchange(descriptor_, -1));
      refuse(path_, before, taken == Taken::held);
    }
    // The holder before may have removed the file between our opening and locking it.
    if (!same_file(descriptor_, path_)) {
      ::close(std::exchange(descriptor_, -1));
      continue;
    }
    if (before)
      log::info(
          fmt::format("{}: {} ended without releasing the cache; taken over", path_.string(), before->in_words()));
    break;
  }
  const std::string text = text_of(LockHolder::this_process(command));
  if (const int error = write_whole(descriptor_, text)) {
    ::unlink(path_.c_str());
    ::close(std::exchange(descriptor_, -1));
    fail_io(path_, "cannot lock the cache", error);
  }
}

CacheLock::CacheLock(CacheLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

CacheLock::~CacheLock() {
  if (descriptor_ < 0) return;
  if (same_file(descriptor_, path_)) ::unlink(path_.c_str());
  // Said aloud, because a child process that has not yet become another program shares the open file.
  struct flock whole {};
  whole.l_type = F_UNLCK;
  whole.l_whence = SEEK_SET;
  ::fcntl(descriptor_, F_OFD_SETLK, &whole);
  ::close(descriptor_);
}

void CacheLock::require() const {
  if (!same_file(descriptor_, path_))
    throw Error(ExitCode::io, fmt::format("{}: was removed or replaced while this run wrote to the cache, so that "
                                          "another may write to it too; frames that are stored stay; go on with "
                                          "--resume when no other run writes there",
                                          path_.string()));
}

std::optional<LockHolder> CacheLock::holder_of(const fs::path& folder) {
  const int descriptor = ::open((folder / "lock.json").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  const Taken state = probe(descriptor);
  std::optional<LockHolder> holder = read_holder(descriptor);
  ::close(descriptor);
  if (state == Taken::yes || (state == Taken::unsupported && holder && !may_be_alive(*holder))) return std::nullopt;
  return holder;
}

}  // namespace ymir
