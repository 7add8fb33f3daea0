#include "quantity.h"

#include <fmt/format.h>

#include "ymir/base/error.h"

namespace ymir::cli {

double quantity(const std::string& option, const std::string& text, const Unit& unit, double otherwise) {
  if (text.empty()) return otherwise;
  const ParsedQuantity parsed = parse_quantity(text);
  if (!parsed.quantity) throw Error(ExitCode::usage, option + " " + text + ": " + parsed.error);
  if (!fits(*parsed.quantity, unit))
    throw Error(ExitCode::usage,
                fmt::format("{} {}: expected {}, such as 1 {}", option, text, unit.quantity, unit.symbol));
  return parsed.quantity->value;
}

}  // namespace ymir::cli
