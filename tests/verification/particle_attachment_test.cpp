// Attachments of particles to surfaces, strands and each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "ymir/actions/attachment_set.h"
#include "ymir/actions/drag_force.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/actions/removal.h"
#include "ymir/base/error.h"
#include "ymir/behaviors/register.h"
#include "ymir/objects/particle_object.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/rods/cross_section.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/setup/build.h"

namespace ymir::verification {
namespace {

constexpr double density = 1000, radius = 0.05;  // [kg/m^3], [m]
const double mass = 4.0 / 3 * M_PI * radius * radius * radius * density;

struct Bead {
  Vec3d position{0, 0, 0}, velocity{0, 0, 0};
};

// Objects in a simulation whose frames are steps of dt.
class World {
 public:
  explicit World(double dt, double bucket = 100) : simulation_(time_of(dt), bucket, alone_) {}

  ParticleObject& add_beads(const std::vector<Bead>& beads, Vec3d gravity = {0, 0, 0}) {
    Points points;
    for (const Bead& bead : beads) points.positions.push_back(bead.position);
    points.vertices.resize(beads.size());
    const auto velocity = points.vertices.add<Vec3d>("velocity");
    for (std::size_t i = 0; i < beads.size(); ++i) velocity[i] = beads[i].velocity;
    ParticleObject::Description d;
    d.radius = radius;
    d.density = density;
    ParticleObject& object = simulation_.add(std::make_unique<ParticleObject>(name(), 0, simulation_.domain(), d));
    object.add_points(points);
    object.add_force(gravity_force("gravity", gravity, {}));
    beads_ = &object;
    return object;
  }
  // A strand clamped at its root, straight down.
  CurvesObject& add_strand(Vec3d root, double length, int edges, double line_density, double stretch, Vec3d gravity) {
    const CrossSection section{0.01, 0.01};
    CurvesObject::Description d;
    d.radius = 0.01;
    d.density = line_density / section.area();
    d.newton = {1e-10, 100};
    CurvesObject& object = simulation_.add(std::make_unique<CurvesObject>(name(), 0, simulation_.domain(), d));
    Curves curves;
    for (int i = 0; i <= edges; ++i) curves.positions.push_back(root - Vec3d{0, length * i / edges, 0});
    curves.first.push_back(edges + 1);
    curves.vertices.resize(curves.positions.size());
    curves.strands.resize(1);
    object.set_curves(std::move(curves));
    ElasticRodMaterial material;
    material.youngs_modulus = 1e3 / section.bending1() * 1e-3;
    material.shear_modulus = material.youngs_modulus;
    material.stretch = stretch / (material.youngs_modulus * section.area());
    add_elastic_rod(object, "rod", material, d);
    object.add_force(gravity_force("gravity", gravity, {}));
    return object;
  }

  void step() {
    if (!started_) simulation_.ingest();
    started_ = true;
    simulation_.advance_frame(++frame_);
  }
  void start() {
    simulation_.ingest();
    started_ = true;
  }
  // By id; nothing when it is no longer there.
  std::optional<Bead> bead(std::uint64_t id) const { return bead(*beads_, id); }
  static std::optional<Bead> bead(const ParticleObject& object, std::uint64_t id) {
    const ParticleSystem& p = object.particles();
    for (int b = 0; b < p.buckets().local_count(); ++b)
      for (int i = 0; i < p.count(b); ++i)
        if (p.read(object.id(), b)[i] == id)
          return Bead{p.read(ParticleSystem::position, b)[i], p.read(object.velocity(), b)[i]};
    return std::nullopt;
  }
  Simulation& simulation() { return simulation_; }
  SolidSystem& solids() {
    if (solids_ == nullptr) solids_ = &simulation_.add(std::make_unique<SolidSystem>());
    return *solids_;
  }

 private:
  static TimeParams time_of(double dt) {
    TimeParams time;
    time.fps = 1 / dt;
    return time;
  }
  std::string name() const { return "object" + std::to_string(simulation_.objects().size()); }

