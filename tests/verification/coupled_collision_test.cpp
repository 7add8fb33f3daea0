// Exact Coulomb contact of what attachments and joints hold together.
#include <fmt/format.h>

#include "company.h"
#include "ymir/data/lattice.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir {
namespace {

constexpr double g = 9.81;  // [m/s^2]
constexpr double degree = 0.017453292519943295;

TouchedCollider floor_for(std::vector<SolidObject*> objects, double friction) {
  TouchedCollider collider;
  collider.friction = friction;
  collider.objects = std::move(objects);
  collider.during = [](double, double) {
    return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
  };
  return collider;
}

struct Outcome {
  double speed;  // along the slope [m/s]
  double apart;  // that the weld gives way [m]
};

// Two boxes of different friction would part on a slope; welded, they slide as one with the mean of their friction by
// weight, here the same. Seen with the slope level.
Outcome slide_welded(double slope, double mu, double dt, int steps) {
  RigidRun run(joined(box_surface({0, 0.05, 0}, {0.1, 0.1, 0.1}), box_surface({0.15, 0.05, 0}, {0.1, 0.1, 0.1})));
  run.gravity({-g * std::sin(slope), -g * std::cos(slope), 0});
  const Vec3d weld{0.075, 0.05, 0};
  run.join(JointKind::weld, {run.place(0, 1, weld)});
  run.solids().contacts().add_collider(floor_for({&run.object()}, mu));
  run.start();
  for (int k = 0; k < steps; ++k) {
    run.step(dt);
    run.solids().accept();
  }
  return {norm(run.momentum()) / (run.object().bodies()[0].mass + run.object().bodies()[1].mass),
          norm(run.at(0, weld) - run.at(1, weld))};
}

TEST(CoupledCollision, WeldedBoxesRestOrSlideOnASlopeAsOne) {
  constexpr double mu = 0.5, dt = 1.0 / 48;
  constexpr int steps = 24;
  for (const double angle : {0.0, 26.0}) {
    const Outcome rest = slide_welded(angle * degree, mu, dt, steps);
    EXPECT_LT(rest.speed, 1e-8) << angle;
    EXPECT_LT(rest.apart, 1e-12) << angle;
  }
  for (const double angle : {27.0, 40.0}) {
    const double a = g * (std::sin(angle * degree) - mu * std::cos(angle * degree));
    const Outcome slid = slide_welded(angle * degree, mu, dt, steps);
    EXPECT_NEAR(slid.speed / (steps * dt), a, 1e-6 * a) << angle;
    EXPECT_LT(slid.apart, 1e-10) << angle;
  }
}

TEST(CoupledCollision, BodiesThatAreHeldTogetherDoNotPushEachOther) {
  RigidRun run(joined(box_surface({0, 0, 0}, {0.1, 0.1, 0.1}), box_surface({0.08, 0, 0}, {0.1, 0.1, 0.1})));
  run.join(JointKind::hinge, {run.place(0, 1, {0.04, 0, 0})});
  SolidObject* objects[] = {&run.object()};
  run.solids().contacts().add_family(objects, {}, 0);
  run.start();
  for (int k = 0; k < 8; ++k) {
    run.step(1.0 / 48);
    run.solids().accept();
  }
  for (std::size_t b = 0; b < 2; ++b) EXPECT_LT(norm(run.pose(b).velocity), 1e-12) << b;
}

// A chain of boxes joined by balls falls flat on the floor and comes to rest there.
TEST(CoupledCollision, AChainLiesStillOnTheFloor) {
  constexpr std::size_t links = 6;
  Surface all;
  for (std::size_t k = 0; k < links; ++k)
    all = joined(std::move(all), box_surface({0.1 * static_cast<double>(k), 0.02, 0}, {0.09, 0.04, 0.04}));
  RigidRun run(all);
  run.gravity({0, -g, 0});
  std::vector<JointPlace> places;
  for (std::size_t k = 0; k + 1 < links; ++k)
    places.push_back(run.place(k, static_cast<int>(k) + 1, {0.05 + 0.1 * static_cast<double>(k), 0.02, 0}));
  run.join(JointKind::ball, places);
  run.solids().contacts().add_collider(floor_for({&run.object()}, 0.5));
  run.start();
  for (int k = 0; k < 12; ++k) {
    run.step(1.0 / 48);
    run.solids().accept();
  }
  for (std::size_t b = 0; b < links; ++b) {
    EXPECT_LT(norm(run.pose(b).velocity), 1e-7) << b;
    EXPECT_NEAR(run.pose(b).position.y, 0.02, 1e-7) << b;
  }
}

// A box with jelly glued to it and hair rooted in the jelly.
struct Furry {
  RigidObject* box;
  MeshObject* jelly;
  CurvesObject* hair;

