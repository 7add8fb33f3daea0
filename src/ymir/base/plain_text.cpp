#include "ymir/base/plain_text.h"

#include <cstdint>

namespace ymir {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xC2 && lead < 0xE0   ? 2
                            : lead >= 0xE0 && lead < 0xF0 ? 3
                            : lead >= 0xF0 && lead < 0xF5 ? 4
                                                          : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, bytes};
}

// Delete, controls above ASCII, line and paragraph separators, marks and overrides of direction. In this form they are
// escapes of JSON too, whose strings may hold them.
bool steers(std::uint32_t code) {
  return (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::string hex(std::uint32_t value, int digits) {
  std::string text;
  for (int d = digits - 1; d >= 0; --d) text += "0123456789abcdef"[value >> (4 * d) & 0xFu];
  return text;
}

}  // namespace

std::string plain_text(std::string_view text, Newlines newlines) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character c = first_character(text.substr(at));
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0)
      plain += "\\x" + hex(static_cast<unsigned char>(text[at]), 2);
    else if (c.code == '\n')
      plain += newlines == Newlines::keep ? "\n" : "\\n";
    else if (c.code == '\t')
      plain += newlines == Newlines::keep ? "\t" : "\\t";
    else if (c.code == '\r')
      plain += "\\r";
    else if (c.code < 0x20)
      plain += "\\x" + hex(c.code, 2);
    else if (steers(c.code))
      plain += "\\u" + hex(c.code, 4);
    else
      plain += text.substr(at, bytes);
    at += bytes;
  }
  return plain;
}

}  // namespace ymir