  Communicator alone_;
  Simulation simulation_;
  const ParticleObject* beads_ = nullptr;
  SolidSystem* solids_ = nullptr;
  std::int64_t frame_ = 0;
  bool started_ = false;
};

AttachmentResponse soft(double stiffness, double flexibility = 0, double relaxation_time = 0) {
  AttachmentResponse response;
  response.flexibility = flexibility;
  response.normal_stiffness = response.tangent_stiffness = stiffness;
  response.relaxation_time = relaxation_time;
  return response;
}
AttachmentResponse hard(double flexibility = 0) {
  AttachmentResponse response;
  response.flexibility = flexibility;
  response.hard = true;
  return response;
}
EmissionRule network(std::vector<NetworkEntry> entries) {
  EmissionRule rule;
  rule.kind = EmissionKind::network;
  rule.network = std::move(entries);
  return rule;
}
Surface ceiling(double y) {
  Surface s;
  s.positions = {{-1, y, -1}, {1, y, -1}, {1, y, 1}, {-1, y, 1}};
  s.triangles = {{0, 2, 1}, {0, 3, 2}};
  return s;
}

// Position after `time` of a bead that starts at the origin with 1 m/s, held to a ceiling 0.2 m above.
struct Swing {
  double position, recursion;  // as simulated, and by backward Euler of the scalar equation
};
Swing swing(double dt, double time, double stiffness, double tau) {
  World world(dt);
  ParticleObject& beads = world.add_beads({{{0, 0, 0.1}, {0, 1, 0}}});
  add_surface_attachments(world.solids(), "attachment", beads, soft(stiffness, 0, tau), EmissionRule{},
                          std::make_shared<AnimatedSurface>(ceiling(0.2)));
  double x = 0, v = 1;
  const auto steps = std::lround(time / dt);
  for (int k = 0; k < steps; ++k) {
    world.step();
    const double next = (mass * (x + dt * v) / (dt * dt) + 2 * stiffness * tau / dt * x) /
                        (mass / (dt * dt) + 2 * stiffness * (1 + tau / dt));
    v = (next - x) / dt;
    x = next;
  }
  EXPECT_NEAR(world.bead(0)->position.x, 0, 1e-12);
  EXPECT_NEAR(world.bead(0)->position.z, 0.1, 1e-12);
  return {world.bead(0)->position.y, x};
}

// y = v/w sin(w t), w^2 = 2k/m: after three quarters of a period y = -v/w.
TEST(ParticleOnASpring, SwingsWithItsPeriodToFirstOrder) {
  const double stiffness = 50, w = std::sqrt(2 * stiffness / mass), time = 1.5 * M_PI / w;
  double error[3];
  for (int k = 0; k < 3; ++k) {
    const Swing s = swing(time / (500 << k), time, stiffness, 0);
    EXPECT_NEAR(s.position, s.recursion, 1e-10 / w);
    error[k] = std::fabs(s.position * w + 1);
  }
  fmt::print("particle on a spring: period {:.4f} s, off by {:.1e}, {:.1e}, {:.1e} of the amplitude, order {:.2f}\n",
             2 * M_PI / w, error[0], error[1], error[2], std::log2(error[1] / error[2]));
  EXPECT_LT(error[2], 6e-3);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 1, 0.02);
}

TEST(ParticleOnASpring, FollowsTheScalarRecursionWithDamping) {
  const Swing s = swing(2e-3, 0.4, 50, 0.01);
  EXPECT_NEAR(s.position, s.recursion, 1e-12);
}

TEST(ParticleOnASpring, SagsByItsWeightOverTwiceTheStiffness) {
  for (const double flexibility : {0.0, 1.0}) {
    World world(10);
    ParticleObject& beads = world.add_beads({{}}, {0, -9.81, 0});
    add_surface_attachments(world.solids(), "attachment", beads, soft(50, flexibility), EmissionRule{},
                            std::make_shared<AnimatedSurface>(ceiling(0.2)));
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_NEAR(world.bead(0)->position.y, -mass * 9.81 / 100, 1e-10);
  }
}

// The tension of every edge is the weight below it, bead included.
TEST(ParticleOnAStrand, HangsByItsStiffnessAndTheStrandCarriesIt) {
  constexpr int edges = 8;
  constexpr double length = 0.4, line_density = 0.5, stretch = 1e4, stiffness = 200, rope = 0.1;
  const Vec3d gravity{0, -9.81, 0};
  for (const bool is_hard : {false, true})
    for (const bool strand_leads : {true, false}) {
      World world(1);
      ParticleObject* beads = strand_leads ? nullptr : &world.add_beads({{{0, -length - rope, 0}, {}}}, gravity);
      CurvesObject& strand = world.add_strand({0, 0, 0}, length, edges, line_density, stretch, gravity);
      if (strand_leads) beads = &world.add_beads({{{0, -length - rope, 0}, {}}}, gravity);
      const AttachmentResponse response = is_hard ? hard(1) : soft(stiffness, 1);
      if (strand_leads)
        add_attachments(world.solids(), "attachment", {&strand}, {beads}, response, network({{0, edges, 0, 0}}));
      else
        add_attachments(world.solids(), "attachment", {beads}, {&strand}, response, network({{0, 0, 0, edges}}));
      for (int k = 0; k < 300; ++k) world.step();
      const Strand s = strand.strands().copy_all().at(0);
      const auto y = [&](int i) {
        return s.channel(strand.rod_channels().position + 1)[static_cast<std::size_t>(i + 1)];
      };
      const double gap = y(edges) - world.bead(0)->position.y - rope;
      const double expected = is_hard ? 0 : mass * 9.81 / (2 * stiffness);
      EXPECT_NEAR(gap, expected, is_hard ? 1e-9 : 1e-7 * expected);
      double below = mass, worst = 0;
      for (int i = edges; i > 0; --i) {
        below += s.channel(strand.rod_channels().mass)[static_cast<std::size_t>(i + 1)];
        const double tension = stretch * ((y(i - 1) - y(i)) / (length / edges) - 1);
        worst = std::max(worst, std::fabs(tension / (below * 9.81) - 1));
      }
      fmt::print("bead on a strand, {}: gap {:.3e} m, tensions off by {:.1e}\n", is_hard ? "hard" : "soft", gap, worst);
      EXPECT_LE(worst, 1e-6);
    }
}

TEST(JoinedParticles, KeepTheirMomentum) {
  for (const bool is_hard : {false, true})
    for (const double flexibility : {0.0, 0.5, 1.0}) {
      World world(5e-3);
      const std::vector<Bead> beads{{{0, 0, 0}, {0.3, 0.4, -0.2}}, {{0.3, 0.1, 0}, {-0.5, 0.1, 0.9}}};
      ParticleObject& object = world.add_beads(beads);
      add_attachments(world.solids(), "attachment", {&object}, {&object},
                      is_hard ? hard(flexibility) : soft(50, flexibility), network({{0, 0, 1, 0}}));
      const Vec3d before = beads[0].velocity + beads[1].velocity;
      double worst = 0;
      for (int k = 0; k < 200; ++k) {
        world.step();
        worst = std::max(worst, norm(world.bead(0)->velocity + world.bead(1)->velocity - before));
      }
      fmt::print("momentum of joined particles, {}, flexibility {}: {:.1e}\n", is_hard ? "hard" : "soft", flexibility,
                 worst);
      EXPECT_LE(worst, 1e-12);
      EXPECT_GT(norm(world.bead(0)->velocity - beads[0].velocity), 0.1);
    }
}

TEST(JoinedParticles, KeepTheirDistanceWhenTheJointIsHard) {
  for (const double dt : {0.005, 0.05}) {
    World world(dt);
    const double apart = 0.3;
    ParticleObject& a = world.add_beads({{{0, 0, 0}, {0, 2, 0}}}, {0, -9.81, 0});
    ParticleObject& b = world.add_beads({{{apart, 0, 0}, {0, -1, 0.5}}}, {0, -9.81, 0});
    add_attachments(world.solids(), "attachment", {&a}, {&b}, hard(1), network({{0, 0, 0, 0}}));
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      world.step();
      worst = std::max(worst, std::fabs(norm(World::bead(a, 0)->position - World::bead(b, 0)->position) - apart));
    }
    fmt::print("hard pair of particles, dt {}: distance kept to {:.1e} m\n", dt, worst);
    EXPECT_LE(worst, 1e-9);
    EXPECT_EQ(world.simulation().halvings(), 0);
  }
}

