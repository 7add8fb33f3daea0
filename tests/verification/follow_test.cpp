// What follows an animation: strands a groom, rigid bodies a pose. [method notes: solids]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rigid_run.h"
#include "rod_run.h"
#include "ymir/actions/follow_groom.h"
#include "ymir/actions/follow_pose.h"
#include "ymir/base/random.h"

namespace ymir {
namespace {

constexpr double g = 9.81;
const FollowFactor always = [](double) { return 1.0; };

// Strands with next to no stiffness of their own, side by side.
class Groomed {
 public:
  struct Case {
    std::vector<std::vector<Vec3d>> strands;
    double young = 1;  // [Pa]
    double density = 1200, radius = 1e-3;
    bool clamped = false, inextensible = false;
    double compensation = 0;
    std::function<double(int strand, int vertex)> painted;  // stiffness
    std::function<void(CurvesObject&)> follow;
    std::function<void(CurvesObject&)> more;
  };
  explicit Groomed(const Case& c) : object_("hair", 0, domain_, description(c)) {
    Curves curves;
    for (const auto& strand : c.strands) {
      curves.positions.insert(curves.positions.end(), strand.begin(), strand.end());
      curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
    }
    curves.vertices.resize(curves.positions.size());
    curves.strands.resize(c.strands.size());
    if (c.painted) {
      const auto values = curves.vertices.add<double>("stiffness");
      for (std::size_t s = 0; s < c.strands.size(); ++s)
        for (std::size_t i = 0; i < c.strands[s].size(); ++i)
          values[static_cast<std::size_t>(curves.first[s]) + i] = c.painted(static_cast<int>(s), static_cast<int>(i));
    }
    object_.set_curves(std::move(curves));
    ElasticRodMaterial material;
    material.youngs_modulus = c.young;
    material.inextensible = c.inextensible;
    add_elastic_rod(object_, "rod", material, description(c));
    c.follow(object_);
    object_.add_force(gravity_force("gravity", {0, -g, 0}, {}));
    if (c.more) c.more(object_);
    object_.ingest();
  }
  void step(double dt) {
    object_.save();
    const Step step{0, 0, 0, time_, dt};
    if (object_.moving_roots()) object_.place_roots(step);
    object_.prepare(step);
    object_.advance(step);
    time_ += dt;
    EXPECT_EQ(object_.solve_report().status, SolveReport::Status::converged) << object_.solve_report().residual;
  }
  Vec3d at(std::int64_t strand, int vertex) {
    for (const Strand& s : object_.strands().copy_all()) {
      if (s.id != strand) continue;
      Vec3d x;
      for (int k = 0; k < 3; ++k)
        x[k] = s.channel(object_.rod_channels().position + k)[static_cast<std::size_t>(vertex + 1)];
      return x;
    }
    return {0, 0, 0};
  }
  CurvesObject& object() { return object_; }
  double time() const { return time_; }

