// Errors a user can cause and mend. Programmer errors are CHECKs (check.h); numerical trouble is a SolveReport.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace ymir {

// Exit codes of every `ymir` command; docs/cli.md documents them.
enum class ExitCode : int {
  ok = 0,
  usage = 2,         // the command line is wrong
  bad_input = 3,     // a file the user named is missing, malformed or refused
  io = 4,            // reading or writing failed: disk full, permission, corrupt cache
  numerical = 5,     // the simulation could not go on; a checkpoint was left
  internal = 70,     // a CHECK failed: a bug in Ymir
  interrupted = 130  // Ctrl-C; finished frames are kept
};

// What went wrong, where (file and place), and the remedy, in one sentence a user can act on.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace ymir