// Three hard joints between three particles say more than is needed to hold them.
TEST(JoinedParticles, MayBeHeldMoreOftenThanNeeded) {
  World world(0.02);
  const std::vector<Bead> beads{{{0, 0, 0}, {0, 1, 0}}, {{0.3, 0, 0}, {0, 0, 1}}, {{0, 0.3, 0.1}, {-1, 0, 0}}};
  ParticleObject& object = world.add_beads(beads);
  add_attachments(world.solids(), "attachment", {&object}, {&object}, hard(0),
                  network({{0, 0, 1, 0}, {1, 0, 2, 0}, {2, 0, 0, 0}}));
  for (int k = 0; k < 20; ++k) world.step();
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2}, {2, 0}})
    EXPECT_LE(norm(world.bead(i)->position - world.bead(j)->position - beads[i].position + beads[j].position), 1e-9);
}

TEST(ParticlesOnASurface, FollowItsMotionExactlyWhenHard) {
  AnimatedSurface surface(ceiling(0));
  const RigidMotion motion(
      {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0.3, 0.1, -0.2}, {0.5, 0, 0}}, {2, {0, 0, 0}, {0.2, 1, -2}}},
      KeyInterpolation::smooth, {0.1, 0, 0});
  surface.add_motion(motion);
  World world(0.04, 0.3);  // beads change buckets
  const std::vector<Bead> beads{{{0.1, 0, -0.2}, {}}, {{-0.3, 0.1, 0.2}, {}}, {{0.2, -0.2, 0.3}, {}}};
  ParticleObject& object = world.add_beads(beads, {0, -9.81, 0});
  add_surface_attachments(world.solids(), "attachment", object, hard(), EmissionRule{},
                          std::make_shared<AnimatedSurface>(surface));
  double worst = 0;
  for (int k = 1; k <= 50; ++k) {
    world.step();
    for (std::size_t i = 0; i < beads.size(); ++i)
      worst = std::max(worst, norm(world.bead(i)->position - motion.at(0.04 * k).to_world(beads[i].position)));
  }
  fmt::print("particles on a moving surface: off by {:.1e} m\n", worst);
  EXPECT_LE(worst, 1e-10);
}

