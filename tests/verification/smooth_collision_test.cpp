// Contacts by penalties and barriers of simulated bodies, in the Newton loop of the solid system.
#include "contact_run.h"
#include "soft_run.h"
#include "strands_run.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/contact_potential.h"

namespace ymir {
namespace {

constexpr double g = 9.81;  // [m/s^2]
constexpr double degree = 0.017453292519943295;
constexpr ContactResponse both[] = {ContactResponse::penalty, ContactResponse::barrier};

TouchResponse response(ContactResponse kind, double stiffness = 0, double activation = 1e-3) {
  TouchResponse r;
  r.kind = kind;
  r.stiffness = stiffness;
  r.activation = activation;
  return r;
}

TouchedCollider plane(std::vector<SolidObject*> objects, double friction, const TouchResponse& response) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = std::move(objects);
  collider.response = response;
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  return collider;
}

// A box of 10 cm and 1 kg on a slope that is seen level: gravity is tilted instead.
struct Slope {
  RigidRun run;

  Slope(double angle, double mu, double start, const TouchResponse& response, Vec3d size = {0.1, 0.1, 0.1})
      : run(box_surface({0, size.y / 2, 0}, size), [start] {
          RigidObject::Description d;
          d.velocity = {start, 0, 0};
          d.newton = {1e-9, 60};
          return d;
        }()) {
    run.gravity({-g * std::sin(angle), -g * std::cos(angle), 0});
    run.solids().contacts().add_collider(plane({&run.object()}, mu, response));
    run.start();
  }
  void advance(double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
  }
  double height() const { return run.pose().position.y - 0.05; }
};

// Gap at which a barrier holds a force, by halving [m].
double gap_of(double k, double h, double force) {
  double low = 0, high = h;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (barrier_potential(k, h, middle).force > force ? low : high) = middle;
  }
  return low;
}

TEST(SmoothCollision, ABoxRestsAtTheDepthOfAPenaltyAndTheGapOfABarrier) {
  const double quarter = g / 4;  // of its weight on each corner [N]
  for (const double dt : {1.0 / 24, 1.0 / 96, 1.0 / 2000}) {
    const int steps = dt > 0.01 ? 60 : 1500;
    Slope soft(0, 0.5, 0, response(ContactResponse::penalty, 5e4));
    soft.advance(dt, steps);
    EXPECT_NEAR(soft.height(), 1e-3 - quarter / 5e4, 1e-10) << dt;
    Slope held(0, 0.5, 0, response(ContactResponse::barrier, 5e3, 1e-3));
    held.advance(dt, dt > 0.01 ? 120 : 3000);
    EXPECT_NEAR(held.height(), gap_of(5e3, 1e-3, quarter), 1e-9) << dt;
  }
}

TEST(SmoothCollision, ASlidingBoxIsSlowedAsCoulombSays) {
  for (const ContactResponse kind : both)
    for (const double angle : {0.0, 40.0}) {
      constexpr double mu = 0.3, dt = 1.0 / 96;
      Slope s(angle * degree, mu, angle == 0 ? 2 : 0, response(kind));
      s.advance(dt, 24);
      const double before = s.run.pose().velocity.x;
      s.advance(dt, 24);
      const double a = angle == 0 ? -mu * g : -g * (std::sin(angle * degree) - mu * std::cos(angle * degree));
      EXPECT_NEAR((s.run.pose().velocity.x - before) / (24 * dt), a, 1e-3 * g) << angle;
    }
}

TEST(SmoothCollision, ABoxThatWouldRestCreepsAsSmoothFrictionSays) {
  constexpr double mu = 0.5;
  for (const ContactResponse kind : both)
    for (const double angle : {5.0, 20.0}) {
      Slope s(angle * degree, mu, 0, response(kind));
      s.advance(1.0 / 48, 100);
      const double creep = s.run.pose().velocity.x;
      EXPECT_NEAR(creep, -1e-3 * (1 - std::sqrt(1 - std::tan(angle * degree) / mu)), 2e-8) << angle;
    }
}

