// Strands that touch at their surfaces: they roll, and together they keep their angular momentum.
#include <fmt/format.h>

#include "cloth_run.h"
#include "company.h"
#include "strands_run.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir::verification {
namespace {

constexpr double g = 9.81, degree = 0.017453292519943295;
constexpr double radius = 1e-2, never = std::numeric_limits<double>::infinity();

StrandsCase loose(const std::vector<Polyline>& lines) {
  StrandsCase c;
  c.strands = lines;
  c.clamped = false;
  c.radius = radius;
  c.newton = {1e-11, 100};
  return c;
}

// Mean velocity of a strand, and angular velocity about its edges.
struct Motion {
  Vec3d velocity{0, 0, 0};
  double spin = 0;
};
Motion motion_of(CurvesObject& object, std::size_t strand) {
  const Strand s = object.strands().copy_all()[strand];
  const RodChannels& c = object.rod_channels();
  Motion m;
  double mass = 0, inertia = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
    for (int k = 0; k < 3; ++k) m.velocity[k] += s.channel(c.mass)[i] * s.channel(c.velocity + k)[i];
    m.spin += s.channel(c.inertia)[i] * s.channel(c.spin)[i];
    mass += s.channel(c.mass)[i];
    inertia += s.channel(c.inertia)[i];
  }
  return {m.velocity / mass, m.spin / inertia};
}

TouchedCollider floor_for(std::vector<SolidObject*> objects, double friction) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = std::move(objects);
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  return collider;
}

void give_velocity(StrandsRun& run, std::size_t object, int strands, int segments, Vec3d velocity) {
  for (int s = 0; s < strands; ++s)
    for (int i = 0; i <= segments; ++i) run.set_velocity(object, s, i, velocity);
}

std::function<Vec3d(const StrandsRun::Vertex&)> weight_on(double slope) {
  return [slope](const StrandsRun::Vertex& v) { return Vec3d{g * std::sin(slope), -g * std::cos(slope), 0} * v.mass; };
}

// Rods across a slope that is seen level; `strands`: few or many contacts.
struct OnAFloor {
  StrandsRun run;
  CurvesObject& object;

  OnAFloor(double slope, double mu, int strands, double speed, bool inextensible = false,
           const TouchResponse& response = {})
      : object(run.add(rods(strands, inextensible))) {
    run.load = weight_on(slope);
    run.solids().add(object);
    TouchedCollider floor = floor_for({&object}, mu);
    floor.response = response;
    run.solids().contacts().add_collider(floor);
    SolidObject* objects[] = {&object};
    run.solids().contacts().add_family(objects, {}, 0);
    run.start();
    give_velocity(run, 0, strands, 16, {speed, 0, 0});
  }
  static StrandsCase rods(int strands, bool inextensible) {
    std::vector<Polyline> lines;
    for (int s = 0; s < strands; ++s) lines.push_back(line({0.1 * s, radius, 0}, {0.1 * s, radius, 1}, 16));
    StrandsCase c = loose(lines);
    c.inextensible = inextensible;
    return c;
  }
  Motion after(double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
    return motion_of(object, 0);
  }
};

// It slides until friction has given it the spin: v = 2/3 of what it was, I = m r^2/2.
TEST(Rolling, ARodThatIsThrownAcrossItsAxisRollsInTheEnd) {
  for (const int strands : {1, 8})
    for (const bool inextensible : {false, true}) {
      const Motion end = OnAFloor(0, 0.2, strands, 1, inextensible).after(1.0 / 96, 24);
      EXPECT_NEAR(end.velocity.x, 2.0 / 3, 1e-4) << strands << inextensible;
      EXPECT_NEAR(end.spin * radius, -2.0 / 3, 1e-4) << strands << inextensible;
    }
}

// Friction of penalties and barriers is gone where nothing slips.
TEST(Rolling, SoftContactLetsItRollToo) {
  for (const ContactResponse kind : {ContactResponse::penalty, ContactResponse::barrier}) {
    TouchResponse response;
    response.kind = kind;
    for (const int strands : {1, 8}) {
      const Motion end = OnAFloor(0, 0.2, strands, 1, false, response).after(1.0 / 96, 24);
      EXPECT_NEAR(end.velocity.x, 2.0 / 3, 1e-3) << strands;
      EXPECT_NEAR(end.spin * radius, -2.0 / 3, 1e-3) << strands;
    }
  }
}

