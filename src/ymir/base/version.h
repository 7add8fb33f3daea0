#pragma once

#include <string_view>

namespace ymir {

inline constexpr std::string_view version = "0.1.0";

}  // namespace ymir