// Boxes a layer apart, the upper one `ratio` times as heavy: the floor carries both.
TEST(SmoothCollision, AHeavyBoxOnALightOneIsCarried) {
  for (const ContactResponse kind : both)
    for (const double ratio : {1.0, 30.0, 1000.0}) {
      constexpr double dt = 1.0 / 96;
      cloth_tests::ContactRun run;
      run.bodies(box_surface({0, 0.051, 0}, {0.14, 0.1, 0.14}));
      run.bodies(box_surface({0, 0.152, 0}, {0.1, 0.1, 0.1}), 1000 * ratio);
      run.gravity({0, -g, 0});
      run.collider(PlaneShape{}, 0.5, response(kind));
      TouchParams params;
      params.response = response(kind);
      run.touch(params);
      run.start();
      for (int k = 0; k < 60; ++k) run.step(dt);
      // A residual of 1e-6 of a body's size is let pass, against the stiffness 2 % of its weight.
      EXPECT_NEAR(run.carried(dt).y / (run.mass() * g), 1, 5e-3) << ratio;
      EXPECT_LT(run.fastest(), 2e-3) << ratio;
      EXPECT_GT(run.bodies(1).poses()[0].position.y, 0.15) << ratio;
      EXPECT_EQ(run.solids().report().unconverged, 0);
    }
}

TEST(SmoothCollision, BoxesThatMeetKeepTheirMomentumAndGainNoEnergy) {
  for (const ContactResponse kind : both)
    for (const double aside : {0.0, 0.04})
      for (const double dt : {1.0 / 96, 1.0 / 2000}) {
        RigidRun run(
            joined(box_surface({0, 0, 0}, {0.1, 0.1, 0.1}), box_surface({0.13, aside, aside / 2}, {0.1, 0.1, 0.1})));
        SolidObject* objects[] = {&run.object()};
        TouchParams params;
        params.response = response(kind);
        run.solids().contacts().add_family(objects, params, 0);
        run.start();
        run.object().poses()[0].velocity = {2, 0, 0};
        const Vec3d momentum = run.momentum();
        const double start = run.energy();
        for (int k = 0; k < 0.1 / dt; ++k) {
          const double before = run.energy();
          run.step(dt);
          run.solids().accept();
          EXPECT_LT(norm(run.momentum() - momentum), 1e-12 * norm(momentum)) << aside << ", " << dt;
          EXPECT_LT(run.energy(), before + 1e-4 * start) << aside << ", " << dt << ", step " << k;
        }
        EXPECT_LT(run.energy(), 0.7 * start);
      }
}

// Joined by a weld: bodies answer together.
TEST(SmoothCollision, WeldedBoxesSlideAsOne) {
  constexpr double mu = 0.3, dt = 1.0 / 96, angle = 40 * degree;
  for (const ContactResponse kind : both) {
    RigidRun run(joined(box_surface({0, 0.051, 0}, {0.1, 0.1, 0.1}), box_surface({0.15, 0.051, 0}, {0.1, 0.1, 0.1})));
    run.gravity({-g * std::sin(angle), -g * std::cos(angle), 0});
    run.join(JointKind::weld, {run.place(0, 1, {0.075, 0.05, 0})});
    run.solids().contacts().add_collider(plane({&run.object()}, mu, response(kind)));
    run.start();
    double before = 0;
    for (int k = 0; k < 48; ++k) {
      if (k == 24) before = run.pose().velocity.x;
      run.step(dt);
      run.solids().accept();
    }
    const double a = -g * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR((run.pose().velocity.x - before) / (24 * dt), a, 1e-3 * g);
    EXPECT_NEAR(run.pose(0).velocity.x, run.pose(1).velocity.x, 1e-9);
  }
}

