// Programmer errors. A failed CHECK is a bug in Ymir, never in the user's file.
#pragma once

#include <stdexcept>
#include <string>

namespace ymir {

class CheckFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  throw CheckFailed(std::string(file) + ":" + std::to_string(line) + ": check failed: " + condition);
}

}  // namespace ymir

#define YMIR_CHECK(condition)                               \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::ymir::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
