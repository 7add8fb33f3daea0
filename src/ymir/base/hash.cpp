#include "ymir/base/hash.h"

#include <cstring>

namespace ymir {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  // Four independent lanes hide the multiply latency; they are folded in order at the end.
  std::uint64_t lane[4] = {seed + 1, seed + 2, seed + 3, seed + 4};
  std::size_t at = 0;
  const auto word = [&](std::size_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + offset, 8);
    return value;
  };
  for (; at + 32 <= bytes.size(); at += 32)
    for (std::size_t l = 0; l < 4; ++l) lane[l] = hash_combine(lane[l], word(at + 8 * l));
  std::uint64_t h = hash_combine(seed, bytes.size());
  for (const std::uint64_t l : lane) h = hash_combine(h, l);
  for (; at < bytes.size(); at += 8) {
    std::uint64_t tail = 0;
    const std::size_t left = bytes.size() - at;
    std::memcpy(&tail, bytes.data() + at, left < 8 ? left : 8);
    h = hash_combine(h, tail);
  }
  return h;
}

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  return hash_bytes(std::as_bytes(std::span(text.data(), text.size())), seed);
}

}  // namespace ymir
