// Drag painted on surfaces: each part of cloth, or of the skin of a body, has its own.
#include <gtest/gtest.h>

#include "soft_run.h"
#include "ymir/actions/drag_force.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/data/cloth_mesh.h"

namespace ymir {
namespace {

constexpr double wind = 7, dt = 1e-7;  // so short that the wind is hardly slowed

// Two loose triangles of a cloth in the wind; velocities after a short step, with or without a channel.
std::array<double, 2> pushed(const std::string& channel, double first, double second, double coefficient = 1.2) {
  Surface s;
  s.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  s.triangles = {{0, 1, 2}, {3, 4, 5}};
  s.vertices.resize(6);
  s.faces.resize(2);
  SolidMesh mesh = cloth_of(s, 1e-3, "cloth");
  mesh.vertices.resize(6);
  mesh.elements.resize(2);
  if (!channel.empty()) {
    const auto values = mesh.elements.add<double>(channel);
    values[0] = first;
    values[1] = second;
  }
  Communicator alone;
  GridDomain domain{100.0, 1, alone};
  MeshObject::Description d;
  d.newton = {1e-14, 50};
  MeshObject cloth("cloth", 0, domain, d, std::move(mesh));
  SolidSystem solids;
  solids.add(cloth);
  PrescribedField air;
  air.add({FieldKind::uniform, {0, 0, wind}, {}, {}});
  PlateLaw law;
  law.pressure = coefficient;
  ForceTarget& panels = add_panels(cloth, "drag", "drag");
  panels.add_force(plate_drag_force(
      "drag", law, air, {1, panels.scalar_field("drag_coefficient"), panels.scalar_field("drag_strength")}));
  cloth.ingest();
  const Step step{0, 0, 0, 0, dt};
  cloth.begin_substep();
  solids.detect(step);
  solids.advance(step);
  return {cloth.velocities()[0].z, cloth.velocities()[3].z};
}

TEST(PaintedDrag, EveryPartOfClothHasItsOwn) {
  const auto plain = pushed("", 0, 0);
  // rho A/2 C w^2 dt of a mass rho_c A h.
  const double expected = 0.5 * 1.225 * 1.2 * wind * wind * dt / (1000 * 1e-3);
  EXPECT_NEAR(plain[0], expected, 1e-4 * expected);
  const auto strength = pushed("drag_strength", 0, 2.5);
  EXPECT_EQ(strength[0], 0);
  EXPECT_NEAR(strength[1], 2.5 * plain[1], 1e-4 * expected);
  const auto coefficient = pushed("drag_coefficient", 0.3, 3);
  EXPECT_NEAR(coefficient[0], 0.25 * plain[0], 1e-4 * expected);
  EXPECT_NEAR(coefficient[1], 2.5 * plain[1], 1e-4 * expected);
}

}  // namespace
}  // namespace ymir
