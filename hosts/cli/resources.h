// What the program says when the system gives it no more: memory, file size, threads. Always a line and an exit code,
// never a signal.
#pragma once

#include <string>

namespace ymir::cli {

// What is being done, for the message when memory runs out: "drawing frame 12".
void now(std::string what);
std::string out_of_memory();
// Before anything else: writing beyond the limit on file sizes becomes an error like a full disk, an exception that
// cannot be caught (in a destructor, in a parallel loop) a message.
void watch_resources();

}  // namespace ymir::cli
