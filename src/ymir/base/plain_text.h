// Text of a file, a name or a path as a terminal may show it: nothing in it moves the cursor, changes colours or turns
// the direction of reading.
#pragma once

#include <string>
#include <string_view>

namespace ymir {

enum class Newlines { escape, keep };

// Control characters become \x1b or \n, bytes that are not UTF-8 \xff, invisible characters that steer a terminal or
// the direction of text \u202e; everything else stays.
std::string plain_text(std::string_view text, Newlines newlines = Newlines::escape);

}  // namespace ymir
