// A box that flies against the middle of a plate thinner than its way in a substep: no vertex or edge may take the far
// side of the plate for the one that it meets.
#include "rigid_run.h"

namespace ymir {
namespace {

struct After {
  double box, plate;   // speed [m/s]
  double gap;          // between them [m]
  double spin, aside;  // largest [rad/s, m/s]
};

After strike(ContactResponse response, double speed, double dt) {
  constexpr double box = 0.06, plate = 0.01, wide = 0.6;
  RigidRun run(joined(box_surface({-0.1, 0, 0}, {box, box, box}), box_surface({0, 0, 0}, {plate, wide, wide})));
  TouchParams touch;
  touch.response.kind = response;
  touch.continuous = true;
  SolidObject* objects[] = {&run.object()};
  run.solids().contacts().add_family(objects, touch, 0);
  run.start();
  run.object().poses()[0].velocity = {speed, 0, 0};
  for (double time = 0; time < 0.2 / speed + 2 * dt; time += dt) {
    run.step(dt);
    run.solids().accept();
  }
  After after{run.pose(0).velocity.x, run.pose(1).velocity.x,
              run.pose(1).position.x - run.pose(0).position.x - (box + plate) / 2, 0, 0};
  for (std::size_t b = 0; b < 2; ++b) {
    after.spin = std::max(after.spin, norm(run.object().angular_velocity(b)));
    after.aside = std::max(after.aside, std::hypot(run.pose(b).velocity.y, run.pose(b).velocity.z));
  }
  return after;
}

TEST(StruckPlate, FliesOnWithTheBoxAndDoesNotTurn) {
  constexpr double share = 0.216 / (0.216 + 3.6);  // of the box in the mass
  for (const double speed : {2.0, 20.0})
    for (const double dt : {1.0 / 48, 1.0 / 768}) {
      const After after = strike(ContactResponse::exact, speed, dt);
      EXPECT_NEAR(after.box, share * speed, 1e-6 * speed) << speed << ", " << dt;
      EXPECT_NEAR(after.plate, share * speed, 1e-6 * speed) << speed << ", " << dt;
      EXPECT_NEAR(after.gap, 0, 1e-6) << speed << ", " << dt;
      EXPECT_LT(after.spin * 0.3 + after.aside, 1e-6 * speed) << speed << ", " << dt;
    }
}

TEST(StruckPlate, IsNotPassedWherePenaltiesOrBarriersPush) {
  for (const ContactResponse response : {ContactResponse::penalty, ContactResponse::barrier})
    for (const double speed : {2.0, 20.0})
      for (const double dt : {1.0 / 48, 1.0 / 768}) {
        const After after = strike(response, speed, dt);
        EXPECT_GT(after.gap, response == ContactResponse::barrier ? 0 : -1e-3) << speed << ", " << dt;
        EXPECT_LT(after.spin * 0.3, 0.02 * speed) << speed << ", " << dt;
      }
}

}  // namespace
}  // namespace ymir