TEST(Rolling, OnASlopeItRollsOrSlidesAsFrictionAllows) {
  constexpr double dt = 1.0 / 96, seconds = 24 * dt, angle = 30 * degree;
  for (const int strands : {1, 8}) {
    for (const double mu : {0.25, 0.6})  // from tan/3 = 0.19 on
      EXPECT_NEAR(OnAFloor(angle, mu, strands, 0).after(dt, 24).velocity.x / seconds, 2.0 / 3 * g * std::sin(angle),
                  1e-4)
          << mu << ", " << strands;
    for (const double mu : {0.05, 0.15}) {
      const Motion end = OnAFloor(angle, mu, strands, 0).after(dt, 24);
      EXPECT_NEAR(end.velocity.x / seconds, g * (std::sin(angle) - mu * std::cos(angle)), 1e-4)
          << mu << ", " << strands;
      EXPECT_NEAR(end.spin * radius / seconds, -2 * mu * g * std::cos(angle), 1e-4) << mu << ", " << strands;
    }
  }
}

// At 1 m/s it turns 30 radians in a substep.
TEST(Rolling, AThinCordRollsInLongSubsteps) {
  StrandsCase c = loose({line({0, 2e-4, 0}, {0, 2e-4, 0.1}, 12)});
  c.radius = 2e-4;
  c.mass = 1e-4;
  c.bend = c.twist = 1e-6;
  c.stretch = 1e2;
  StrandsRun run;
  CurvesObject& object = run.add(c);
  run.load = weight_on(0);
  run.solids().add(object);
  run.solids().contacts().add_collider(floor_for({&object}, 0.5));
  SolidObject* objects[] = {&object};
  run.solids().contacts().add_family(objects, {}, 0);
  run.start();
  give_velocity(run, 0, 1, 12, {1, 0, 0});
  int iterations = 0;
  for (int k = 0; k < 24; ++k) {
    run.step(1.0 / 96);
    run.solids().accept();
    iterations = std::max(iterations, run.solids().solve_report().iterations);
  }
  EXPECT_NEAR(motion_of(object, 0).velocity.x, 2.0 / 3, 1e-6);
  EXPECT_LE(iterations, 8);
}

// The same as one body with another: what attachments hold together answers together.
TEST(Rolling, RodsThatAreAttachedEndToEndRollAsOne) {
  for (const int segments : {12, 40}) {  // few contacts, and many
    StrandsRun run;
    CurvesObject& first = run.add(loose({line({0, radius, 0}, {0, radius, 0.5}, segments)}));
    CurvesObject& second = run.add(loose({line({0, radius, 0.5}, {0, radius, 1}, segments)}));
    run.load = weight_on(0);
    run.solids().add(first);
    run.solids().add(second);
    EXPECT_GT(add_attachments(run.solids(), "joint", {&second}, {&first}, ymir::exact(), within(1e-4)), 0U);
    run.solids().contacts().add_collider(floor_for({&first, &second}, 0.2));
    SolidObject* objects[] = {&first, &second};
    run.solids().contacts().add_family(objects, {}, 0);
    run.start();
    give_velocity(run, 0, 1, segments, {1, 0, 0});
    give_velocity(run, 1, 1, segments, {1, 0, 0});
    for (int k = 0; k < 24; ++k) {
      run.step(1.0 / 96);
      run.solids().accept();
    }
    for (CurvesObject* object : {&first, &second}) {
      EXPECT_NEAR(motion_of(*object, 0).velocity.x, 2.0 / 3, 1e-3) << segments;
      EXPECT_NEAR(motion_of(*object, 0).spin * radius, -2.0 / 3, 1e-3) << segments;
    }
  }
}

// Rods with something that lies on them, or that they lie on.
struct InCompany {
  Communicator alone;
  GridDomain domain{100.0, 1, alone};
  StrandsRun run;
  std::unique_ptr<RigidObject> plate;
  std::unique_ptr<MeshObject> cloth;

  void step(double dt) {
    const Step step{0, 0, 0, run.time(), dt};
    if (plate) plate->begin_substep(step);
    if (cloth) cloth->begin_substep();
    run.step(dt);
    run.solids().accept();
  }
};