// Only one kind can be solved where bodies are joined.
// The weight of both goes through one weld to an exact floor and a barrier.
TEST(SmoothCollision, ExactAndOtherContactOfJoinedBodiesAreSolvedTogether) {
  RigidRun run(joined(box_surface({0, 0.05, 0}, {0.1, 0.1, 0.1}), box_surface({0.15, 0.05, 0}, {0.1, 0.1, 0.1})));
  run.join(JointKind::weld, {run.place(0, 1, {0.075, 0.05, 0})});
  run.gravity({0, -g, 0});
  const auto half_plane = [&](double x, const TouchResponse& answer) {
    TouchedCollider collider = plane({&run.object()}, 0.3, answer);
    collider.during = [x](double, double) {
      return rigid_collider(
          [x](Vec3d at) {
            return (at.x - 0.075) * x > 0 ? DistanceSample{at.y, {0, 1, 0}} : DistanceSample{1, {0, 1, 0}};
          },
          {}, {}, 0, 0);
    };
    run.solids().contacts().add_collider(std::move(collider));
  };
  half_plane(-1, {});
  half_plane(1, response(ContactResponse::barrier));
  run.start();
  for (int k = 0; k < 240; ++k) {
    run.step(1.0 / 96);
    run.solids().accept();
  }
  double carried = 0;
  for (const Contact& c : run.solids().contacts().contacts()) carried += c.impulse.y * 96;
  const double weight = (run.object().bodies()[0].mass + run.object().bodies()[1].mass) * g;
  EXPECT_NEAR(carried, weight, 1e-4 * weight);
  for (const std::size_t b : {0U, 1U}) EXPECT_LT(norm(run.pose(b).velocity), 1e-4) << b;
  EXPECT_NEAR(norm(run.pose(1).position - run.pose(0).position), 0.15, 1e-9);
}

double rods_slide(ContactResponse kind, double mu, double angle, bool inextensible) {
  verification::StrandsRun run;
  verification::StrandsCase c;
  for (int s = 0; s < 5; ++s) c.strands.push_back(verification::line({0, 0.011, 0.1 * s}, {1, 0.011, 0.1 * s}, 16));
  c.clamped = false;
  c.inextensible = inextensible;
  c.newton = {1e-9, 60};
  CurvesObject& object = run.add(c);
  run.load = [&](const auto& v) { return Vec3d{-g * std::sin(angle), -g * std::cos(angle), 0} * v.mass; };
  run.solids().add(object);
  run.solids().contacts().add_collider(plane({&object}, mu, response(kind)));
  run.start();
  constexpr double dt = 1.0 / 96;
  double before = 0;
  for (int k = 0; k < 36; ++k) {
    if (k == 24) before = run.momentum().x;
    run.step(dt);
    run.solids().accept();
  }
  return (run.momentum().x - before) / (5 * 12 * dt);
}

TEST(SmoothCollision, RodsSlideAsCoulombSays) {
  constexpr double mu = 0.3, angle = 40 * degree;
  const double a = -g * (std::sin(angle) - mu * std::cos(angle));
  for (const ContactResponse kind : both)
    for (const bool inextensible : {false, true}) EXPECT_NEAR(rods_slide(kind, mu, angle, inextensible), a, 2e-3 * g);
}

TEST(SmoothCollision, CrossedRodsKeepTheirMomentumAndDoNotPass) {
  for (const ContactResponse kind : both) {
    verification::StrandsRun run;
    verification::StrandsCase c;
    c.strands = {verification::line({-0.5, 0.06, 0.013}, {0.5, 0.06, 0.013}, 15),
                 verification::line({0.02, 0, -0.5}, {0.02, 0, 0.5}, 15)};
    c.clamped = false;
    c.newton = {1e-9, 60};
    CurvesObject& object = run.add(c);
    SolidObject* objects[] = {&object};
    run.solids().add(object);
    TouchParams params;
    params.response = response(kind);
    run.solids().contacts().add_family(objects, params, 0);
    run.start();
    for (int i = 0; i <= 15; ++i) run.set_velocity(0, 0, i, {0.5, -2, 0});
    const Vec3d momentum = run.momentum();
    for (int k = 0; k < 48; ++k) {
      run.step(1.0 / 96);
      run.solids().accept();
      EXPECT_LT(norm(run.momentum() - momentum), 1e-9 * norm(momentum));
      for (int i = 6; i <= 9; ++i) EXPECT_GT(run.position(0, 0, i).y, run.position(0, 1, i).y) << k;
    }
    EXPECT_LT(run.position(0, 1, 7).y, -0.01) << "they do not meet";
  }
}

