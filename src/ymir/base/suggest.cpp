#include "ymir/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ymir/base/plain_text.h"

namespace ymir {
namespace {

constexpr std::size_t longest_name = 64;  // beyond it a word is no misspelt name

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins(std::string_view name, std::string_view start) {
  return start.size() >= 3 && name.size() > start.size() && name.substr(0, start.size()) == start;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table are alive: a swap looks two back.
  std::vector<int> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) back[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    two_back.swap(back);
    back.swap(row);
  }
  return back[b.size()];
}

std::string suggest(std::string_view given, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  if (!given.empty() && given.size() <= longest_name) {
    int best = std::numeric_limits<int>::max();
    const std::string* nearest = nullptr;
    for (const std::string& name : names) {
      const int distance = begins(name, given) || begins(given, name) ? 1 : edit_distance(given, name);
      if (distance < best) {
        best = distance;
        nearest = &name;
      }
    }
    const int tolerance = std::max(2, static_cast<int>(given.size()) / 3);
    if (best <= tolerance && best < static_cast<int>(given.size())) return fmt::format("did you mean '{}'?", *nearest);
  }
  std::string text = "there is ";
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > most ? text + ", ..." : text;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return fmt::format("'{}'", plain_text(text));
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;  // not within a character
  return fmt::format("'{}...'", plain_text(text.substr(0, end)));
}

}  // namespace ymir