// Attachments without stiffness: the solid system must move particles as they move alone. With gravity alone the two
// are one scheme; under drag loose ones are of second order and attached ones of first, and both go to one place.
TEST(AttachedParticles, FeelTheForcesOfLooseOnes) {
  const auto apart = [](double dt, bool drag) {
    std::vector<Vec3d> ends[2];
    for (const bool attached : {false, true}) {
      World world(dt);
      std::vector<Bead> beads;
      for (int i = 0; i < 7; ++i) beads.push_back({{0.1 * i, 0, 0}, {1.0 * i, 2, -0.5 * i}});
      Points points;
      ParticleObject::Description d;
      d.radius = 1e-3;
      ParticleObject& object =
          world.simulation().add(std::make_unique<ParticleObject>("beads", 0, world.simulation().domain(), d));
      for (const Bead& bead : beads) points.positions.push_back(bead.position);
      points.vertices.resize(beads.size());
      const auto velocity = points.vertices.add<Vec3d>("velocity");
      const auto pull = points.vertices.add<Vec3d>("acceleration");
      for (std::size_t i = 0; i < beads.size(); ++i) {
        velocity[i] = beads[i].velocity;
        pull[i] = {0, -1.0 * static_cast<double>(i), 3};
      }
      object.add_points(points);
      object.add_force(gravity_force("gravity", {0, -9.81, 0}, object.vector_field("acceleration")));
      if (drag) object.add_force(drag_force("drag", DragParams{}, PrescribedField{}));
      if (attached)
        add_surface_attachments(world.solids(), "attachment", object, soft(0),
                                network({{1, 0, 0, 0}, {3, 0, 0, 0}, {6, 0, 0, 0}}),
                                std::make_shared<AnimatedSurface>(ceiling(0.2)));
      for (double t = 0; t < 0.5 - 1e-9; t += dt) world.step();
      for (std::uint64_t i = 0; i < beads.size(); ++i)
        ends[attached ? 1 : 0].push_back(world.bead(object, i)->position);
    }
    double worst = 0;
    for (std::size_t i = 0; i < ends[0].size(); ++i) worst = std::max(worst, norm(ends[0][i] - ends[1][i]));
    return worst;
  };
  // Loose ones fall exactly, attached ones by backward Euler, which is ahead by a t dt/2.
  const auto ahead = [](double dt) { return std::hypot(6, 3) * 0.5 * dt / 2; };
  for (const double dt : {0.02, 0.005}) EXPECT_NEAR(apart(dt, false), ahead(dt), 1e-9) << dt;
  const double coarse = apart(0.02, true), fine = apart(0.01, true), finest = apart(0.005, true);
  fmt::print("attached and loose particles under drag end {:.1e}, {:.1e}, {:.1e} m apart\n", coarse, fine, finest);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.15);
  EXPECT_NEAR(std::log2(fine / finest), 1, 0.1);
}

