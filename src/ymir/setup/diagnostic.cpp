#include "ymir/setup/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/plain_text.h"

namespace ymir {

std::string place_of(const Diagnostic& d) {
  const std::string place = d.at.line > 0 ? fmt::format(":{}:{}", d.at.line, d.at.column) : ":";
  return fmt::format("{}{} {}{}", plain_text(d.file), place, plain_text(d.path), d.path.empty() ? "" : ": ");
}

std::string to_string(const Diagnostic& d) {
  return place_of(d) + (d.severity == Severity::warning ? "warning: " : "") + plain_text(d.message);
}

std::string to_string(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += to_string(d) + "\n";
  return text;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace ymir
