// 64-bit hashing for state hashes, setup hashes and file checksums. Not cryptographic.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ymir {

// Bijective avalanche of 64 bits (the finaliser of MurmurHash3 with Stafford's "mix 13" constants).
constexpr std::uint64_t mix64(std::uint64_t h) {
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t value) {
  return mix64(seed * 0x9e3779b97f4a7c15ull + value);
}

// Hash of a byte string: every 8-byte word passes through mix64 chained on the previous ones, so any flipped bit,
// moved word or changed length shows.
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0);

// Bits of a floating-point value for hashing; -0 and +0 hash alike.
inline std::uint64_t hash_bits(double value) { return value == 0 ? 0 : std::bit_cast<std::uint64_t>(value); }

}  // namespace ymir
