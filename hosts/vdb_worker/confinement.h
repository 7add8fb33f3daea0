// What a program gives up before it touches untrusted bytes: new privileges, files, network, processes, threads, and
// memory and time beyond its limits. Only descriptors that are open already stay of use.
#pragma once

#include <cstdint>

namespace ymir {

struct Confinement {
  std::uint64_t memory_bytes = 0;  // address space
  std::uint64_t cpu_seconds = 0;
  unsigned descriptors = 3;   // those below stay open, all others are closed
  bool writes_files = false;  // to the descriptors it has; never new ones
};

// Whether the build filters system calls (libseccomp); without, the limits alone hold.
bool filters_system_calls();
// Ends the process with status 126 when a step of it is refused: nothing runs half confined.
void confine(const Confinement& confinement);

}  // namespace ymir
