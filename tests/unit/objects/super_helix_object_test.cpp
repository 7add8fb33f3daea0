#include "ymir/objects/super_helix_object.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ymir/base/error.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

Curves strands(int count) {
  Curves curves;
  for (int s = 0; s < count; ++s) {
    for (int i = 0; i < 20; ++i)
      curves.positions.push_back({0.1 * s + 0.01 * std::cos(0.5 * i), -0.01 * i, 0.01 * std::sin(0.5 * i)});
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(curves.strand_count());
  return curves;
}

class SuperHelixObjectTest : public testing::Test {
 protected:
  std::string refusal(const Curves& curves, const SuperHelixObject::Description& description = {}) {
    try {
      SuperHelixObject("/Hair", 0, domain_, description).set_curves(curves);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "";
  }
  Communicator alone_;
  GridDomain domain_{1.0, 1, alone_};
};

TEST_F(SuperHelixObjectTest, NamesWhatIsNoStrand) {
  Curves bad = strands(3);
  bad.positions[45].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(bad), "/Hair: strand 2, vertex 5: the position is not finite; repair the groom");
  bad = strands(3);
  for (std::size_t i = 20; i < 40; ++i) bad.positions[i] = bad.positions[20];
  EXPECT_NE(refusal(bad).find("strand 1 has no length"), std::string::npos);
  bad = strands(1);
  bad.positions.push_back({1, 0, 0});
  bad.first.push_back(21);
  bad.vertices.resize(21);
  bad.strands.resize(2);
  EXPECT_NE(refusal(bad).find("strand 1 has one vertex"), std::string::npos);
  bad = strands(2);
  bad.vertices.add<double>("radius")[25] = -1;
  EXPECT_NE(refusal(bad).find("the radius is"), std::string::npos);
}

TEST_F(SuperHelixObjectTest, RefusesMoreElementsThanAPointMayDependOn) {
  SuperHelixObject::Description d;
  d.elements = 16;
  EXPECT_EQ(refusal(strands(1), d), "");
  d.elements = 17;
  EXPECT_NE(refusal(strands(1), d).find("give 1 to 16"), std::string::npos);
  d.elements = 15;
  d.clamped = false;
  EXPECT_NE(refusal(strands(1), d).find("give 1 to 14 where roots are free"), std::string::npos);
}

// Weight of its points, the same at every time.
PointForce weight() {
  PointForce force;
  force.owner = force.what = "gravity";
  force.accumulate = [](const PointBlock& b, Planes<const Vec3d>::Type, const ForceBlock& out) {
    for (int i = 0; i < b.count; ++i) out.force.y[i] -= 9.81 * b.mass[i];
  };
  return force;
}

TEST_F(SuperHelixObjectTest, IsTheSameForAnyNumberOfThreadsAndAfterRollbackAndRestoring) {
  const auto run = [&](SuperHelixObject& object, int from, int to) {
    for (int k = from; k < to; ++k) {
      const Step step{0, 0, 0, k / 48.0, 1 / 48.0};
      object.save();
      object.prepare(step);
      object.advance(step);
      EXPECT_EQ(object.solve_report().status, SolveReport::Status::converged);
    }
  };
  const auto make = [&] {
    auto object = std::make_unique<SuperHelixObject>("/Hair", 0, domain_, SuperHelixObject::Description{});
    object->set_curves(strands(9));
    object->add_force(weight());
    object->ingest();
    return object;
  };
  std::vector<std::uint64_t> hashes;
  const int all = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    auto object = make();
    run(*object, 0, 6);
    hashes.push_back(object->hash());
  }
  set_threads(all);
  auto object = make();
  run(*object, 0, 3);
  const ObjectState state = object->checkpoint();
  run(*object, 3, 4);
  object->rollback();
  run(*object, 3, 6);
  hashes.push_back(object->hash());
  auto resumed = make();
  resumed->restore(&state);
  run(*resumed, 3, 6);
  hashes.push_back(resumed->hash());
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
  EXPECT_NE(make()->hash(), hashes[0]);
}

TEST_F(SuperHelixObjectTest, FramesShowAsManyVerticesAsAsked) {
  SuperHelixObject::Description d;
  d.vertices = 11;
  SuperHelixObject object("/Hair", 0, domain_, d);
  const Curves curves = strands(2);
  object.set_curves(curves);
  object.ingest();
  const ObjectState frame = object.frame_state();
  ASSERT_EQ(frame.channels.find("position")->second.count(), 22U);
  EXPECT_EQ(frame.channels.find("first")->second.as<std::int64_t>()[2], 22);
  const auto shown = frame.channels.find("position")->second.as<Vec3f>();
  EXPECT_LT(norm(Vec3d(shown[10]) - curves.positions[19]), 1e-4);
}

}  // namespace
}  // namespace ymir
