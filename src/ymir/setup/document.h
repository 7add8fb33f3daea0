// YAML text as a tree in which every node knows its place. Strict: one document, plain data, no tags, no duplicate
// keys, bounded size, depth and number of nodes after aliases are expanded. yaml-cpp stays behind document.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/setup/diagnostic.h"

namespace ymir {

namespace document_limit {
inline constexpr std::size_t bytes = 1 << 20;
inline constexpr int depth = 64;
inline constexpr std::size_t nodes = 100'000;             // with every alias expanded
inline constexpr std::size_t expanded_bytes = 4u << 20u;  // of all scalars together
}  // namespace document_limit

struct YamlEntry;

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes or a block: never true, false or a whole number
  Location at;
  std::string text;                // scalar
  std::vector<YamlNode> items;     // sequence
  std::vector<YamlEntry> entries;  // map, in the order of the file

  const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Location at;
  YamlNode value;
};

// Nothing when the text cannot be read at all. Duplicate keys are reported and their second value is left out.
std::optional<YamlNode> parse_document(std::string_view text, const std::string& file,
                                       std::vector<Diagnostic>& diagnostics);

}  // namespace ymir