 private:
  static CurvesObject::Description description(const Case& c) {
    CurvesObject::Description d;
    d.density = c.density;
    d.radius = c.radius;
    d.clamped = c.clamped;
    d.newton = {1e-11, 400};
    d.gravity_compensation = c.compensation;
    return d;
  }
  Communicator alone_;
  GridDomain domain_{100.0, 1, alone_};
  CurvesObject object_;
  double time_ = 0;
};

std::vector<std::vector<Vec3d>> combed(int strands, int vertices) {
  std::vector<std::vector<Vec3d>> all;
  for (int s = 0; s < strands; ++s) {
    auto& x = all.emplace_back();
    for (int i = 0; i < vertices + s % 3; ++i)
      x.push_back({0.1 * s, 0.01 * i * i / vertices, 0.02 * i + 0.003 * (i % 2)});
  }
  return all;
}

// Statics: a vertex of a limp strand hangs rho g/k below its place, whatever it weighs.
TEST(FollowGroom, LimpStrandsHangByTheirWeightOverTheStiffness) {
  for (const double k : {1e4, 1e6, 1e8}) {
    Groomed::Case c;
    c.strands = combed(6, 8);
    c.young = 1e-6;
    c.follow = [&](CurvesObject& o) { follow_groom(o, "follow", {}, nullptr, k, always); };
    Groomed run(c);
    for (int i = 0; i < 6; ++i) run.step(10);
    const double sag = c.density * g / k;
    for (int s = 0; s < 6; ++s)
      for (std::size_t i = 0; i < c.strands[static_cast<std::size_t>(s)].size(); ++i) {
        const Vec3d moved = run.at(s, static_cast<int>(i)) - c.strands[static_cast<std::size_t>(s)][i];
        EXPECT_LT(norm(moved - Vec3d{0, -sag, 0}), 1e-6 * sag + 1e-12) << k << ", " << s << ", " << i;
      }
  }
}

// The stiffness of each vertex is its own: displacements of a limp strand differ as 1/k does.
TEST(FollowGroom, PaintedStiffnessCountsPerVertex) {
  Groomed::Case c;
  c.strands = combed(5, 10);
  c.young = 1e-9;
  c.painted = [](int s, int i) { return 1e6 * (1 + i + 0.5 * s); };
  c.follow = [&](CurvesObject& o) { follow_groom(o, "follow", {}, nullptr, 1, always); };
  Groomed run(c);
  for (int i = 0; i < 6; ++i) run.step(10);
  for (int s = 0; s < 5; ++s)
    for (std::size_t i = 0; i < c.strands[static_cast<std::size_t>(s)].size(); ++i) {
      const double sag = c.density * g / c.painted(s, static_cast<int>(i));
      const Vec3d moved = run.at(s, static_cast<int>(i)) - c.strands[static_cast<std::size_t>(s)][i];
      EXPECT_LT(norm(moved - Vec3d{0, -sag, 0}), 1e-5 * sag) << s << ", " << i;
    }
}

// A free vertex on its spring is an oscillator of rate sqrt(k/rho), damped by backward Euler.
TEST(FollowGroom, OscillatesAsASpringPerVolume) {
  const double k = 1e6, dt = 1e-4;
  Groomed::Case c;
  c.strands = combed(1, 6);
  c.young = 1e-6;
  c.follow = [&](CurvesObject& o) { follow_groom(o, "follow", {}, nullptr, k, always); };
  Groomed run(c);
  const double rate = std::sqrt(k / c.density), sag = g / (rate * rate);
  // x = -sag (1 - cos(w t)), to first order in dt.
  double worst = 0;
  while (run.time() < 2 * M_PI / rate) {
    run.step(dt);
    const double exact = -sag * (1 - std::cos(rate * run.time()) * std::exp(-0.5 * rate * rate * dt * run.time()));
    worst = std::max(worst, std::abs(run.at(0, 5).y - c.strands[0][5].y - exact) / sag);
  }
  EXPECT_LT(worst, rate * dt);
}

Surface plate() {
  Surface s;
  s.positions = {{-2, 0, -2}, {2, 0, -2}, {2, 0, 2}, {-2, 0, 2}};
  s.triangles = {{0, 2, 1}, {0, 3, 2}};
  s.vertices.resize(4);
  s.faces.resize(2);
  return s;
}

RigidMotion turning_motion() {
  return {
      {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0.3, 0.2, -0.1}, {0.4, 2.1, -0.7}}}, KeyInterpolation::smooth, {0.2, 0, 0.1}};
}

// Where the surface carries them, however stiff the rods: the groom is undeformed there, so nothing pulls it back. The
// same at any place of the world and with hard edges.
TEST(FollowGroom, TheSurfaceCarriesTheGroomAlong) {
  for (const bool inextensible : {false, true})
    for (const Vec3d away : {Vec3d{0, 0, 0}, Vec3d{500, -300, 1000}}) {
      AnimatedSurface moving([&] {
        Surface s = plate();
        for (Vec3d& x : s.positions) x += away;
        return s;
      }());
      RigidMotion motion({{0, {0, 0, 0}, {0, 0, 0}}, {1, {0.3, 0.2, -0.1}, {0.4, 2.1, -0.7}}}, KeyInterpolation::smooth,
                         away);
      moving.add_motion(motion);
      const auto surface = std::make_shared<const AnimatedSurface>(moving);
      Groomed::Case c;
      c.strands = combed(5, 9);
      for (auto& strand : c.strands)
        for (Vec3d& x : strand) x += away;
      c.young = 1e6;
      c.inextensible = inextensible;
      c.follow = [&](CurvesObject& o) { follow_groom(o, "follow", {}, surface, 1e12, always); };
      Groomed run(c);
      for (int i = 0; i < 24; ++i) {
        run.step(1.0 / 24);
        const RigidTransform where = motion.at(run.time());
        for (int s = 0; s < 5; ++s)
          for (std::size_t v = 0; v < c.strands[static_cast<std::size_t>(s)].size(); ++v) {
            const Vec3d wanted = where.to_world(c.strands[static_cast<std::size_t>(s)][v]);
            EXPECT_LT(norm(run.at(s, static_cast<int>(v)) - wanted), 2e-5) << i << ", " << s << ", " << v;
          }
        if (testing::Test::HasFailure()) return;
      }
    }
}

