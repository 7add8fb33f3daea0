// Physical dimensions, the units parameters are declared in, and reading of quantities such as "1.3 g/cm^3".
// Every value inside Ymir is SI; units exist at the border only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ymir {

// Exponents of metre, kilogram, second and kelvin. Angles are dimensionless.
struct Dimension {
  std::int8_t m = 0, kg = 0, s = 0, K = 0;
  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

// What a parameter is measured in: the SI unit's symbol as parse_quantity reads it, and the quantity with its article.
struct Unit {
  Dimension dimension;
  std::string_view symbol;
  std::string_view quantity;
};

namespace unit {
inline constexpr Unit none{{}, "", "a plain number"};
inline constexpr Unit radian{{}, "rad", "an angle"};
inline constexpr Unit m{{1, 0, 0, 0}, "m", "a length"};
inline constexpr Unit m2{{2, 0, 0, 0}, "m^2", "an area"};
inline constexpr Unit m3{{3, 0, 0, 0}, "m^3", "a volume"};
inline constexpr Unit s{{0, 0, 1, 0}, "s", "a time"};
inline constexpr Unit kg{{0, 1, 0, 0}, "kg", "a mass"};
inline constexpr Unit kelvin{{0, 0, 0, 1}, "K", "a temperature"};
inline constexpr Unit m_per_s{{1, 0, -1, 0}, "m/s", "a speed"};
inline constexpr Unit m_per_s2{{1, 0, -2, 0}, "m/s^2", "an acceleration"};
inline constexpr Unit m2_per_s{{2, 0, -1, 0}, "m^2/s", "a diffusivity"};
inline constexpr Unit m3_per_s{{3, 0, -1, 0}, "m^3/s", "a volume rate"};
inline constexpr Unit radian_per_s{{0, 0, -1, 0}, "rad/s", "an angular velocity"};
inline constexpr Unit per_m{{-1, 0, 0, 0}, "1/m", "a curvature"};
inline constexpr Unit per_m3{{-3, 0, 0, 0}, "1/m^3", "a number density"};
inline constexpr Unit per_second{{0, 0, -1, 0}, "1/s", "a rate"};
inline constexpr Unit per_m3_s{{-3, 0, -1, 0}, "1/m^3/s", "a rate per volume"};
inline constexpr Unit per_kelvin{{0, 0, 0, -1}, "1/K", "an expansion coefficient"};
inline constexpr Unit kelvin_per_s{{0, 0, -1, 1}, "K/s", "a heating rate"};
inline constexpr Unit kg_per_m{{-1, 1, 0, 0}, "kg/m", "a mass per length"};
inline constexpr Unit kg_per_m2{{-2, 1, 0, 0}, "kg/m^2", "a mass per area"};
inline constexpr Unit kg_per_m3{{-3, 1, 0, 0}, "kg/m^3", "a density"};
inline constexpr Unit kg_per_s{{0, 1, -1, 0}, "kg/s", "a mass rate"};
inline constexpr Unit newton{{1, 1, -2, 0}, "N", "a force"};
inline constexpr Unit newton_per_m{{0, 1, -2, 0}, "N/m", "a stiffness"};
inline constexpr Unit newton_per_m4{{-3, 1, -2, 0}, "N/m^4", "a stiffness per volume"};
inline constexpr Unit newton_per_m3{{-2, 1, -2, 0}, "N/m^3", "a force per volume"};
inline constexpr Unit newton_m{{2, 1, -2, 0}, "N*m", "a torque"};
inline constexpr Unit newton_m2{{3, 1, -2, 0}, "N*m^2", "a bending stiffness"};
inline constexpr Unit newton_second{{1, 1, -1, 0}, "N*s", "an impulse"};
inline constexpr Unit pascal{{-1, 1, -2, 0}, "Pa", "a pressure"};
inline constexpr Unit pascal_second{{-1, 1, -1, 0}, "Pa*s", "a viscosity"};
inline constexpr Unit joule{{2, 1, -2, 0}, "J", "an energy"};
inline constexpr Unit joule_per_kg{{2, 0, -2, 0}, "J/kg", "an energy per mass"};
inline constexpr Unit joule_per_kg_kelvin{{2, 0, -2, -1}, "J/kg/K", "a specific heat"};
inline constexpr Unit watt{{2, 1, -3, 0}, "W", "a power"};
inline constexpr Unit watt_per_m_kelvin{{1, 1, -3, -1}, "W/m/K", "a thermal conductivity"};
}  // namespace unit

struct Quantity {
  double value = 0;  // [SI]
  Dimension dimension;
  bool has_unit = false;  // a number alone is in the SI unit of whatever parameter it is given to
};

struct ParsedQuantity {
  std::optional<Quantity> quantity;
  std::string error;  // why there is none
};

// A number and a unit expression: symbols with SI prefixes, products by `*` or a space, `/`, integer powers by `^`.
// `/` divides by the next factor only, and a space product after it is refused as ambiguous.
ParsedQuantity parse_quantity(std::string_view text);

bool fits(const Quantity&, const Unit&);
// "a pressure", or "m^2 kg" for a dimension without a name.
std::string quantity_name(Dimension);

}  // namespace ymir
