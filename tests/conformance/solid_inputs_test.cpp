// Volume meshes as inputs of soft bodies: what is painted on them acts, what cannot be taken is refused with a remedy.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ymir/behaviors/register.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

class SolidInputs : public testing::Test {
 protected:
  SolidInputs() : folder_(std::filesystem::temp_directory_path() / fmt::format("ymir_solids_{}", getpid())) {
    std::filesystem::create_directories(folder_);
    write("two.vtk", "");
    tetrahedra("tet.vtk", 4, 1);
  }
  ~SolidInputs() override { std::filesystem::remove_all(folder_); }

  // Two cubes of 10 cm, half a metre apart in z.
  void write(const char* name, const std::string& data, double scale = 1) const {
    std::ofstream out(folder_ / name);
    out << "# vtk DataFile Version 3.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 16 double\n";
    constexpr double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int s = 0; s < 2; ++s)
      for (const auto& c : corner)
        out << 0.1 * scale * c[0] << " " << 0.1 * scale * c[1] << " " << scale * (0.1 * c[2] + 0.5 * s) << "\n";
    out << "CELLS 2 18\n8 0 1 2 3 4 5 6 7\n8 8 9 10 11 12 13 14 15\nCELL_TYPES 2\n12\n12\n" << data;
  }
  // One tetrahedron of 4 or 10 nodes, `height` high.
  void tetrahedra(const char* name, int nodes, double height) const {
    std::ofstream out(folder_ / name);
    const double h = height;
    out << "# vtk DataFile Version 3.0\none\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " << nodes << " double\n"
        << "0 0 0\n1 0 0\n0 1 0\n0 0 " << h << "\n";
    if (nodes == 10)
      out << "0.5 0 0\n0.5 0.5 0\n0 0.5 0\n0 0 " << h / 2 << "\n0.5 0 " << h / 2 << "\n0 0.5 " << h / 2 << "\n";
    out << "CELLS 1 " << nodes + 1 << "\n" << nodes;
    for (int n = 0; n < nodes; ++n) out << " " << n;
    out << "\nCELL_TYPES 1\n" << (nodes == 4 ? 10 : 24) << "\n";
  }

  BuildResult build_of(const std::string& inputs, const std::string& behaviors) {
    const ReadResult read =
        read_setup_text("ymir: 1\ntime: {frames: [1, 6], substeps: 2}\ninputs:\n" + inputs + "setup:\n" + behaviors,
                        folder_ / "scene.yaml", registry_);
    if (!read.setup) return {std::nullopt, read.diagnostics};
    return try_build(*read.setup, alone_);
  }
  std::string told(const std::string& inputs, const std::string& behaviors) {
    return to_string(build_of(inputs, behaviors).diagnostics);
  }
  // Heights and lengths of the two cubes in the end.
  std::vector<Vec3d> run(const std::string& inputs, const std::string& behaviors) {
    BuildResult result = build_of(inputs, behaviors);
    EXPECT_TRUE(result.built) << to_string(result.diagnostics);
    if (!result.built) return {};
    result.built->simulation->ingest();
    for (int frame = 1; frame <= 6; ++frame) result.built->simulation->advance_frame(frame);
    for (const auto& object : result.built->simulation->objects())
      if (const auto* solid = dynamic_cast<const MeshObject*>(object.get())) return solid->positions();
    return {};
  }
  static double apart(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b, std::size_t cube) {
    double most = 0;
    for (std::size_t i = 8 * cube; i < 8 * cube + 8; ++i) most = std::max(most, norm(a.at(i) - b.at(i)));
    return most;
  }

  std::filesystem::path folder_;
  Registry registry_ = all_behaviors();
  Communicator alone_;
};

