#pragma once

#include <string>

namespace ymir::cli {

// A word of a command line, in quotes where a shell would take it apart: commands in messages can be copied.
std::string shell_word(const std::string& text);

}  // namespace ymir::cli
