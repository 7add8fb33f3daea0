#include "ymir/data/channel_info.h"

namespace ymir {

std::string type_text(ScalarType type, int components) {
  constexpr const char* names[] = {"f32", "f64", "i32", "i64", "u8", "u64"};
  const std::string scalar = names[static_cast<std::size_t>(type)];
  return components == 1 ? scalar : scalar + " x " + std::to_string(components);
}

}  // namespace ymir
