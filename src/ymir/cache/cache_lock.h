// One writer per cache. The writer holds lock.json in the folder, locked by the operating system for as long as the
// process lives, so that a crash leaves a file that nobody holds: the next writer recognises it and takes it over.
// Readers are not hindered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ymir {

// A process, as it introduces itself in lock.json.
struct LockHolder {
  std::string host;
  std::int64_t pid = 0;
  std::string started;  // boot of the machine and ticks since then: tells processes apart that had the same pid
  std::string since;    // when the lock was taken, in words
  std::string command;
  std::string token;  // random

  static LockHolder this_process(std::string command);
  // "process 123 on host since 2026-01-31 12:00:00 UTC (ymir run ...)".
  std::string in_words() const;
};

// False when that process cannot be the holder any more: another process, or none, has its pid on this machine. For
// file systems that know no locks.
bool may_be_alive(const LockHolder& holder);

class CacheLock {
 public:
  // Error(io) naming the holder when another process, or another CacheLock of this one, has it; also when the folder
  // cannot be written to.
  CacheLock(const std::filesystem::path& folder, const std::string& command);
  ~CacheLock();  // releases, and removes lock.json
  CacheLock(CacheLock&& other) noexcept;
  CacheLock& operator=(CacheLock&&) = delete;

  // Error(io) when lock.json was removed or replaced: another process may be writing.
  void require() const;

  // Who writes to a folder now; empty when nobody does.
  static std::optional<LockHolder> holder_of(const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace ymir
