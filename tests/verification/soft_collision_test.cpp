// Exact Coulomb contact of a simulated soft body with a plane.
#include "soft_run.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir {
namespace {

// A cube of jelly slides over the floor: whatever it does inside, friction takes mu times the impulse that carries it,
// J_N = M g t + p_y, from its momentum along the floor.
TEST(SoftCollision, AJellyThatSlidesLosesWhatItsWeightTimesFrictionSays) {
  constexpr double g = 9.81, mu = 0.3, speed = 2, dt = 1.0 / 48, density = 1000;
  constexpr int steps = 12;
  for (const CellShape shape : {CellShape::hexahedron, CellShape::tetrahedron}) {
    MeshObject::Description d;
    d.density = density;
    d.velocity = {speed, 0, 0};
    d.newton = {1e-7, 50};
    ElasticSolidMaterial material;
    material.youngs_modulus = 5e4;
    material.poisson_ratio = 0.4;
    SoftRun run(block(shape, {4, 4, 4}, {0.2, 0.2, 0.2}), material, d);
    run.gravity({0, -g, 0});
    TouchedCollider collider;
    collider.friction = mu;
    collider.objects = {&run.object()};
    collider.during = [](double, double) {
      return rigid_collider([](Vec3d x) { return signed_distance(PlaneShape{}, x); }, {}, {}, 0, 0);
    };
    run.solids().contacts().add_collider(std::move(collider));
    run.start();
    for (int k = 0; k < steps; ++k) {
      run.step(dt);
      run.solids().accept();
    }
    Vec3d momentum{0, 0, 0};
    double mass = 0, lowest = 1;
    for (std::size_t i = 0; i < run.object().mass().size(); ++i) {
      mass += run.object().mass()[i];
      momentum += run.object().velocities()[i] * run.object().mass()[i];
      lowest = std::min(lowest, run.object().positions()[i].y);
    }
    const double carried = mass * g * steps * dt + momentum.y;
    EXPECT_NEAR((mass * speed - momentum.x) / (mu * carried), 1, 1e-3);
    EXPECT_GT(carried, 0.5 * mass * g * steps * dt) << "nothing carries it";
    EXPECT_GT(lowest, -1e-5);
  }
}

}  // namespace
}  // namespace ymir