// Another groom, and one that is animated frame by frame.
TEST(FollowGroom, OtherGroomsAreFollowed) {
  Groomed::Case c;
  c.strands = combed(4, 7);
  c.young = 1e-6;
  std::vector<Vec3d> other;
  for (const auto& strand : c.strands)
    for (const Vec3d& x : strand) other.push_back(x + Vec3d{0.02, 0.01 * std::sin(40 * x.z), -0.01});
  const double k = 1e9, sag = c.density * g / k;
  for (const bool animated : {false, true}) {
    c.follow = [&](CurvesObject& o) {
      if (!animated) return follow_groom(o, "follow", other, nullptr, k, always);
      SurfaceSequence sequence{1, 5, 1.0, 0, {}, {}};
      sequence.load = [&, first = o.curves().first](std::int64_t frame) {
        Surface s;
        s.positions = other;
        for (Vec3d& x : s.positions) x.x += 0.01 * static_cast<double>(frame);
        for (std::size_t i = 0; i + 1 < first.size(); ++i)
          s.triangles.push_back({static_cast<std::int32_t>(first[i]), static_cast<std::int32_t>(first[i]),
                                 static_cast<std::int32_t>(first[i + 1] - 1)});
        return s;
      };
      sequence.name = [](std::int64_t frame) { return fmt::format("groom {}", frame); };
      follow_animated_groom(o, "follow", AnimatedSurface(std::move(sequence)), k, always);
    };
    Groomed run(c);
    for (int i = 0; i < 9; ++i) run.step(0.5);
    std::size_t at = 0;
    // Frame 4.5 at 4.5 s; what lags behind a moving place is v dt rho/(k dt^2) and v^2 is no force.
    const Vec3d shift{animated ? 0.045 : 0.0, -sag, 0};
    for (int s = 0; s < 4; ++s)
      for (std::size_t i = 0; i < c.strands[static_cast<std::size_t>(s)].size(); ++i, ++at)
        EXPECT_LT(norm(run.at(s, static_cast<int>(i)) - other[at] - shift), 1e-6) << animated << s << ", " << i;
  }
}

// Compensation holds clamped strands where they are groomed, the pull and the rest shape sharing the load.
TEST(FollowGroom, GravityCompensationTakesThePullIntoAccount) {
  for (const double k : {1e5, 1e9}) {
    Groomed::Case c;
    c.strands = combed(5, 9);
    c.young = 1e9;
    c.clamped = true;
    c.compensation = 1;
    c.follow = [&](CurvesObject& o) { follow_groom(o, "follow", {}, nullptr, k, always); };
    Groomed run(c);
    for (int i = 0; i < 10; ++i) run.step(0.1);
    for (int s = 0; s < 5; ++s)
      for (std::size_t i = 0; i < c.strands[static_cast<std::size_t>(s)].size(); ++i)
        EXPECT_LT(norm(run.at(s, static_cast<int>(i)) - c.strands[static_cast<std::size_t>(s)][i]), 1e-8) << k;
  }
}

// Let go, a strand falls.
TEST(FollowGroom, TheFactorMayEndInNothing) {
  Groomed::Case c;
  c.strands = combed(3, 6);
  c.young = 1e4;
  c.follow = [&](CurvesObject& o) {
    follow_groom(o, "follow", {}, nullptr, 1e9, [](double t) { return t < 0.105 ? 1.0 : 0.0; });
  };
  Groomed run(c);
  for (int i = 0; i < 10; ++i) run.step(0.01);
  const double sag = c.density * g / 1e9;
  EXPECT_NEAR(run.at(0, 0).y, c.strands[0][0].y - sag, 0.1 * sag);
  for (int i = 0; i < 10; ++i) run.step(0.01);
  EXPECT_NEAR(run.at(0, 0).y, c.strands[0][0].y - sag - 0.5 * g * 0.1 * 0.11, 2e-4);
}