// Fibres pull, springs hold against gravity; each cube does what it does where both have its value.
std::string scene(const std::string& behavior, const std::string& value) {
  const auto with = [&](const std::string& name) { return name == behavior ? ", " + value : ""; };
  return "  - gravity\n  - solid_object: {body: two" + with("solid_object") +
         "}\n  - elastic_solid: {poisson_ratio: 0.3" + with("elastic_solid") + "}\n  - muscle: {stiffness: 0" +
         with("muscle") + "}\n  - follow: {body: target" + with("follow") + "}\n";
}

TEST_F(SolidInputs, PaintedValuesActOnTheirCells) {
  struct Case {
    std::string behavior, parameter, low, high;
  };
  const std::string target = "  target: {body: target.vtk}\n";
  write("target.vtk", "");
  for (const Case& c :
       {Case{"elastic_solid", "youngs_modulus", "40000", "160000"}, Case{"solid_object", "density", "500", "2000"},
        Case{"muscle", "activation", "1000", "30000"}, Case{"follow", "stiffness", "100000", "1000000"}}) {
    SCOPED_TRACE(c.parameter);
    const std::string inputs = "  two: {body: two.vtk}\n" + target;
    const auto low = run(inputs, scene(c.behavior, c.parameter + ": " + c.low));
    const auto high = run(inputs, scene(c.behavior, c.parameter + ": " + c.high));
    write("painted.vtk",
          fmt::format("CELL_DATA 2\nSCALARS {} double 1\nLOOKUP_TABLE default\n{}\n{}\n", c.parameter, c.low, c.high));
    const auto painted = run("  two: {body: painted.vtk}\n" + target, scene("", ""));
    const auto overridden = run(
        fmt::format("  two: {{body: two.vtk, overrides: {{{}: {}}}}}\n", c.parameter, c.high) + target, scene("", ""));
    const double difference = apart(low, high, 1);
    EXPECT_GT(difference, 1e-4);
    EXPECT_LT(apart(painted, low, 0), 1e-3 * difference);
    EXPECT_LT(apart(painted, high, 1), 1e-3 * difference);
    EXPECT_EQ(apart(overridden, high, 0), 0);
    write("painted.vtk",
          fmt::format("CELL_DATA 2\nSCALARS {} double 1\nLOOKUP_TABLE default\n{}\n-7\n", c.parameter, c.low));
    EXPECT_NE(told("  two: {body: painted.vtk}\n" + target, scene("", "")).find("cell 1"), std::string::npos);
  }
}

// Twice as heavy by the input as by the behavior: the same masses.
TEST_F(SolidInputs, ClothHasTheDensityOfItsInput) {
  const auto masses = [&](const char* overrides, int density) {
    const BuildResult result = build_of(fmt::format("  s: {{shape: sheet, edge: 0.2{}}}\n", overrides),
                                        fmt::format("  - cloth_object: {{surface: s, density: {}}}\n", density));
    EXPECT_TRUE(result.built) << to_string(result.diagnostics);
    for (const auto& object : result.built->simulation->objects())
      if (const auto* cloth = dynamic_cast<const MeshObject*>(object.get())) return cloth->mass();
    return std::vector<double>{};
  };
  const auto painted = masses(", overrides: {density: 800}", 400), given = masses("", 800), light = masses("", 400);
  ASSERT_FALSE(given.empty());
  EXPECT_EQ(painted, given);
  EXPECT_NE(painted, light);
}

// A square, or a cube of 10 cm, whose vertices or faces have a property.
std::string painted_ply(bool cube, const std::string& of, const std::string& name, const std::string& low,
                        const std::string& high) {
  constexpr double square[][3] = {{0, 0, 0}, {0.1, 0, 0}, {0.1, 0.1, 0}, {0, 0.1, 0}};
  constexpr int faces[][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  const int vertices = cube ? 8 : 4, count = cube ? 6 : 1;
  const auto property = [&](const char* element) { return of == element ? "property float " + name + "\n" : ""; };
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
      "property float z\n{}element face {}\nproperty list uchar int vertex_indices\n{}"
      "end_header\n",
      vertices, property("vertex"), count, property("face"));
  for (int v = 0; v < vertices; ++v)
    text += fmt::format("{} {} {} {}\n", square[v % 4][0], square[v % 4][1], v < 4 ? 0 : 0.1,
                        of == "vertex" ? (v < 4 ? low : high) : "");
  for (int f = 0; f < count; ++f)
    text += fmt::format("4 {} {} {} {} {}\n", faces[f][0], faces[f][1], faces[f][2], faces[f][3],
                        of == "face" ? (f == 1 ? high : low) : "");
  return text;
}