// A plate on two rods on a slope goes twice as far as they do:
//   (M + 3/8 m) a = (M + m/2) g sin,   m of both rods
TEST(Rolling, APlateOnRollersRunsDownASlope) {
  constexpr double slope = 10 * degree, dt = 1.0 / 96;
  constexpr int steps = 16;
  InCompany all;
  CurvesObject& rods = all.run.add(
      loose({line({-0.1, radius, 0}, {-0.1, radius, 0.4}, 8), line({0.1, radius, 0}, {0.1, radius, 0.4}, 8)}));
  all.run.load = weight_on(slope);
  RigidObject::Description d;
  d.density = 100;
  d.newton = {1e-11, 100};
  all.plate = std::make_unique<RigidObject>("plate", 0, all.domain, d,
                                            box_surface({0, 2 * radius + 0.01, 0.2}, {0.6, 0.02, 0.5}));
  all.plate->add_force(gravity_force("gravity", {g * std::sin(slope), -g * std::cos(slope), 0}, {}));
  all.run.solids().add(rods);
  all.run.solids().add(*all.plate);
  SolidObject* objects[] = {&rods, all.plate.get()};
  TouchParams params;
  params.friction = 0.5;
  all.run.solids().contacts().add_family(objects, params, 0);
  all.run.solids().contacts().add_collider(floor_for({&rods}, 0.5));
  all.run.start();
  all.plate->ingest();
  for (int k = 0; k < steps; ++k) all.step(dt);
  const double m = 0.8, plate = all.plate->bodies()[0].mass;  // 1 kg/m
  const double a = g * std::sin(slope) * (plate + m / 2) / (plate + 3 * m / 8);
  EXPECT_NEAR(all.plate->poses()[0].velocity.x / (steps * dt), a, 1e-4 * a);
  for (const std::size_t rod : {0U, 1U})
    EXPECT_NEAR(motion_of(rods, rod).velocity.x / (steps * dt), a / 2, 1e-4 * a) << rod;
}

// With the matrices of all. It touches the cloth in the middle of that, at radius + h/2, where both are pulled.
TEST(Rolling, ARodRollsOnClothToo) {
  constexpr double h = 2e-3, dt = 1.0 / 96;
  InCompany all;
  CurvesObject& rod = all.run.add(loose({line({-0.05, radius + h, -0.1}, {-0.05, radius + h, 0.1}, 8)}));
  all.run.load = weight_on(0);
  Surface sheet = sheet_mesh({0, 0, 0}, 0.4, 0.3, 0.1);
  for (Vec3d& p : sheet.positions) p = {p.x, h / 2, p.y};
  MeshObject::Description d;
  d.density = 500;
  d.newton = {1e-9, 100};
  all.cloth = std::make_unique<MeshObject>("cloth", 0, all.domain, d, cloth_of(sheet, h, "sheet"));
  add_elastic_shell(*all.cloth, "material", {}, warp_along(all.cloth->mesh(), {1, 0, 0}));
  all.cloth->add_force(gravity_force("gravity", {0, -g, 0}, {}));
  all.run.solids().add(rod);
  all.run.solids().add(*all.cloth);
  SolidObject* objects[] = {&rod, all.cloth.get()};
  TouchParams params;
  params.friction = 0.3;
  all.run.solids().contacts().add_family(objects, params, 0);
  all.run.solids().contacts().add_collider(floor_for({all.cloth.get()}, 10));
  all.run.start();
  all.cloth->ingest();
  give_velocity(all.run, 0, 1, 8, {0.5, 0, 0});
  for (int k = 0; k < 12; ++k) all.step(dt);
  const double at = radius + h / 2, rolling = 0.5 * at * at / (at * at + radius * radius / 2);
  EXPECT_NEAR(motion_of(rod, 0).velocity.x, rolling, 1e-3 * rolling);
  EXPECT_NEAR(motion_of(rod, 0).spin * at, -rolling, 1e-3 * rolling);
}

struct Collision {
  Vec3d drift{0, 0, 0};  // of angular momentum, by what it was
  double momentum = 0, energy = 0;
};

struct Totals {
  Vec3d momentum{0, 0, 0}, angular{0, 0, 0};
  double energy = 0;
};
Totals totals(CurvesObject& object) {
  Totals sum;
  const RodChannels& c = object.rod_channels();
  for (const Strand& s : object.strands().copy_all())
    for (std::size_t i = 1; i < static_cast<std::size_t>(s.vertices); ++i) {
      const auto vector = [&](int channel, std::size_t at) {
        return Vec3d{s.channel(channel)[at], s.channel(channel + 1)[at], s.channel(channel + 2)[at]};
      };
      const Vec3d x = vector(c.position, i), p = vector(c.velocity, i) * s.channel(c.mass)[i];
      const double spin = s.channel(c.spin)[i], inertia = s.channel(c.inertia)[i];
      sum.momentum += p;
      sum.angular += cross(x, p);
      sum.energy += 0.5 * dot(p, vector(c.velocity, i)) + 0.5 * inertia * spin * spin;
      if (inertia > 0) sum.angular += normalized(vector(c.position, i + 1) - x) * (inertia * spin);
    }
  return sum;
}