AnimatedSurface animated_box(Vec3d centre, Vec3d size, const RigidMotion& motion) {
  AnimatedSurface target(box_surface(centre, size));
  target.add_motion(motion);
  return target;
}

// Carried exactly: all points are where the motion has them, under gravity and jointed to another body.
TEST(FollowPose, AWeightOfOneIsThePose) {
  const Vec3d centre{0.3, 1, -0.2}, size{0.4, 0.1, 0.2};
  const RigidMotion motion = turning_motion();
  for (const double dt : {1.0 / 24, 1.0 / 192}) {
    RigidRun run(box_surface(centre, size));
    run.gravity({0, -g, 0});
    follow_pose(run.object(), "follow", animated_box(centre, size, motion), 1e6, [](double) { return 1.0; });
    run.start();
    while (run.time() < 1.2) {
      run.step(dt);
      for (const Vec3d x : {centre, centre + size * 0.5, Vec3d{0, 0, 0}})
        EXPECT_LT(norm(run.at(0, x) - motion.at(run.time()).to_world(x)), 1e-13) << run.time();
    }
    EXPECT_LT(norm(run.pose().velocity) + norm(run.pose().momentum), 1e-9);  // at rest at the last key
  }
}

// What hangs on a carried body feels its motion: under a pivot with constant acceleration a link stays at the angle
// atan(a/g) to the vertical.
TEST(FollowPose, CarriesWhatIsJointedToIt) {
  const Vec3d size{0.1, 0.1, 0.1};
  const double a = 3, dt = 1e-3, length = 0.5;
  const Vec3d hangs = normalized(Vec3d{-a, -g, 0}) * length;
  Communicator alone;
  GridDomain domain{100.0, 1, alone};
  RigidObject::Description d;
  d.velocity = {-0.5 * a * dt, 0, 0};  // so that the way of the first step has the acceleration of the others
  RigidObject hand("hand", 0, domain, d, box_surface({0, 0, 0}, size));
  RigidObject link("link", 0, domain, d, box_surface(hangs, size));
  SolidSystem solids;
  solids.add(hand);
  solids.add(link);
  link.add_force(gravity_force("gravity", {0, -g, 0}, {}));
  SurfaceSequence course{0, 1000, 1000, 0, {}, {}};
  course.load = [&](std::int64_t frame) {
    const double t = 1e-3 * static_cast<double>(frame);
    return box_surface({0.5 * a * t * t, 0, 0}, size);
  };
  course.name = [](std::int64_t frame) { return fmt::format("pose {}", frame); };
  follow_pose(hand, "follow", AnimatedSurface(std::move(course)), 0, [](double) { return 1.0; });
  add_joints(solids, "joint", JointKind::ball, {},
             {{joint_end(hand, 0, {0, 0, 0}), joint_end(link, 0, {0, 0, 0}), {0, 1, 0}}});
  hand.ingest();
  link.ingest();
  for (int k = 0; k < 1000; ++k) {
    const Step step{0, 0, 0, k * dt, dt};
    hand.begin_substep(step);
    link.begin_substep(step);
    solids.detect(step);
    solids.advance(step);
    ASSERT_EQ(solids.solve_report().status, SolveReport::Status::converged);
    const double t = (k + 1) * dt;
    EXPECT_NEAR(hand.poses()[0].position.x, 0.5 * a * t * t, 1e-12);
    EXPECT_LT(norm(link.poses()[0].position - hand.poses()[0].position - hangs), 1e-7) << t;
  }
}