TEST(SmoothCollision, AJellyThatSlidesLosesWhatItsWeightTimesFrictionSays) {
  constexpr double mu = 0.3, speed = 2, dt = 1.0 / 48;
  constexpr int steps = 12;
  for (const ContactResponse kind : both) {
    MeshObject::Description d;
    d.density = 1000;
    d.velocity = {speed, 0, 0};
    d.newton = {1e-7, 50};
    ElasticSolidMaterial material;
    material.youngs_modulus = 5e4;
    material.poisson_ratio = 0.4;
    SoftRun run(block(CellShape::tetrahedron, {3, 3, 3}, {0.2, 0.2, 0.2}), material, d);
    run.gravity({0, -g, 0});
    run.solids().contacts().add_collider(plane({&run.object()}, mu, response(kind)));
    run.start();
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
    Vec3d momentum{0, 0, 0};
    double mass = 0;
    for (std::size_t i = 0; i < run.object().mass().size(); ++i) {
      mass += run.object().mass()[i];
      momentum += run.object().velocities()[i] * run.object().mass()[i];
    }
    const double carried = mass * g * steps * dt + momentum.y;
    EXPECT_NEAR((mass * speed - momentum.x) / (mu * carried), 1, 1e-3);
    EXPECT_GT(carried, 0.5 * mass * g * steps * dt) << "nothing carries it";
  }
}

// Cloth on a slope; `mixed`: among exact contacts of its own.
double cloth_slides(ContactResponse kind, double mu, double angle, bool mixed) {
  cloth_tests::ContactRun run;
  run.cloth(cloth_tests::lying_sheet(0.3, 0.3, 0.06, 0.0015), cloth_tests::fabric(1e4, 1e-5));
  if (mixed) run.cloth(cloth_tests::lying_sheet(0.2, 0.2, 0.06, 0.0026, 0, 0, 0.4), cloth_tests::fabric(1e4, 1e-5));
  run.gravity({-g * std::sin(angle), -g * std::cos(angle), 0});
  run.collider(PlaneShape{}, mu, response(kind));
  TouchParams params;
  if (!mixed) params.response = response(kind);
  run.touch(params);
  run.start();
  constexpr double dt = 1.0 / 96;
  double before = 0;
  for (int k = 0; k < 24; ++k) {
    if (k == 12) before = run.momentum().x;
    run.step(dt);
  }
  return (run.momentum().x - before) / (run.mass() * 12 * dt);
}

TEST(SmoothCollision, ClothSlidesAsCoulombSaysAlsoUnderExactContact) {
  constexpr double mu = 0.3, angle = 40 * degree;
  const double a = -g * (std::sin(angle) - mu * std::cos(angle));
  for (const ContactResponse kind : both)
    for (const bool mixed : {false, true}) EXPECT_NEAR(cloth_slides(kind, mu, angle, mixed), a, 5e-3 * g) << mixed;
}

// Bodies on cloth on the floor.
std::vector<Vec3d> settle_on_cloth(ContactResponse kind, int with_threads, int steps) {
  const int before = threads();
  set_threads(with_threads);
  cloth_tests::ContactRun run;
  MeshObject& c = run.cloth(cloth_tests::lying_sheet(0.4, 0.4, 0.05, 0.002), cloth_tests::fabric(1e4, 1e-5));
  run.bodies(joined(box_surface({-0.08, 0.06, 0}, {0.1, 0.1, 0.1}), box_surface({0.08, 0.07, 0.02}, {0.1, 0.1, 0.1})));
  run.gravity({0, -g, 0});
  run.collider(PlaneShape{}, 0.5, response(kind));
  TouchParams params;
  params.response = response(kind);
  run.touch(params);
  run.start();
  for (int k = 0; k < steps; ++k) run.step(1.0 / 96);
  EXPECT_EQ(run.crossings(), 0);
  std::vector<Vec3d> places = c.positions();
  for (const RigidPose& pose : run.bodies(0).poses()) places.push_back(pose.position);
  set_threads(before);
  return places;
}

TEST(SmoothCollision, ThreadsChangeNoBit) {
  const auto one = settle_on_cloth(ContactResponse::barrier, 1, 16),
             three = settle_on_cloth(ContactResponse::barrier, 3, 16);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], three[i]) << i;
  for (std::size_t i = 0; i + 2 < one.size(); ++i) EXPECT_GT(one[i].y, 0.5e-3) << "through the floor";
}

}  // namespace
}  // namespace ymir
