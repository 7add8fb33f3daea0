#include "ymir/param/schema.h"

#include <gtest/gtest.h>

#include "ymir/param/time_params.h"

namespace ymir {
namespace {

enum class Law { linear, quadratic };

struct Inner {
  double rate = 2;
};

struct Params {
  bool flag = true;
  int count = 3;
  std::int64_t seed = std::int64_t{1} << 40;
  double length = 0.5;
  Varying<double> radius = 1e-3;
  Varying<Vec3d> wind{{1, 2, 3}};
  std::string label = "plain";
  Law law = Law::quadratic;
  std::vector<double> weights{0.5};
  InputRef source{"groom"};
  GroupRef around{"Hair"};
  std::optional<double> limit;
  Inner inner;
  std::optional<Inner> burst;
  FrameRange frames{1, 9};
};

Schema<Inner> inner_schema() {
  return Schema<Inner>("inner", "Nested.").param(&Inner::rate, "rate", unit::per_second, "Rate.").at_least(0);
}

Schema<Params> schema() {
  return Schema<Params>("sample", "All kinds.")
      .param(&Params::flag, "flag", "Switch.")
      .param(&Params::count, "count", "Small.")
      .param(&Params::seed, "seed", "Large.")
      .param(&Params::length, "length", unit::m, "Length.")
      .range(0, 1)
      .param(&Params::radius, "radius", unit::m, "Radius.")
      .positive()
      .param(&Params::wind, "wind", unit::m_per_s, "Wind.")
      .param(&Params::label, "label", "Text.")
      .param(&Params::law, "law", "Choice.")
      .enumerated<Law>({{"linear", Law::linear}, {"quadratic", Law::quadratic}})
      .param(&Params::weights, "weights", unit::none, "List.")
      .param(&Params::source, "source", "Input.")
      .param(&Params::around, "around", "Group.")
      .param(&Params::limit, "limit", unit::s, "Optional.")
      .param(&Params::inner, "inner", inner_schema(), "Struct.")
      .param(&Params::burst, "burst", inner_schema(), "Optional struct.")
      .param(&Params::frames, "frames", "Frames.");
}

TEST(Schema, DefaultsAreThoseOfADefaultConstructedParams) {
  const SchemaInfo info = schema().info();
  const Params constructed;
  ASSERT_EQ(info.params.size(), 15u);
  for (const ParamInfo& p : info.params) EXPECT_EQ(p.default_value, p.get(&constructed)) << p.name;
  EXPECT_EQ(info.find("length")->default_value, ParamValue(0.5));
  EXPECT_EQ(info.find("law")->default_value, ParamValue(std::string("quadratic")));
  EXPECT_EQ(info.find("limit")->default_value, ParamValue());
}

TEST(Schema, EveryKindOfValueMakesTheRoundTrip) {
  const SchemaInfo info = schema().info();
  Params changed;
  changed.flag = false;
  changed.count = -4;
  changed.seed = -5;
  changed.length = 0.25;
  changed.radius = 2.0;
  changed.wind = Vec3d{4, 5, 6};
  changed.label = "other";
  changed.law = Law::linear;
  changed.weights = {1, 2, 3};
  changed.source.name = "head";
  changed.around.path = "A/B";
  changed.limit = 3.0;
  changed.inner.rate = 8;
  changed.burst = Inner{9};
  changed.frames = {5, 6};
  const ParamValues values = collect(info, &changed);
  Params copy;
  for (const ParamInfo& p : info.params) EXPECT_NE(p.get(&copy), p.get(&changed)) << p.name;
  apply(info, values, &copy);
  EXPECT_EQ(collect(info, &copy), values);
  EXPECT_EQ(copy.law, Law::linear);
  EXPECT_EQ(copy.wind.value, (Vec3d{4, 5, 6}));
  EXPECT_EQ(copy.burst->rate, 9);
  apply(info, {{{"burst", {}}, {"limit", {}}}}, &copy);
  EXPECT_FALSE(copy.burst || copy.limit);
}

TEST(Schema, KnowsWhatChannelsOverrideAndWhatIsOptional) {
  const SchemaInfo info = schema().info();
  EXPECT_TRUE(info.find("radius")->varying);
  EXPECT_TRUE(info.find("wind")->varying);
  EXPECT_FALSE(info.find("length")->varying);
  EXPECT_TRUE(info.find("limit")->optional);
  EXPECT_TRUE(info.find("burst")->optional);
}

TEST(Schema, RangesHoldForEveryComponent) {
  const SchemaInfo info = schema().info();
  const ParamInfo& length = *info.find("length");
  EXPECT_EQ(range_problem(length, 1.0), "");
  EXPECT_EQ(range_problem(length, 1.5), "must be between 0 and 1 m, got 1.5 m");
  EXPECT_EQ(range_problem(*info.find("radius"), 0.0), "must be above 0 m, got 0 m");
  EXPECT_EQ(range_problem(*info.find("wind"), Vec3d{0, NAN, 0}), "must be finite");
  EXPECT_EQ(range_problem(*info.find("weights"), std::vector<double>{1, INFINITY}), "must be finite");
  EXPECT_NE(range_problem(*info.find("count"), std::int64_t{1} << 32), "");
  EXPECT_EQ(range_problem(*info.find("seed"), std::int64_t{1} << 62), "");
  EXPECT_EQ(range_problem(*info.find("frames"), FrameRange{5, 4}), "the first frame 5 is after the last frame 4");
  EXPECT_EQ(range_problem(*info.find("inner"), ParamValues{{{"rate", -1.0}}}),
            "rate: must be at least 0 1/s, got -1 1/s");
}

TEST(Schema, ResolvedValuesAreTheSameHoweverTheyAreGiven) {
  const SchemaInfo info = schema().info();
  const ParamValues given{{{"inner", ParamValues{{{"rate", 2.0}}}}, {"length", 0.5}}};
  EXPECT_EQ(resolved(info, given), resolved(info, {}));
  EXPECT_FALSE(resolved(info, {{{"length", 0.75}}}) == resolved(info, {}));
}

TEST(Schema, RefusesUnsoundDeclarations) {
  const auto out_of_range = [] {
    return Schema<Inner>("x", "X.").param(&Inner::rate, "rate", unit::m, "R.").range(3, 4).info();
  };
  const auto twice = [] {
    return Schema<Inner>("x", "X.")
        .param(&Inner::rate, "rate", unit::m, "R.")
        .param(&Inner::rate, "rate", unit::m, "R.")
        .info();
  };
  const auto undocumented = [] { return Schema<Inner>("x", "X.").param(&Inner::rate, "rate", unit::m, "").info(); };
  const auto without_choices = [] { return Schema<Params>("x", "X.").param(&Params::law, "law", "L.").info(); };
  const auto unit_on_text = [] { return Schema<Params>("x", "X.").param(&Params::label, "l", unit::m, "L.").info(); };
  EXPECT_THROW(out_of_range(), CheckFailed);
  EXPECT_THROW(twice(), CheckFailed);
  EXPECT_THROW(undocumented(), CheckFailed);
  EXPECT_THROW(without_choices(), CheckFailed);
  EXPECT_THROW(unit_on_text(), CheckFailed);
}

TEST(Schema, ValueTextCarriesTheUnit) {
  const SchemaInfo info = schema().info();
  const Params p;
  const auto text = [&](const char* name) { return value_text(*info.find(name), info.find(name)->get(&p)); };
  EXPECT_EQ(text("radius"), "0.001 m");
  EXPECT_EQ(text("wind"), "[1, 2, 3] m/s");
  EXPECT_EQ(text("limit"), "none");
  EXPECT_EQ(text("inner"), "{rate: 2 1/s}");
  EXPECT_EQ(text("frames"), "[1, 9]");
}

TEST(TimeParams, AreDeclaredWithTheirConstructedDefaults) {
  const SchemaInfo info = TimeParams::schema().info();
  const TimeParams time;
  EXPECT_EQ(info.find("fps")->default_value, ParamValue(time.fps));
  EXPECT_EQ(info.find("largest_speed")->default_value, ParamValue(time.largest_speed));
  EXPECT_EQ(info.params.size(), 8u);
}

enum class Shape : std::uint8_t { ball, crate, mesh };

struct Solid {
  Shape shape = Shape::ball;
  double radius = 1;
  std::optional<double> size;
  std::string file;
  bool moves = false;
  double speed = 0;
};

SchemaInfo solid() {
  return Schema<Solid>("solid", "A solid.")
      .param(&Solid::shape, "shape", "Shape.")
      .enumerated<Shape>({{"ball", Shape::ball}, {"crate", Shape::crate}, {"mesh", Shape::mesh}})
      .param(&Solid::radius, "radius", unit::m, "Radius.")
      .only_when("shape", {"ball"})
      .param(&Solid::size, "size", unit::m, "Size.")
      .only_when("shape", {"crate", "mesh"})
      .only_without({"file"})
      .param(&Solid::file, "file", "File.")
      .only_when("shape", {"mesh"})
      .param(&Solid::moves, "moves", "Moves.")
      .only_with({"radius", "file"})
      .param(&Solid::speed, "speed", unit::m_per_s, "Speed.")
      .only_when("moves", {"true"})
      .info();
}

std::string effect(const char* name, ParamValues given) {
  const SchemaInfo schema = solid();
  return no_effect(schema, *schema.find(name), given);
}

TEST(Applicability, SaysWhyAValueHasNoEffectAndWhatToDo) {
  const ParamValue crate = std::string("crate"), mesh = std::string("mesh"), file = std::string("a.obj");
  EXPECT_EQ(effect("radius", {{{"radius", 2.0}}}), "");
  EXPECT_EQ(effect("radius", {{{"radius", 2.0}, {"shape", crate}}}),
            "has no effect with shape: crate; leave it out, or give shape: ball");
  EXPECT_EQ(effect("size", {{{"size", 2.0}}}),
            "has no effect with shape: ball (the default); leave it out, or give shape: crate or mesh");
  EXPECT_EQ(effect("size", {{{"size", ParamValue()}}}), "");  // an optional one that says nothing
  EXPECT_EQ(effect("size", {{{"size", 2.0}, {"shape", mesh}, {"file", file}}}),
            "has no effect beside file; leave one of them out");
  // A file beside a crate is refused itself, and is no reason to refuse the size as well.
  EXPECT_EQ(effect("size", {{{"size", 2.0}, {"shape", crate}, {"file", file}}}), "");
  EXPECT_EQ(effect("moves", {{{"moves", true}}}), "has no effect without radius or file; leave it out");
  EXPECT_EQ(effect("speed", {{{"speed", 1.0}, {"moves", false}}}),
            "has no effect with moves: false; leave it out, or give moves: true");
}

TEST(Applicability, IsDescribed) {
  const SchemaInfo schema = solid();
  EXPECT_EQ(applies_text(*schema.find("shape")), "");
  EXPECT_EQ(applies_text(*schema.find("size")), "for shape: crate or mesh, without file");
  EXPECT_EQ(applies_text(*schema.find("moves")), "with radius or file");
}

TEST(Range, KeepsLengthsWithinReachAndNumbersWithinFrames) {
  const SchemaInfo schema = solid();
  EXPECT_EQ(range_problem(*schema.find("radius"), 1e9), "");
  EXPECT_NE(range_problem(*schema.find("radius"), -1.1e9).find("at most 1e+09 m"), std::string::npos);
  EXPECT_EQ(range_problem(*schema.find("speed"), 3e38), "");
  EXPECT_NE(range_problem(*schema.find("speed"), 4e38).find("frames hold numbers up to 3.4e+38"), std::string::npos);
}

}  // namespace
}  // namespace ymir