// What is painted on a surface acts as an override of the same value does.
TEST_F(SolidInputs, SurfacesArePaintedAsTheirOverridesAre) {
  struct Case {
    bool cube;
    const char *parameter, *value;
  };
  for (const Case& c :
       {Case{false, "density", "1300"}, Case{false, "drag_strength", "3"}, Case{false, "drag_coefficient", "2"},
        Case{true, "density", "400"}, Case{true, "youngs_modulus", "3000"}, Case{true, "drag_strength", "3"}})
    for (const char* of : {"vertex", "face"}) {
      SCOPED_TRACE(fmt::format("{} of each {}", c.parameter, of));
      const std::string drag = "  - drag: {wind: {value: [9, 0, 9]}}\n";
      const std::string behaviors = (c.cube ? "  - solid_object: {surface: b, cell: 5 cm}\n  - elastic_solid: "
                                              "{youngs_modulus: 20000, poisson_ratio: 0.3}\n"
                                            : "  - cloth_object: {surface: b}\n  - elastic_shell\n") +
                                    drag;
      const auto with = [&](const std::string& file, const std::string& overrides) {
        std::ofstream(folder_ / "b.ply") << file;
        return run("  b: {surface: b.ply" + overrides + "}\n", behaviors);
      };
      const std::string plain = painted_ply(c.cube, "", "", "", "");
      const auto bare = with(plain, "");
      const auto overridden = with(plain, fmt::format(", overrides: {{{}: {}}}", c.parameter, c.value));
      const auto painted = with(painted_ply(c.cube, of, c.parameter, c.value, c.value), "");
      ASSERT_EQ(painted.size(), overridden.size());
      double difference = 0, most = 0;
      for (std::size_t i = 0; i < bare.size(); ++i) {
        difference = std::max(difference, norm(bare[i] - overridden[i]));
        most = std::max(most, norm(painted[i] - overridden[i]));
      }
      EXPECT_GT(difference, 1e-6);
      EXPECT_LT(most, 1e-5 * difference + 1e-12);
    }
}

// Nodes have the value at the nearest point of the surface, cells that of the nearest face.
TEST_F(SolidInputs, CellsTakeWhatIsPaintedNearThem) {
  for (const char* of : {"vertex", "face"}) {
    std::ofstream(folder_ / "b.ply") << painted_ply(true, of, "density", "200", "1000");
    const BuildResult result = build_of("  b: {surface: b.ply}\n", "  - solid_object: {surface: b, cell: 5 cm}\n");
    ASSERT_TRUE(result.built) << to_string(result.diagnostics);
    for (const auto& object : result.built->simulation->objects())
      if (const auto* solid = dynamic_cast<const MeshObject*>(object.get())) {
        double low = 0, high = 0;
        for (std::size_t i = 0; i < solid->mass().size(); ++i) {
          const double z = solid->mesh().positions[i].z;
          if (z < 0.02) low += solid->mass()[i];
          if (z > 0.08) high += solid->mass()[i];
        }
        EXPECT_GT(high, 1.5 * low) << of;
      }
  }
}

