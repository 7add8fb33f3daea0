#include "ymir/param/unit.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>

namespace ymir {
namespace {

// Powers of ten are kept as integers, so that 1.3 g/cm^3 and 1300 kg/m^3 are the same number.
struct Symbol {
  std::string_view name;
  double factor;  // to SI, times
  int ten;        // 10^ten
  Dimension dimension;
  bool prefixable;
};

constexpr double pi = std::numbers::pi;

constexpr std::array symbols{
    Symbol{"m", 1, 0, {1, 0, 0, 0}, true},
    Symbol{"g", 1, -3, {0, 1, 0, 0}, true},
    Symbol{"s", 1, 0, {0, 0, 1, 0}, true},
    Symbol{"K", 1, 0, {0, 0, 0, 1}, true},
    Symbol{"Hz", 1, 0, {0, 0, -1, 0}, true},
    Symbol{"N", 1, 0, {1, 1, -2, 0}, true},
    Symbol{"Pa", 1, 0, {-1, 1, -2, 0}, true},
    Symbol{"J", 1, 0, {2, 1, -2, 0}, true},
    Symbol{"W", 1, 0, {2, 1, -3, 0}, true},
    Symbol{"bar", 1, 5, {-1, 1, -2, 0}, true},
    Symbol{"atm", 101325, 0, {-1, 1, -2, 0}, false},
    Symbol{"L", 1, -3, {3, 0, 0, 0}, true},
    Symbol{"l", 1, -3, {3, 0, 0, 0}, true},
    Symbol{"t", 1, 3, {0, 1, 0, 0}, false},
    Symbol{"min", 60, 0, {0, 0, 1, 0}, false},
    Symbol{"h", 3600, 0, {0, 0, 1, 0}, false},
    Symbol{"rpm", 2 * pi / 60, 0, {0, 0, -1, 0}, false},
    Symbol{"rad", 1, 0, {}, true},
    Symbol{"deg", pi / 180, 0, {}, false},
    Symbol{"%", 1, -2, {}, false},
    Symbol{"in", 254, -4, {1, 0, 0, 0}, false},
    Symbol{"ft", 3048, -4, {1, 0, 0, 0}, false},
};

// Micro has three spellings: u, U+00B5 and U+03BC.
constexpr std::array<std::pair<std::string_view, int>, 10> prefixes{{{"n", -9},
                                                                     {"u", -6},
                                                                     {"\xc2\xb5", -6},
                                                                     {"\xce\xbc", -6},
                                                                     {"m", -3},
                                                                     {"c", -2},
                                                                     {"d", -1},
                                                                     {"k", 3},
                                                                     {"M", 6},
                                                                     {"G", 9}}};

constexpr std::array named{unit::none,
                           unit::m,
                           unit::m2,
                           unit::m3,
                           unit::s,
                           unit::kg,
                           unit::kelvin,
                           unit::m_per_s,
                           unit::m_per_s2,
                           unit::m2_per_s,
                           unit::m3_per_s,
                           unit::per_m,
                           unit::per_m3,
                           unit::per_second,
                           unit::per_m3_s,
                           unit::per_kelvin,
                           unit::kelvin_per_s,
                           unit::kg_per_m,
                           unit::kg_per_m2,
                           unit::kg_per_m3,
                           unit::kg_per_s,
                           unit::newton,
                           unit::newton_per_m,
                           unit::newton_per_m3,
                           unit::newton_m2,
                           unit::newton_second,
                           unit::pascal,
                           unit::pascal_second,
                           unit::joule,
                           unit::joule_per_kg,
                           unit::watt,
                           unit::joule_per_kg_kelvin,
                           unit::watt_per_m_kelvin};

constexpr int max_power = 9;       // of one factor
constexpr int max_dimension = 36;  // of the product, so that exponents fit in their bytes

struct Scale {
  double factor;
  int ten;
  Dimension dimension;
};

std::optional<Scale> find_symbol(std::string_view name) {
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return Scale{symbol.factor, symbol.ten, symbol.dimension};
  for (const auto& [prefix, ten] : prefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    for (const Symbol& symbol : symbols)
      if (symbol.prefixable && symbol.name == rest) return Scale{symbol.factor, ten + symbol.ten, symbol.dimension};
  }
  return std::nullopt;
}

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : rest_(text) {}

