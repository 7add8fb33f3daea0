// Ctrl-C and SIGTERM: the first asks for an end after the frame at hand, the second ends at once. Files are written
// atomically, so either leaves a cache that resumes.
#pragma once

#include <atomic>

namespace ymir::cli {

// Installs the handlers; true once an interrupt came.
const std::atomic<bool>& watch_interrupts();

}  // namespace ymir::cli