// The block of a particle is the derivative of its residual, with nonlinear drag.
TEST(AttachedParticles, HaveTheDerivativeOfTheirResidualAsMatrix) {
  World world(0.02);
  ParticleObject& object = world.add_beads({{{0, 0, 0}, {3, -1, 2}}}, {0, -9.81, 0});
  DragParams drag;
  drag.drag_coefficient = 50;
  object.add_force(drag_force("drag", drag, PrescribedField{}));
  world.start();
  object.begin_substep();
  const std::int64_t piece = 0;
  ASSERT_EQ(object.seat({&piece, 1}).at(0).block, 0);
  const auto block = object.make_block(0);
  block->begin({0, 0, 0, 0, 0.02});
  block->place();
  const auto residual_at = [&](int axis, double shift) {
    double step[3] = {0, 0, 0}, minus[3];
    step[axis] = shift;
    block->set_step(step);
    block->move(1);
    block->assemble();
    block->right_side(minus);
    block->move(-1);
    return Vec3d{-minus[0], -minus[1], -minus[2]};
  };
  for (int axis = 0; axis < 3; ++axis) {
    const double h = 1e-5;
    const Vec3d slope = (residual_at(axis, h) - residual_at(axis, -h)) / (2 * h);
    double unit[3] = {0, 0, 0}, column[3];
    unit[axis] = 1;
    residual_at(axis, 0);
    block->product(unit, column);
    EXPECT_LE(norm(slope - Vec3d{column[0], column[1], column[2]}), 1e-7 * norm(slope));
    EXPECT_GT(std::fabs(column[(axis + 1) % 3]), 1e-9 * column[axis]);
  }
}

TEST(AttachedParticles, AreFreeOnceTheirPartnerIsGone) {
  World world(0.01);
  ParticleObject& object = world.add_beads({{{0, 0, 0}, {0, 0.1, 0}}, {{0.2, 0, 0}, {0, 0.1, 1}}});
  object.add_removal({"kill", "drop the second",
                      [](const PointBlock& b, const double*, const std::uint64_t* id, std::span<std::uint8_t> dead) {
                        for (int i = 0; i < b.count; ++i)
                          if (id[i] == 1 && b.time > 0.095) dead[static_cast<std::size_t>(i)] = 1;
                      }});
  add_attachments(world.solids(), "attachment", {&object}, {&object}, soft(50, 1), network({{0, 0, 1, 0}}));
  for (int k = 0; k < 11; ++k) world.step();
  EXPECT_FALSE(world.bead(1));
  const Vec3d velocity = world.bead(0)->velocity;
  EXPECT_GT(norm(velocity - Vec3d{0, 0.1, 0}), 1e-3);
  for (int k = 0; k < 5; ++k) world.step();
  EXPECT_LE(norm(world.bead(0)->velocity - velocity), 1e-15);
}

// A cloth of particles hung at one side by a hard joint, falling through many buckets.
struct Net {
  static constexpr int side = 10;
  World world{0.01, 0.15};
  explicit Net(bool every_step = false) {
    std::vector<Bead> beads;
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j) beads.push_back({{0.11 * i, 0.01 * ((i + j) % 3), 0.12 * j}, {0, 0, 0}});
    ParticleObject& object = world.add_beads(beads, {0, -9.81, 0});
    EmissionRule near;
    near.kind = EmissionKind::within_range;
    near.range = 0.125;
    near.every_step = every_step;
    add_attachments(world.solids(), "attachment", {&object}, {&object}, soft(300, 1, 0.01), near);
    std::vector<NetworkEntry> pins;
    for (int i = 0; i < side; ++i) pins.push_back({i * side, 0, 0, 0});
    add_surface_attachments(world.solids(), "attachment", object, hard(), network(pins),
                            std::make_shared<AnimatedSurface>(ceiling(0.5)));
  }
  std::uint64_t hash_after(int steps) {
    for (int k = 0; k < steps; ++k) world.step();
    return world.simulation().hash();
  }
};

TEST(ParticleNet, HangsFromWhatItIsPinnedTo) {
  Net net;
  net.hash_after(60);
  EXPECT_NEAR(net.world.bead(0)->position.y, 0, 1e-9);
  const double lowest = net.world.bead(Net::side - 1)->position.y;
  EXPECT_LT(lowest, -0.3);
  EXPECT_GT(lowest, -2.2);
  EXPECT_EQ(net.world.simulation().halvings(), 0);
}

