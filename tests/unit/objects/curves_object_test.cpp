#include "ymir/objects/curves_object.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Three strands of four vertices, hanging side by side.
Curves three_strands() {
  Curves curves;
  for (int s = 0; s < 3; ++s) {
    for (int i = 0; i < 4; ++i) curves.positions.push_back({0.1 * s, -0.01 * i, 0});
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  curves.vertices.resize(12);
  curves.strands.resize(3);
  return curves;
}

class CurvesObjectTest : public testing::Test {
 protected:
  CurvesObject& take(Curves curves, const CurvesObject::Description& description = {}) {
    object_ = std::make_unique<CurvesObject>("/Hair", 0, domain_, description);
    object_->set_curves(std::move(curves));
    object_->ingest();
    return *object_;
  }
  // What ingest says about these curves; "" when it takes them.
  std::string refusal(Curves curves) {
    try {
      take(std::move(curves));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "";
  }
  std::string refusal_of(const char* channel, double value) {
    Curves curves = three_strands();
    const auto values = curves.vertices.add<double>(channel);
    std::fill(values.begin(), values.end(), 1e-3);
    values[6] = value;
    return refusal(std::move(curves));
  }

  Communicator alone_;
  GridDomain domain_{1.0, 1, alone_};
  std::unique_ptr<CurvesObject> object_;
};

TEST_F(CurvesObjectTest, NamesStrandAndVertexOfWhatIsNotFinite) {
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    Curves curves = three_strands();
    curves.positions[6].y = bad;
    const std::string text = refusal(std::move(curves));
    EXPECT_NE(text.find("/Hair: strand 1, vertex 2: the position"), std::string::npos) << text;
  }
}

TEST_F(CurvesObjectTest, NamesStrandAndVertexOfABadChannel) {
  for (const char* channel : {"radius", "density", "flattening"})
    for (const double bad : {nan, -1e-3, 0.0, std::numeric_limits<double>::infinity()}) {
      const std::string text = refusal_of(channel, bad);
      EXPECT_NE(text.find("/Hair: strand 1, vertex 2: the " + std::string(channel)), std::string::npos)
          << channel << " " << bad << ": " << text;
    }
  EXPECT_EQ(refusal_of("radius", 1e-4), "");
}

TEST_F(CurvesObjectTest, NamesAStrandThatHasNoVertices) {
  Curves curves = three_strands();
  curves.first.insert(curves.first.begin() + 1, 4);
  curves.strands.resize(4);
  const std::string text = refusal(std::move(curves));
  EXPECT_NE(text.find("/Hair: strand 1"), std::string::npos) << text;
}

TEST_F(CurvesObjectTest, SpreadsCoincidentVerticesAndKeepsTheEnds) {
  Curves curves = three_strands();
  curves.positions[5] = curves.positions[4];
  CurvesObject& object = take(std::move(curves));
  const Strand strand = object.strands().copy_all()[1];
  for (std::size_t i = 1; i <= 3; ++i) EXPECT_NEAR(strand.channel(object.rod_channels().rest_length)[i], 0.01, 1e-15);
  EXPECT_EQ(strand.channel(object.rod_channels().position + 1)[1], 0);
  EXPECT_EQ(strand.channel(object.rod_channels().position + 1)[4], -0.03);
}

TEST_F(CurvesObjectTest, HoldsStrandsOfNoLength) {
  Curves curves = three_strands();
  for (std::size_t i = 4; i < 8; ++i) curves.positions[i] = curves.positions[4];
  CurvesObject& object = take(std::move(curves));
  const auto strands = object.strands().copy_all();
  for (std::size_t i = 1; i <= 4; ++i) {
    EXPECT_EQ(strands[1].channel(object.rod_channels().free_position)[i], 0);
    EXPECT_EQ(strands[0].channel(object.rod_channels().free_position)[i], i > 1 ? 1 : 0);
  }
}

TEST_F(CurvesObjectTest, RefusesACheckpointOfOtherStrands) {
  CurvesObject& object = take(three_strands());
  const ObjectState good = object.checkpoint();
  const std::uint64_t hash = object.hash();
  const auto refused = [&](const char* channel, Array array) {
    ObjectState state = good;
    state.channels[channel] = {good.channels.at(channel).place, std::move(array)};
    EXPECT_THROW(object.restore(&state), Error) << channel;
  };
  refused("values", Array::of(std::vector<double>(7, 0.0)));
  refused("vertices", Array::of(std::vector<std::int64_t>{5, 5, -5}));
  refused("vertices", Array::of(std::vector<std::int64_t>{5, 5, std::int64_t{1} << 40}));
  refused("vertices", Array::of(std::vector<std::int64_t>{5, 5}));
  object.restore(&good);
  EXPECT_EQ(object.hash(), hash);
}

}  // namespace
}  // namespace ymir
