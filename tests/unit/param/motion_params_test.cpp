#include "ymir/param/motion_params.h"

#include <gtest/gtest.h>

namespace ymir {
namespace {

struct Moved : MotionParams {
  double size = 1;
};

SchemaInfo schema() {
  return with_motion(Schema<Moved>("moved", "Moves.").param(&Moved::size, "size", unit::m, "Its size."), "Pivot.")
      .info();
}

TEST(MotionParams, ListOfStructsSurvivesCollectAndApply) {
  Moved before;
  before.motion = {{0, {1, 2, 3}, {}}, {0.5, {}, {0, 1, 0}}};
  before.interpolation = KeyInterpolation::smooth;
  before.pivot = Vec3d{4, 5, 6};
  const ParamValues values = collect(schema(), &before);
  Moved after;
  after.motion = {{7, {}, {}}};
  apply(schema(), values, &after);
  EXPECT_EQ(after.motion, before.motion);
  EXPECT_EQ(after.interpolation, KeyInterpolation::smooth);
  EXPECT_EQ(after.pivot, before.pivot);
  EXPECT_EQ(collect(schema(), &after), values);
}

TEST(MotionParams, GivenItemsKeepTheirOwnDefaults) {
  ParamValues key;
  set_value(key, "time", 2.0);
  ParamValues given;
  set_value(given, "motion", std::vector<ParamValues>{key});
  const ParamValues all = resolved(schema(), given);
  const auto& items = std::get<std::vector<ParamValues>>(*find_value(all, "motion"));
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(*find_value(items[0], "position"), ParamValue(Vec3d{0, 0, 0}));
  EXPECT_EQ(*find_value(items[0], "time"), ParamValue(2.0));
  const SchemaInfo info = schema();
  EXPECT_EQ(value_text(*info.find("motion"), *find_value(all, "motion")),
            "[{time: 2 s, position: [0, 0, 0] m, rotation: [0, 0, 0] rad}]");
}

TEST(MotionParams, RangesHoldInsideItems) {
  ParamValues key;
  set_value(key, "time", std::numeric_limits<double>::infinity());
  const SchemaInfo info = schema();
  EXPECT_EQ(range_problem(*info.find("motion"), std::vector<ParamValues>{key}), "time: must be finite");
  EXPECT_EQ(range_problem(*info.find("motion"), std::vector<ParamValues>{}), "");
}

TEST(MotionParams, RefusesTimesThatDoNotIncrease) {
  MotionParams p;
  p.motion = {{0, {}, {}}, {2, {}, {}}, {2, {}, {}}};
  EXPECT_EQ(motion_problem(p), "the times of keys must increase, but 2 s follows 2 s; put the keys in order");
  p.motion.pop_back();
  EXPECT_EQ(motion_problem(p), "");
}

TEST(MotionParams, RefusesATurnWhoseWayIsNotClear) {
  MotionParams p;
  p.motion = {{0, {}, {}}, {1, {}, {0, 20, 0}}};
  EXPECT_EQ(motion_problem(p), "") << "one angle may change by any amount";
  p.motion = {{0, {}, {}}, {1, {}, {0.1, M_PI, 0}}};
  EXPECT_NE(motion_problem(p).find("add a key between them"), std::string::npos);
  p.motion = {{0, {}, {}}, {1, {}, {0.1, 3.1, 0}}};
  EXPECT_EQ(motion_problem(p), "");
}

TEST(MotionParams, UsesTheGivenPivotOrTheOwnersOne) {
  MotionParams p;
  p.motion = {{0, {}, {0, 0, M_PI}}};
  EXPECT_NEAR(make_motion(p, {1, 0, 0}).at(0).to_world({0, 0, 0}).x, 2, 1e-15);
  p.pivot = Vec3d{3, 0, 0};
  EXPECT_NEAR(make_motion(p, {1, 0, 0}).at(0).to_world({0, 0, 0}).x, 6, 1e-15);
}

}  // namespace
}  // namespace ymir
