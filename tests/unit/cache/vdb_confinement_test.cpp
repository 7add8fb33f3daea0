// What the program that runs OpenVDB may still do once it has confined itself. Each attempt is made by a child of its
// own under the same confinement.
#ifdef YMIR_HAS_CONFINEMENT

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "confinement.h"

namespace ymir {
namespace {

constexpr int granted = 10, denied = 20;
const Confinement usual{
    .memory_bytes = std::uint64_t{1} << 30, .cpu_seconds = 10, .descriptors = 4, .writes_files = false};

// Exit status of a confined child that ends with attempt().
template <class Attempt>
int confined(Attempt&& attempt, const Confinement& confinement = usual) {
  const pid_t child = fork();
  if (child == 0) {
    confine(confinement);
    _exit(attempt());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class Confined : public testing::Test {
 protected:
  void SetUp() override {
    if (!filters_system_calls()) GTEST_SKIP() << "built without libseccomp, or with a sanitizer";
  }
};

TEST_F(Confined, OpensNoFile) {
  EXPECT_EQ(confined([] { return open("/etc/hostname", O_RDONLY) < 0 ? denied : granted; }), denied);
  // Not for want of descriptors either.
  EXPECT_EQ(confined([] {
              close(3);
              return open("/dev/null", O_RDWR) < 0 && errno == EPERM ? denied : granted;
            }),
            denied);
  EXPECT_EQ(confined([] { return unlink("/nonexistent") < 0 && errno == EPERM ? denied : granted; }), denied);
}

TEST_F(Confined, HasNoNetwork) {
  EXPECT_EQ(confined([] {
              close(3);
              return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM ? denied : granted;
            }),
            denied);
}

TEST_F(Confined, StartsNoProcessAndNoProgram) {
  EXPECT_EQ(confined([] {
              const pid_t child = fork();
              if (child == 0) _exit(0);
              return child < 0 ? denied : granted;
            }),
            denied);
  EXPECT_EQ(confined([] {
              execl("/bin/true", "true", nullptr);
              return denied;
            }),
            denied);
}

TEST_F(Confined, RunsNoCodeOfItsOwnMaking) {
  EXPECT_EQ(confined([] {
              void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (page == MAP_FAILED) return 1;
              return mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0 ? denied : granted;
            }),
            denied);
}

TEST_F(Confined, KillsNobody) {
  EXPECT_EQ(confined([] { return kill(getppid(), 0) < 0 ? denied : granted; }), denied);
}

TEST(Confinement, LimitsMemoryAndTime) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(confined([] { return std::malloc(std::size_t{2} << 30) == nullptr ? denied : granted; }), denied);
#endif
  EXPECT_EQ(confined([] { return std::malloc(std::size_t{64} << 20) == nullptr ? denied : granted; }), granted);
  EXPECT_EQ(confined(
                [] {
                  for (volatile unsigned i = 0;; ++i) {
                  }
                  return granted;
                },
                {.memory_bytes = std::uint64_t{1} << 30, .cpu_seconds = 1, .descriptors = 4, .writes_files = false}),
            -SIGKILL);
}

// What the kernel says of a process, as "Name:\tvalue" lines.
std::string status_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Confined, IsTheWorkerItself) {
  // It waits for its input, confined.
  int input[2];
  ASSERT_EQ(pipe(input), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(input[0], 0);
    dup2(open("/dev/null", O_RDWR), 3);
    execl(YMIR_VDB_WORKER, "ymir-vdb-worker", "write", "1000", "1000000000", "60", nullptr);
    _exit(1);
  }
  std::string status;
  int ended = 0;
  while (status.find("Seccomp:\t2") == std::string::npos && waitpid(child, &ended, WNOHANG) == 0) {
    usleep(1000);
    status = status_of(child);
    if (status.find("State:\tS") != std::string::npos) break;  // asleep: it reads
  }
  EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos) << status;
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos) << status;
  kill(child, SIGKILL);
  waitpid(child, &ended, 0);
  close(input[0]);
  close(input[1]);
}

TEST(Confinement, WritesNoFileUnlessItIsToWriteOne) {
  const auto path = std::filesystem::temp_directory_path() / ("ymir-confined-" + std::to_string(getpid()));
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  const auto write_to_it = [&] {
    signal(SIGXFSZ, SIG_IGN);
    return write(3, "x", 1) == 1 ? granted : denied;
  };
  const auto with_file = [&](bool writes) {
    const pid_t child = fork();
    if (child == 0) {
      dup2(file, 3);
      Confinement confinement = usual;
      confinement.writes_files = writes;
      confine(confinement);
      _exit(write_to_it());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  };
  EXPECT_EQ(with_file(false), denied);
  EXPECT_EQ(with_file(true), granted);
  close(file);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ymir

#endif
