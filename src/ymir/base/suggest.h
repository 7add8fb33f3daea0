// Names a user may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ymir {

// Number of letters inserted, deleted, replaced or swapped with a neighbour; capitals do not count.
int edit_distance(std::string_view a, std::string_view b);

// "did you mean 'gravity'?", or what there is to choose from when nothing is near ("" when there is nothing).
std::string suggest(std::string_view given, const std::vector<std::string>& names);

// Text of a file as a message may quote it: short, control characters escaped.
std::string shown(std::string_view text);

}  // namespace ymir
