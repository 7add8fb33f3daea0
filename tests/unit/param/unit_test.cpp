#include "ymir/param/unit.h"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

namespace ymir {
namespace {

double si(std::string_view text, const Unit& unit) {
  const ParsedQuantity parsed = parse_quantity(text);
  EXPECT_TRUE(parsed.quantity) << text << ": " << parsed.error;
  if (!parsed.quantity) return 0;
  EXPECT_TRUE(fits(*parsed.quantity, unit)) << text << " is " << quantity_name(parsed.quantity->dimension);
  return parsed.quantity->value;
}

TEST(Units, ConvertToTheSameNumberAsHandWrittenSi) {
  // Powers of ten are exact, so these are equalities.
  EXPECT_EQ(si("1.3 g/cm^3", unit::kg_per_m3), 1300.0);
  EXPECT_EQ(si("40 um", unit::m), 40e-6);
  EXPECT_EQ(si("40 \xc2\xb5m", unit::m), 40e-6);
  EXPECT_EQ(si("40\xce\xbcm", unit::m), 40e-6);
  EXPECT_EQ(si("3.5 GPa", unit::pascal), 3.5e9);
  EXPECT_EQ(si("300 kPa", unit::pascal), 3e5);
  EXPECT_EQ(si("2 bar", unit::pascal), 2e5);
  EXPECT_EQ(si("1 mPa*s", unit::pascal_second), 1e-3);
  EXPECT_EQ(si("1 mPa s", unit::pascal_second), 1e-3);
  EXPECT_EQ(si("5 kg m/s^2", unit::newton), 5.0);
  EXPECT_EQ(si("-981 cm/s^2", unit::m_per_s2), -9.81);
  EXPECT_EQ(si("36 km/h", unit::m_per_s), 10.0);
  EXPECT_EQ(si("25 %", unit::none), 0.25);
  EXPECT_EQ(si("1/s", unit::per_second), 1.0);
  EXPECT_EQ(si("5 1/s", unit::per_second), 5.0);
  EXPECT_EQ(si("2 Hz", unit::per_second), 2.0);
  EXPECT_EQ(si("0.6 W/m/K", unit::watt_per_m_kelvin), 0.6);
  EXPECT_EQ(si("2 L", unit::m3), 2e-3);
  EXPECT_EQ(si("1 in", unit::m), 0.0254);
  EXPECT_EQ(si("3 m\xc2\xb2", unit::m2), 3.0);
  EXPECT_EQ(si("4 s^-1", unit::per_second), 4.0);
  EXPECT_EQ(si("+1e-3 t", unit::kg), 1.0);
  EXPECT_DOUBLE_EQ(si("180 deg", unit::radian), std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("60 rpm", unit::radian_per_s), 2 * std::numbers::pi);
}

TEST(Units, EverySymbolOfADeclaredUnitReadsAsThatUnit) {
  for (const Unit& u : {unit::m2,
                        unit::m3,
                        unit::m2_per_s,
                        unit::m3_per_s,
                        unit::per_m,
                        unit::per_m3,
                        unit::per_m3_s,
                        unit::per_kelvin,
                        unit::kelvin_per_s,
                        unit::kg_per_m,
                        unit::kg_per_m2,
                        unit::kg_per_s,
                        unit::newton,
                        unit::newton_per_m,
                        unit::newton_per_m3,
                        unit::newton_m2,
                        unit::newton_second,
                        unit::pascal_second,
                        unit::joule,
                        unit::joule_per_kg,
                        unit::joule_per_kg_kelvin,
                        unit::watt,
                        unit::watt_per_m_kelvin,
                        unit::radian,
                        unit::radian_per_s,
                        unit::kelvin,
                        unit::m_per_s2}) {
    const ParsedQuantity parsed = parse_quantity("1 " + std::string(u.symbol));
    ASSERT_TRUE(parsed.quantity) << u.symbol << ": " << parsed.error;
    EXPECT_EQ(parsed.quantity->dimension, u.dimension) << u.symbol;
    EXPECT_EQ(parsed.quantity->value, 1.0) << u.symbol;
  }
}

TEST(Units, ANumberAloneFitsEveryParameterAndAUnitOnlyItsOwn) {
  EXPECT_TRUE(fits(*parse_quantity("3").quantity, unit::pascal));
  EXPECT_TRUE(fits(*parse_quantity("3").quantity, unit::none));
  EXPECT_FALSE(fits(*parse_quantity("3 kg").quantity, unit::pascal));
  EXPECT_FALSE(fits(*parse_quantity("3 %").quantity, unit::m));
  EXPECT_FALSE(fits(*parse_quantity("3 m").quantity, unit::none));
  EXPECT_EQ(quantity_name(parse_quantity("3 N/m^2").quantity->dimension), "a pressure");
  EXPECT_EQ(quantity_name(parse_quantity("3 m^4 K").quantity->dimension), "m^4 K");
}

TEST(Units, RefuseWhatIsNotAFiniteQuantity) {
  for (const char* text : {"",
                           " ",
                           "m",
                           "nan",
                           "inf",
                           "-inf",
                           "NaN m",
                           "1e999",
                           "1e-999",
                           "1e300 Gm^9",
                           "1e-300 nm^9",
                           "--1",
                           "+-1",
                           "1,5",
                           "1 2",
                           "1 m 5",
                           "3 parsec",
                           "3 m^",
                           "3 m^x",
                           "3 m^10",
                           "3 m^-10",
                           "3 m^99999999999",
                           "3 *m",
                           "3 m*",
                           "3 m/",
                           "3 W/m K",
                           "3 m^9 m^9 m^9 m^9 m^9",
                           "0x10 m",
                           "3 m;",
                           "3 kk m"})
    EXPECT_FALSE(parse_quantity(text).quantity) << text;
}

TEST(Units, SayWhatIsWrong) {
  EXPECT_EQ(parse_quantity("3 parsec").error, "unknown unit 'parsec'");
  EXPECT_EQ(parse_quantity("nan").error, "the number must be finite");
  EXPECT_NE(parse_quantity("3 W/m K").error.find("ambiguous"), std::string::npos);
}

}  // namespace
}  // namespace ymir
