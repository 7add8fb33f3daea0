// Runs another program on untrusted data: bytes in, bytes out, with limits. Safe while threads run (posix_spawn).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ymir {

struct WorkerLimits {
  std::uint64_t output_bytes;
  int seconds;  // wall clock; the program is killed after it
};

struct WorkerResult {
  enum class End { exited, crashed, timed_out, too_much_output };
  End end = End::exited;
  int status = 0;  // exit status, or the signal that ended it
  std::vector<std::byte> output;
};

// `input` becomes its standard input, its standard output the result; standard error is discarded. An open `file` (or
// -1) becomes its descriptor 3. It gets no environment. An Error(io) when the program cannot be started.
WorkerResult run_worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                        std::span<const std::byte> input, const WorkerLimits& limits, int file = -1);

}  // namespace ymir
