#include "shell_word.h"

#include <cctype>

namespace ymir::cli {

std::string shell_word(const std::string& text) {
  bool plain = !text.empty();
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string("_./-+=:,@%").find(c) == std::string::npos)
      plain = false;
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace ymir::cli