// Two rods of 10 cm, 1 mm thick, which touch already, in the step in which one hits the other.
Collision collide(double mu, double dt, double rolls_from) {
  constexpr double r = 5e-4;
  StrandsCase c =
      loose({line({-0.04, 2 * r, 0.006}, {0.06, 2 * r, 0.006}, 15), line({0.007, 0, -0.055}, {0.007, 0, 0.045}, 15)});
  c.radius = r;
  c.mass = 1e-3;
  c.bend = c.twist = 1e-5;
  c.stretch = 1e3;
  StrandsRun run;
  CurvesObject& object = run.add(c);
  SolidObject* objects[] = {&object};
  run.solids().add(object);
  TouchParams params;
  params.friction = mu;
  params.rolls_from = rolls_from;
  run.solids().contacts().add_family(objects, params, 0);
  run.start();
  for (int i = 0; i <= 15; ++i) run.set_velocity(0, 0, i, {0.5, -1, 0.2});
  const Totals before = totals(object);
  run.step(dt);
  const Totals after = totals(object);
  double impulse = 0;
  for (const Contact& contact : run.solids().contacts().contacts()) impulse += norm(contact.impulse);
  EXPECT_GT(impulse, 0);
  return {(after.angular - before.angular) / norm(before.angular),
          norm(after.momentum - before.momentum) / norm(before.momentum), after.energy / before.energy};
}

// Backward Euler itself loses angular momentum in proportion to dt; so that is followed to nothing.
// Backward Euler itself, and points of contact that move on within a step, lose some in proportion to dt; so that is
// followed to nothing. At axes friction alone loses 1e-3.
TEST(Rolling, CrossedRodsThatHitKeepTheirAngularMomentum) {
  constexpr double dt = 2.5e-7;
  const auto lost = [](double mu, double from) {
    return norm(collide(mu, dt, from).drift * 2 - collide(mu, 2 * dt, from).drift);
  };
  for (const double mu : {0.03, 5.0}) {  // slides; sticks
    for (const double longer : {1e-3, 1e-4, 1e-5, 1e-6})
      fmt::print("mu {}, dt {:.0e} s: {:.2e} of the angular momentum lost, at axes {:.2e}\n", mu, longer,
                 norm(collide(mu, longer, 0).drift), norm(collide(mu, longer, never).drift));
    EXPECT_LT(lost(mu, 0), 1e-9) << mu;
    EXPECT_GT(lost(mu, never), 5e-5) << mu;
    for (const double longer : {dt, 1e-5, 1e-3}) {
      const Collision c = collide(mu, longer, 0);
      EXPECT_LT(c.momentum, longer > dt ? 1e-12 : 1e-10) << mu << ", " << longer;  // x of 16 digits by dt
      EXPECT_LT(c.energy, 1) << mu << ", " << longer;
    }
  }
}

// Rods that fall on each other crosswise, layer upon layer: many contacts.
std::uint64_t heap(int count) {
  set_threads(count);
  std::vector<Polyline> lines;
  for (int k = 0; k < 12; ++k) {
    const double across = 0.05 * (k % 4) - 0.075, y = radius + 2.2 * radius * (k / 4);
    lines.push_back(k / 4 % 2 == 0 ? line({across, y, -0.2}, {across, y, 0.2}, 12)
                                   : line({-0.2, y, across}, {0.2, y, across + 0.02}, 12));
  }
  StrandsRun run;
  CurvesObject& object = run.add(loose(lines));
  run.load = weight_on(5 * degree);
  SolidObject* objects[] = {&object};
  run.solids().add(object);
  run.solids().contacts().add_family(objects, {}, 0);
  run.solids().contacts().add_collider(floor_for({&object}, 0.4));
  run.start();
  for (int k = 0; k < 8; ++k) {
    run.step(1.0 / 96);
    run.solids().accept();
  }
  EXPECT_GT(run.solids().contacts().contacts().size(), 64U);
  return object.hash();
}

TEST(Rolling, ThreadsChangeNoBit) {
  const std::uint64_t one = heap(1);
  for (const int count : {2, 3}) EXPECT_EQ(heap(count), one) << count;
  set_threads(0);
}

}  // namespace
}  // namespace ymir::verification