  // Multiplies the factors of the text into `q`; false: error() says why.
  bool parse(Quantity& q) {
    bool divided = false;
    for (bool first = true;; first = false) {
      const bool spaced = skip_spaces();
      if (rest_.empty()) return finish(q);
      int sign = 1;
      if (take("/")) {
        sign = -1;
        divided = true;
      } else if (take("*") || take("\xc2\xb7")) {
        if (first) return fail("a unit cannot begin with a product sign");
      } else if (!first && !spaced) {
        return fail(fmt::format("'{}' is not part of a unit", rest_.substr(0, 20)));
      } else if (!first && divided) {
        return fail("a space after '/' is ambiguous; write W/m/K for 'per m and K', or * for a product");
      }
      skip_spaces();
      if (!factor(q, sign)) return false;
    }
  }
  const std::string& error() const { return error_; }

 private:
  bool finish(Quantity& q) {
    const double given = q.value;
    q.value *= factor_;
    q.value = ten_ < 0 ? q.value / std::pow(10.0, -ten_) : q.value * std::pow(10.0, ten_);
    const bool vanished = q.value == 0 && given != 0;
    return (std::isfinite(q.value) && !vanished) || fail("the value is out of range");
  }

  bool factor(Quantity& q, int sign) {
    if (rest_.starts_with('1') && (rest_.size() == 1 || !is_digit(rest_[1]))) {  // "1/s"
      rest_.remove_prefix(1);
      return true;
    }
    std::size_t length = 0;
    while (length < rest_.size() && is_symbol(rest_[length]) && !superscript(rest_.substr(length)) &&
           !rest_.substr(length).starts_with("\xc2\xb7"))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    const std::optional<Scale> found = find_symbol(name);
    if (!found) return fail(name.empty() ? missing() : fmt::format("unknown unit '{}'", name.substr(0, 20)));
    rest_.remove_prefix(length);
    int power = 1;
    if (!exponent(power)) return false;
    power *= sign;
    q.has_unit = true;
    factor_ *= std::pow(found->factor, power);
    ten_ += found->ten * power;
    const Dimension& d = found->dimension;
    return add(q.dimension.m, d.m * power) && add(q.dimension.kg, d.kg * power) && add(q.dimension.s, d.s * power) &&
           add(q.dimension.K, d.K * power);
  }

  bool exponent(int& power) {
    if (const int raised = superscript(rest_)) {
      power = raised;
      rest_.remove_prefix(2);
      return true;
    }
    if (!take("^")) return true;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), power);
    if (status != std::errc() || std::abs(power) > max_power)
      return fail(fmt::format("the exponent after ^ must be a whole number from -{0} to {0}", max_power));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  // 2 or 3 for a leading superscript digit, else 0.
  static int superscript(std::string_view text) {
    return text.starts_with("\xc2\xb2") ? 2 : text.starts_with("\xc2\xb3") ? 3 : 0;
  }

  bool add(std::int8_t& total, int more) {
    if (std::abs(total + more) > max_dimension) return fail("the unit has too large an exponent");
    total = static_cast<std::int8_t>(total + more);
    return true;
  }

  std::string missing() const {
    return rest_.empty() ? "a unit is missing at the end" : fmt::format("'{}' is not a unit", rest_.substr(0, 20));
  }
  bool skip_spaces() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() != before;
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool fail(std::string why) {
    error_ = std::move(why);
    return false;
  }

  std::string_view rest_;
  double factor_ = 1;
  int ten_ = 0;
  std::string error_;
};

}  // namespace

ParsedQuantity parse_quantity(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  Quantity q;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), q.value);
  if (status == std::errc::result_out_of_range) return {{}, "the number is out of range"};
  if (status != std::errc() || text.starts_with("+-")) return {{}, "not a number"};
  if (!std::isfinite(q.value)) return {{}, "the number must be finite"};
  UnitParser units(digits.substr(static_cast<std::size_t>(end - digits.data())));
  if (!units.parse(q)) return {{}, units.error()};
  return {q, ""};
}

bool fits(const Quantity& q, const Unit& unit) { return !q.has_unit || q.dimension == unit.dimension; }

std::string quantity_name(Dimension dimension) {
  for (const Unit& unit : named)
    if (unit.dimension == dimension) return std::string(unit.quantity);
  std::string text;
  const auto part = [&](std::string_view symbol, int power) {
    if (power == 0) return;
    if (!text.empty()) text += ' ';
    text += symbol;
    if (power != 1) text += fmt::format("^{}", power);
  };
  part("m", dimension.m);
  part("kg", dimension.kg);
  part("s", dimension.s);
  part("K", dimension.K);
  return text;
}

}  // namespace ymir