TEST_F(SolidInputs, PaintedSurfacesAreCheckedWhereverTheyAreWrong) {
  const auto says = [&](const std::string& file, const std::string& behaviors) {
    std::ofstream(folder_ / "b.ply") << file;
    return told("  b: {surface: b.ply}\n", behaviors);
  };
  const std::string solid = "  - solid_object: {surface: b, cell: 5 cm}\n  - elastic_solid\n";
  const std::string cloth = "  - cloth_object: {surface: b}\n  - elastic_shell\n";
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(
      has(says(painted_ply(true, "vertex", "density", "9", "-7"), solid), "vertex 4 (counted from 0): density"));
  EXPECT_TRUE(
      has(says(painted_ply(true, "face", "density", "9", "-7"), solid), "triangle 2 (counted from 0): density"));
  EXPECT_TRUE(has(says(painted_ply(false, "face", "density", "-7", "-7"), cloth), "triangle 0 (counted from 0)"));
  EXPECT_TRUE(has(says(painted_ply(false, "vertex", "thickness", "1", "1"), cloth),
                  "channel 'thickness' of its input does nothing"));
  EXPECT_TRUE(has(says(painted_ply(true, "vertex", "density", "9", "9"), "  - rigid_object: {surface: b}\n"),
                  "warning: the channel 'density' of its input 'b'"));
  EXPECT_TRUE(
      has(says(painted_ply(true, "vertex", "friction", "1", "1"), solid + "  - collider: {response: penalty}\n"),
          "the channel 'friction' of its input does nothing"));
}

TEST_F(SolidInputs, ChannelsNeedTheComponentsOfTheirParameter) {
  write("target.vtk", "");
  const std::string target = "  target: {body: target.vtk}\n";
  write("painted.vtk", "CELL_DATA 2\nVECTORS youngs_modulus double\n1 1 1\n1 1 1\n");
  EXPECT_NE(told("  two: {body: painted.vtk}\n" + target, scene("", "")).find("has 3 components, expected 1"),
            std::string::npos);
  write("painted.vtk", "CELL_DATA 2\nSCALARS fibre double 1\nLOOKUP_TABLE default\n1\n1\n");
  EXPECT_NE(told("  two: {body: painted.vtk}\n" + target, scene("", "")).find("has 1 component, expected 3"),
            std::string::npos);
}

TEST_F(SolidInputs, ShapesThatDeformAreNoRestShape) {
  const std::string inputs = "  b: {shape: box, deform: [{time: 0, swell: 3}, {time: 0.2, bend: 1}]}\n";
  for (const char* object : {"solid_object", "rigid_object", "cloth_object"})
    EXPECT_NE(told(inputs, fmt::format("  - {}: {{surface: b}}\n", object)).find("deforms, which is not followed here"),
              std::string::npos);
}

TEST_F(SolidInputs, FibresHaveTheirDirectionPerCell) {
  write("target.vtk", "");
  write("painted.vtk", "CELL_DATA 2\nVECTORS fibre double\n0 0 0\n0 3 0\n");
  const std::string target = "  target: {body: target.vtk}\n";
  const auto slack = run("  two: {body: two.vtk}\n" + target, scene("muscle", "activation: 0"));
  const auto along_y = run("  two: {body: two.vtk}\n" + target, scene("muscle", "fibre: [0, 1, 0]"));
  const auto painted = run("  two: {body: painted.vtk}\n" + target, scene("", ""));
  EXPECT_LT(apart(painted, slack, 0), 1e-6);
  EXPECT_LT(apart(painted, along_y, 1), 1e-6);
  EXPECT_GT(apart(slack, along_y, 1), 1e-3);
  // With z up the same file is turned, and its fibres with it.
  write("turned.vtk", "CELL_DATA 2\nVECTORS fibre double\n0 0 0\n0 0 3\n");
  BuildResult result = build_of("  two: {body: turned.vtk, up: z}\n", "  - solid_object: {body: two}\n  - muscle\n");
  ASSERT_TRUE(result.built) << to_string(result.diagnostics);
  for (const auto& object : result.built->simulation->objects())
    if (const auto* solid = dynamic_cast<const MeshObject*>(object.get())) {
      EXPECT_EQ(solid->mesh().elements.get<Vec3d>("fibre")[1], (Vec3d{0, 3, 0}));
    }
}

