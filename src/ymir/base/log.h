// Log lines on standard error; spdlog stays behind log.cpp. Only rank 0 speaks unless something is wrong. A message is
// one line: what names of files and channels smuggle in is escaped (plain_text.h).
#pragma once

#include <string_view>

namespace ymir::log {

enum class Level { trace, debug, info, warn, error, off };

bool set_level(std::string_view name);  // false: no such level
Level level();

void debug(std::string_view message);
void info(std::string_view message);
// Warnings that differ in their numbers alone are printed a few times and then only counted.
void warn(std::string_view message);
void error(std::string_view message);
// Says how many warnings of each kind were not printed; at the end of a program.
void summarize();

}  // namespace ymir::log