// Let go, a body flies on with the velocity and spin of the animation, and its energy and momentum stay.
TEST(FollowPose, LetGoItKeepsVelocityAndSpin) {
  const Vec3d centre{0.2, 0.1, 0}, size{0.4, 0.1, 0.2}, velocity{1.5, 2, -0.5};
  for (const double turn : {0.0, 3.0, 12.0})
    for (const double dt : {1.0 / 24, 1.0 / 192}) {
      // One second at constant velocity and angular velocity, about an axis that is none of the body's.
      const Vec3d axis = normalized(Vec3d{1, 2, 0.5});
      std::vector<RigidKey> keys;
      AnimatedSurface target(box_surface(centre, size));
      SurfaceSequence sequence{0, 192, 192, 0, {}, {}};
      sequence.load = [&](std::int64_t frame) {
        Surface s = box_surface(centre, size);
        const double t = static_cast<double>(frame) / 192;
        const Quaternion q = quaternion_exp(axis * (turn * t));
        for (Vec3d& x : s.positions) x = centre + rotate(q, x - centre) + velocity * t;
        return s;
      };
      sequence.name = [](std::int64_t frame) { return fmt::format("pose {}", frame); };
      RigidRun run(box_surface(centre, size));
      follow_pose(run.object(), "follow", AnimatedSurface(std::move(sequence)), 1e6,
                  [](double t) { return t < 0.5 + 1e-9 ? 1.0 : 0.0; });
      run.start();
      while (run.time() < 0.5 - 1e-9) run.step(dt);
      const Vec3d spin = run.object().angular_velocity(0);
      EXPECT_LT(norm(run.pose().velocity - velocity), 1e-11) << dt;
      EXPECT_LT(norm(spin - axis * turn), 1e-10) << dt;
      const Vec3d momentum = run.pose().momentum, from = run.pose().position;
      const double energy = run.energy();
      while (run.time() < 1 - 1e-9) run.step(dt);
      EXPECT_LT(norm(run.pose().velocity - velocity), 1e-11);
      EXPECT_LT(norm(run.pose().position - from - velocity * 0.5), 1e-11);
      EXPECT_LT(norm(run.pose().momentum - momentum), 1e-9 * (norm(momentum) + 1e-3));
      EXPECT_NEAR(run.energy(), energy, 1e-3 * energy);
    }
}

// In between: a spring per volume. Statics rho g/k, and small turns oscillate with sqrt(k/rho) about any axis.
TEST(FollowPose, InBetweenItIsASpringPerVolume) {
  const Vec3d centre{0, 0, 0}, size{0.4, 0.1, 0.2};
  for (const double weight : {0.2, 0.5, 0.9}) {
    const double k = 1e6, stiff = k * weight / (1 - weight), density = 1000, rate = std::sqrt(stiff / density);
    {
      RigidRun run(box_surface(centre, size));
      run.gravity({0, -g, 0});
      follow_pose(run.object(), "follow", animated_box(centre, size, {}), k, [&](double) { return weight; });
      run.start();
      for (int i = 0; i < 60; ++i) run.step(1);
      EXPECT_NEAR(run.pose().position.y, -density * g / stiff, 1e-9 * density * g / stiff);
    }
    for (const Vec3d axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
      RigidObject::Description d;
      d.density = density;
      d.spin = axis * (0.01 * rate);
      d.velocity = Vec3d{0.01, 0, 0};
      RigidRun run(box_surface(centre, size), d);
      follow_pose(run.object(), "follow", animated_box(centre, size, {}), k, [&](double) { return weight; });
      run.start();
      const Quaternion before = run.object().rest_poses()[0].rotation;
      const double dt = 1e-3 / rate, quarter = 0.5 * M_PI / rate;
      while (run.time() < quarter) run.step(dt);
      // 0.01 sin(w t), and what backward Euler takes of it.
      const double damped = std::exp(-0.5 * rate * dt * 0.5 * M_PI);
      EXPECT_NEAR(norm(quaternion_log(run.pose().rotation * conjugate(before))), 0.01 * damped, 2e-5) << weight;
      EXPECT_NEAR(run.pose().position.x, 0.01 / rate * damped, 2e-5 / rate);
    }
  }
}

// A body half a turn away comes back, from any place.
TEST(FollowPose, ComesBackFromFarAway) {
  Random random(5, 0);
  const Vec3d size{0.4, 0.1, 0.2};
  for (int trial = 0; trial < 6; ++trial) {
    const Vec3d centre{random.uniform(-50, 50), random.uniform(-50, 50), random.uniform(-50, 50)};
    const Vec3d turn =
        normalized(Vec3d{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}) * random.uniform(0, 3);
    const RigidMotion motion({{0, {3, 1, 2}, turn}, {1, {3, 1, 2}, turn}}, KeyInterpolation::linear, centre);
    RigidRun run(box_surface(centre, size));
    follow_pose(run.object(), "follow", animated_box(centre, size, motion), 1e6, [](double) { return 0.5; });
    run.start();
    for (int i = 0; i < 400; ++i) run.step(0.01);  // no more than a quarter turn at once
    EXPECT_LT(norm(run.at(0, centre + size) - motion.at(0).to_world(centre + size)), 1e-6) << trial;
  }
}

}  // namespace
}  // namespace ymir