TEST_F(SolidInputs, AreRefusedWithARemedyWhereTheyCannotBeTaken) {
  tetrahedra("sliver.vtk", 4, 0.01);
  tetrahedra("ten.vtk", 10, 1);
  std::ofstream(folder_ / "far.obj") << "v 9 0 0\nv 10 0 0\nv 9 1 0\nv 9 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  std::ofstream(folder_ / "stem.ply") << "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                                         "property float z\nproperty int strand\nend_header\n8 0 0 0\n9 0 0 0\n";
  const std::string all =
      "  two: {body: two.vtk}\n  tet: {body: tet.vtk}\n  ten: {body: ten.vtk}\n  sliver: {body: sliver.vtk}\n"
      "  far: {surface: far.obj}\n  stem: {curves: stem.ply}\n  moving: {body: two.vtk, motion: [{time: 0 s}, {time: 1 "
      "s, position: [1, 0, 0]}]}\n";
  const auto expect = [&](const std::string& behaviors, const std::vector<std::string>& words) {
    const std::string text = told(all, behaviors);
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  };
  expect("  - solid_object\n", {"surface:", "body:"});
  expect("  - solid_object: {surface: far, body: two}\n", {"surface", "body"});
  expect("  - solid_object: {body: sliver}\n", {"sliver.vtk", "cell 1", "sliver", "mesh the solid again"});
  expect("  - solid_object: {body: two, order: 2}\n", {"two.vtk", "hexahedra", "order"});
  expect("  - solid_object: {body: ten, order: 1}\n", {"ten.vtk", "10 nodes", "order"});
  expect("  - solid_object: {body: moving}\n", {"moving", "moves"});
  expect("  - solid_object: {body: two, rest: tet}\n", {"rest shape 'tet'", "same mesh"});
  expect("  - solid_object: {body: two, skin: far}\n",
         {".skin: 4 of the 4 vertices of 'far'", "too far from the body", "cells"});
  expect("  - solid_object: {body: two, cell: 1 cm}\n", {"cell"});
  expect("  - solid_object: {body: two}\n  - follow\n", {"follow", "body:"});
  expect("  - solid_object: {body: two}\n  - follow: {body: tet}\n", {"'tet' has 4 nodes", "16"});
  expect("  - solid_object: {body: two}\n  - elastic_solid: {model: st_venant_kirchhoff, poisson_ratio: 0.45}\n",
         {"too stiff", "0.4"});
  expect("  - solid_object: {body: two}\n  - muscle: {course: [{time: 1 s}, {time: 1 s}]}\n", {"times must increase"});
  expect("  - solid_object: {body: two}\n  - follow: {body: two, weight: 1}\n", {"weight of 1", "0.99"});
  expect("  - solid_object: {body: two}\n  - follow: {body: two, course: [{time: 0 s}, {time: 1 s, weight: 0}]}\n",
         {"weight of 1"});
  expect(
      "  - solid_object: {body: two}\n  - follow: {body: two, course: [{time: 1 s, weight: 0}, {time: 1 s, weight: "
      "0}]}\n",
      {"times must increase"});
  expect("  - rigid_object: {surface: far}\n  - follow\n", {"surface:"});
  expect("  - gravity\n  - solid_object: {body: two}\n  - elastic_solid: {gravity_compensation: 1}\n",
         {"nothing holds solid_object", "attachment"});
  expect("  - gravity\n  - cloth_object: {surface: far}\n  - elastic_shell: {gravity_compensation: 1}\n",
         {"nothing holds cloth_object", "attachment"});
  expect("  - gravity\n  - rigid_object: {surface: far, gravity_compensation: 1}\n",
         {"nothing holds 1 of the 1", "joint"});
  expect("  - gravity\n  - elaston_object: {curves: stem, clamp_roots: false, gravity_compensation: 1}\n",
         {"no root is held", "clamp_roots: true"});
  expect("  - elaston_object: {curves: stem, leaves: far, spacing: 6 cm}\n", {"s of a core", "a spacing of"});
  expect(
      "  - rigid_object: {surface: far}\n  - joint: {between: world, places: [{at: [9, 0, 0]}], "
      "spring_relaxation_time: 1}\n",
      {"no spring to damp", "spring_torque"});
  // Two materials of one body would add up.
  expect("  - elastic_solid\n  - group: In\n    with:\n      - solid_object: {body: two}\n      - elastic_solid\n",
         {"In/solid_object has an elastic_solid already", "keep one"});
  // Painted on a solid, and nothing of it takes that.
  const std::string ignored = told("  two: {body: two.vtk, overrides: {friction: 0.3, drag_strength: 2, bend: 2}}\n",
                                   "  - solid_object: {body: two}\n  - elastic_solid\n  - collider: {response: "
                                   "penalty}\n  - drag\n  - elastic_rod\n");
  EXPECT_NE(ignored.find("'friction'"), std::string::npos) << ignored;
  EXPECT_NE(ignored.find("'bend'"), std::string::npos) << ignored;
  EXPECT_EQ(ignored.find("'drag_strength'"), std::string::npos) << ignored;
  const std::string rigid =
      told("  far: {surface: far.obj, overrides: {friction: 0.3}}\n",
           "  - rigid_object: {surface: far}\n  - collider: {response: penalty, center: [0, -5, 0]}\n");
  EXPECT_NE(rigid.find("'friction'"), std::string::npos) << rigid;
}

