#include "ymir/cache/formats/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "ymir/base/timer.h"
#include "ymir/cache/atomic_file.h"

namespace ymir {
namespace {

constexpr int file_descriptor = 3;

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  void reset(int value = -1) {
    if (value_ >= 0) ::close(value_);
    value_ = value;
  }

 private:
  int value_;
};

// The child; killed and reaped however the caller leaves.
class Child {
 public:
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments, int file) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    // A socket instead of a pipe: writing to a dead reader must be an error, not a SIGPIPE.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0) fail_io(program, "cannot start", errno);
    to_child.reset(in[0]);
    const Descriptor child_in(in[1]);
    if (::pipe2(out.data(), O_CLOEXEC) != 0) fail_io(program, "cannot start", errno);
    from_child.reset(out[0]);
    const Descriptor child_out(out[1]);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child_in.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child_out.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (file >= 0) posix_spawn_file_actions_adddup2(&actions, file, file_descriptor);
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // Libraries read settings from the environment; what the user set for ymir is not meant for it.
    std::array<char*, 1> environment{nullptr};
    const int error = ::posix_spawn(&process_, program.c_str(), &actions, nullptr, argv.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail_io(program, "cannot start", error);
  }
  ~Child() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // True once it has ended, with its wait status.
  bool ended(int& status) {
    const pid_t reaped = ::waitpid(process_, &status, WNOHANG);
    if (reaped == process_) process_ = -1;
    return reaped > 0;
  }

  Descriptor to_child;
  Descriptor from_child;

 private:
  pid_t process_ = -1;
};

}  // namespace

WorkerResult run_worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                        std::span<const std::byte> input, const WorkerLimits& limits, int file) {
  Child child(program, arguments, file);
  WorkerResult result;
  const Timer timer;
  std::vector<std::byte> part(std::size_t{1} << 20);
  if (input.empty()) child.to_child.reset();
  while (true) {
    const double left = limits.seconds - timer.seconds();
    if (left <= 0) {
      result.end = WorkerResult::End::timed_out;
      return result;
    }
    std::array<pollfd, 2> waits{{{child.from_child.get(), POLLIN, 0}, {child.to_child.get(), POLLOUT, 0}}};
    if (::poll(waits.data(), waits.size(), static_cast<int>(left * 1000) + 1) < 0 && errno != EINTR)
      fail_io(program, "cannot wait for it", errno);
    if (waits[1].revents != 0) {
      const ssize_t sent =
          ::send(child.to_child.get(), input.data(), std::min(input.size(), part.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) input = input.subspan(static_cast<std::size_t>(sent));
      const bool gone = sent < 0 && errno != EAGAIN && errno != EINTR;  // it ended early and will say why
      if (gone || input.empty()) child.to_child.reset();
    }
    if (waits[0].revents == 0) continue;
    const ssize_t got = ::read(child.from_child.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.output.insert(result.output.end(), part.begin(), part.begin() + got);
    if (result.output.size() > limits.output_bytes) {
      result.end = WorkerResult::End::too_much_output;
      return result;
    }
  }
  // Its output is closed; it may still linger.
  int status = 0;
  while (!child.ended(status)) {
    if (timer.seconds() > limits.seconds) {
      result.end = WorkerResult::End::timed_out;
      return result;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (WIFSIGNALED(status)) result.end = WorkerResult::End::crashed;
  result.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace ymir