  Furry(Company& company, const std::string& name, Vec3d at, Vec3d velocity)
      : box(&company.rigid(name + "box", box_surface(at + Vec3d{0, 0.05, 0}, {0.2, 0.1, 0.2}), 500, velocity)),
        jelly(&company.mesh(name + "jelly",
                            lattice_of(box_surface(at + Vec3d{0, 0.15, 0}, {0.2, 0.1, 0.2}), 0.05, "jelly", 10000),
                            1000, velocity)) {
    add_elastic_solid(*jelly, "material", {2e4, 0.45});
    std::vector<std::vector<Vec3d>> lines;
    for (int k = 0; k < 5; ++k) {
      auto& line = lines.emplace_back();
      for (int i = 0; i <= 6; ++i) line.push_back(at + Vec3d{-0.08 + 0.04 * k, 0.2 + 0.03 * i, 0});
    }
    hair = &company.strands(name + "hair", lines);
    add_attachments(company.solids(), name + "glue", {box}, {jelly}, exact(), within(1e-3));
    EXPECT_EQ(attach_roots(company.solids(), name + "roots", *hair, {jelly}, 1e-3), lines.size());
  }
  std::vector<SolidObject*> all() const { return {box, jelly, hair}; }
};

// Whatever wobbles on it: friction takes mu times the impulse that carries it, J_N = M g t + p_y.
TEST(CoupledCollision, FrictionOfTheBoxSlowsWhatIsHeldToItToo) {
  constexpr double mu = 0.2, dt = 1.0 / 96, speed = 1.5;
  constexpr int steps = 14;  // then the jelly comes to lie on the floor
  std::uint64_t hash[2];
  const int before = threads();
  for (const int count : {1, 2}) {
    set_threads(count);
    Company company;
    const Furry furry(company, "", {0, 0, 0}, {speed, 0, 0});
    company.gravity({0, -g, 0});
    company.solids().contacts().add_collider(floor_for(furry.all(), mu));
    company.start();
    const Vec3d begin = company.momentum();  // the hair begins at rest
    for (int k = 0; k < steps; ++k) company.step(dt);
    const double weight = company.mass() * g * steps * dt, carried = weight + company.momentum().y;
    const double lost = begin.x - company.momentum().x;
    fmt::print("{} threads: friction by what carries it {:.9f}\n", count, lost / carried);
    EXPECT_NEAR(lost / (mu * carried), 1, 1e-5);
    EXPECT_GT(carried, 0.5 * weight) << "nothing carries it";
    hash[count - 1] = company.hash();
  }
  set_threads(before);
  EXPECT_EQ(hash[0], hash[1]);
}

TEST(CoupledCollision, KeepsTheMomentumOfWhatMeets) {
  Company company;
  const Furry a(company, "a", {0, 0, 0}, {1, 0, 0}), b(company, "b", {0.23, 0.05, 0.02}, {-1, 0, 0});
  std::vector<SolidObject*> objects = a.all();
  for (SolidObject* object : b.all()) objects.push_back(object);
  company.solids().contacts().add_family(objects, {}, 0);
  company.start();
  const auto speed = [&](const Furry& f) { return f.box->poses()[0].velocity.x; };
  Vec3d begin{0, 0, 0};
  double off = 0;
  for (int k = 0; k < 16; ++k) {
    company.step(1.0 / 200);
    if (k == 0) begin = company.momentum();
    off = std::max(off, norm(company.momentum() - begin) / (2 * company.mass()));
  }
  fmt::print("furry bodies that meet: momentum off by {:.1e} of their mass times speed\n", off);
  EXPECT_LT(off, 1e-11);
  EXPECT_LT(speed(a), 0.8) << "they have not met";
  EXPECT_GT(speed(b), -0.8);
}

}  // namespace
}  // namespace ymir
