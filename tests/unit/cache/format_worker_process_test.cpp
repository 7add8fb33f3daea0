#include <csignal>

#include "format_samples.h"
#include "ymir/cache/formats/worker_process.h"

namespace ymir {
namespace {

using namespace format_samples;
using End = WorkerResult::End;

WorkerResult shell(const std::string& script, std::string_view input = {}, WorkerLimits limits = {1 << 24, 60}) {
  return run_worker("/bin/sh", {"-c", script}, bytes_of(input), limits);
}

TEST(WorkerProcess, CarriesInputAndOutputLargerThanPipes) {
  const std::string input(3'000'000, 'x');
  const WorkerResult result = shell("cat", input);
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output.size(), input.size());
}

TEST(WorkerProcess, ReportsExitStatusAndCrashes) {
  EXPECT_EQ(shell("exit 7").status, 7);
  const WorkerResult crashed = shell("echo half; kill -SEGV $$");
  EXPECT_EQ(crashed.end, End::crashed);
  EXPECT_EQ(crashed.status, SIGSEGV);
}

TEST(WorkerProcess, SurvivesAProgramThatDoesNotReadItsInput) {
  const WorkerResult result = shell("exit 3", std::string(3'000'000, 'x'));
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.status, 3);
}

TEST(WorkerProcess, StopsAProgramThatSaysTooMuch) {
  EXPECT_EQ(shell("while true; do echo xxxxxxxxxxxxxxxx; done", {}, {100'000, 60}).end, End::too_much_output);
}

TEST(WorkerProcess, StopsAProgramThatHangs) {
  EXPECT_EQ(shell("exec sleep 1000", {}, {1000, 1}).end, End::timed_out);
  EXPECT_EQ(shell("exec >&-; exec sleep 1000", {}, {1000, 1}).end, End::timed_out);
}

TEST(WorkerProcess, SaysWhenAProgramCannotStart) {
  expect_refusal(
      [] {
        run_worker("/nonexistent/program", {}, {}, {1000, 1});
      },
      {"/nonexistent/program", "cannot start"}, ExitCode::io);
}

}  // namespace
}  // namespace ymir