TEST(ParticleNet, HasTheSameBitsOnEveryThreadCount) {
  const int before = threads();
  for (const bool every_step : {false, true}) {
    std::uint64_t hash[3];
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      hash[count - 1] = Net(every_step).hash_after(5);
    }
    EXPECT_EQ(hash[1], hash[0]);
    EXPECT_EQ(hash[2], hash[0]);
  }
  set_threads(before);
}

TEST(ParticleNet, ResumesBitIdentically) {
  const std::uint64_t whole = Net().hash_after(20);
  Net first;
  first.hash_after(12);
  const Frame checkpoint = first.world.simulation().checkpoint(12);
  Net second;
  second.world.start();
  second.world.simulation().restore(&checkpoint);
  for (std::int64_t frame = 13; frame <= 20; ++frame) second.world.simulation().advance_frame(frame);
  EXPECT_EQ(second.world.simulation().hash(), whole);
}

// Emission

TEST(EmissionBetweenParticles, JoinsEveryPairOnce) {
  World world(1);
  ParticleObject& object = world.add_beads({{{0, 0, 0}, {}}, {{0.1, 0, 0}, {}}, {{0.25, 0, 0}, {}}});
  const std::vector<PieceShape> shapes = object.input_shapes();
  ASSERT_EQ(shapes.size(), 3u);
  EmissionRule rule;
  rule.range = 0.2;
  auto pairs = emit_to_objects(rule, shapes, shapes);
  ASSERT_EQ(pairs.size(), 2u);  // 0 and 1 are nearest to each other, 2 to 1
  EXPECT_EQ(pairs[0].source.piece, 0);
  EXPECT_EQ(pairs[0].target.piece, 1);
  EXPECT_EQ(pairs[1].source.piece, 2);
  EXPECT_EQ(pairs[1].target.piece, 1);
  rule.kind = EmissionKind::within_range;
  EXPECT_EQ(emit_to_objects(rule, shapes, shapes).size(), 2u);
  rule.range = 0.3;
  EXPECT_EQ(emit_to_objects(rule, shapes, shapes).size(), 3u);
  rule.kind = EmissionKind::network;
  for (const NetworkEntry& bad : {NetworkEntry{3, 0, 0, 0}, NetworkEntry{0, 0, 3, 0}, NetworkEntry{1, 0, 1, 0}}) {
    rule.network = {bad};
    EXPECT_THROW(emit_to_objects(rule, shapes, shapes), Error);
  }
}

// Mistakes in a setup

std::string message_of(const std::string& attachment) {
  const std::string text =
      "ymir: 1\ninputs: {cord: {line: {count: 3}}, plate: {shape: box}}\nsetup:\n"
      "  - group: Beads\n    with:\n"
      "      - particle_object: {emit: {rate: 10}}\n"
      "      - attachment: {" +
      attachment +
      "}\n  - group: Cords\n    with: [curves_object: {curves: cord}]\n  - group: Empty\n    with: [gravity]\n";
  const Registry registry = all_behaviors();
  const ReadResult read = read_setup_text(text, "beads.yaml", registry);
  if (!read.setup) return to_string(read.diagnostics);
  Communicator alone;
  try {
    build(*read.setup, alone);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(AttachmentOfParticles, RefusesWhatMakesNoSense) {
  struct Case {
    const char *attachment, *expected;
  };
  for (const Case& c :
       {Case{"strands: Cords, range: 1 cm", ""}, Case{"particles: Beads, range: 1 cm", ""}, Case{"surface: plate", ""},
        Case{"", "give either `surface:`"}, Case{"surface: plate, particles: Beads", "give either `surface:`"},
        Case{"particles: Beads", "needs `range:`"}, Case{"particles: Empty, range: 1 cm", "has no particle_object"},
        Case{"strands: Empty, range: 1 cm", "has no curves_object"},
        Case{"surface: plate, hard: false, orientation_stiffness: [1 J, 0 J, 0 J]", "particles have no orientation"},
        Case{"surface: plate, emission: network, network: [{source_strand: 0, target: 0}]", "there is no source"}}) {
    const std::string message = message_of(c.attachment);
    if (*c.expected == 0)
      EXPECT_EQ(message, "") << c.attachment;
    else
      EXPECT_NE(message.find(c.expected), std::string::npos) << c.attachment << ": " << message;
  }
}

}  // namespace
}  // namespace ymir::verification