TEST_F(SolidInputs, BecomeQuadraticAndStartWhereTheyAreTold) {
  write("small.vtk", "", 0.5);
  BuildResult result = build_of("  tet: {body: tet.vtk, scale: 10 cm}\n",
                                "  - solid_object: {body: tet, order: 2, velocity: [1, 2, 3], spin: [0, 0, 4]}\n");
  ASSERT_TRUE(result.built) << to_string(result.diagnostics);
  result.built->simulation->ingest();
  for (const auto& object : result.built->simulation->objects())
    if (const auto* solid = dynamic_cast<const MeshObject*>(object.get())) {
      EXPECT_EQ(solid->mesh().shape, CellShape::quadratic_tetrahedron);
      EXPECT_EQ(solid->positions().size(), 10u);
      EXPECT_EQ(bounds(solid->positions()).high, (Vec3d{0.1, 0.1, 0.1}));
      Vec3d momentum{0, 0, 0};
      double mass = 0;
      for (std::size_t i = 0; i < 10; ++i) {
        momentum += solid->velocities()[i] * solid->mass()[i];
        mass += solid->mass()[i];
      }
      EXPECT_LT(norm(momentum / mass - Vec3d{1, 2, 3}), 1e-12);
      EXPECT_LT(norm(solid->velocities()[1] - solid->velocities()[0] - cross(Vec3d{0, 0, 4}, Vec3d{0.1, 0, 0})), 1e-12);
    }
  result =
      build_of("  two: {body: two.vtk}\n  small: {body: small.vtk}\n", "  - solid_object: {body: two, rest: small}\n");
  ASSERT_TRUE(result.built) << to_string(result.diagnostics);
  result.built->simulation->ingest();
  for (const auto& object : result.built->simulation->objects())
    if (const auto* solid = dynamic_cast<const MeshObject*>(object.get())) {
      EXPECT_EQ(bounds(solid->positions()).high, (Vec3d{0.1, 0.1, 0.6}));
      EXPECT_EQ(bounds(solid->mesh().positions).high, (Vec3d{0.05, 0.05, 0.3}));
    }
}

}  // namespace
}  // namespace ymir
