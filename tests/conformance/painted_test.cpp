// Every parameter that says it is Varying acts where it is painted: two strands or particles that are given two values
// do what each does when all are given that value, and the two differ.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <set>
#include <sstream>

#include "ymir/behaviors/register.h"
#include "ymir/param/varying_params.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

struct Case {
  std::string behavior, parameter;
  bool strands;              // else particles
  double low, high;          // two values, in SI units
  std::string with = "";     // further parameters of the behavior
  std::string another = "";  // further behaviors, a line each
  std::string inside = "";   // the parameter is in a nested struct; @ stands for its value
  std::string name() const { return behavior + "." + parameter + (strands ? " on strands" : " on particles"); }
};

const char* const gas =
    "volume_object: {voxel: 0.1, domain: {low: [-0.5, -0.5, -0.5], high: [0.5, 0.5, 1], fill: true}}";
// Held to the floor, softly.
const char* const tips = ", surface: floor, points: tips, hard: false";
const char* const held = ", surface: floor, hard: false";
const char* const soft = ", normal_stiffness: 1 mN/m, tangent_stiffness: 1 mN/m";

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"elastic_rod", "youngs_modulus", true, 1e7, 4e7},
      {"elastic_rod", "stretch", true, 0.01, 1},
      {"elastic_rod", "bend", true, 0.2, 2},
      {"elastic_rod", "twist", true, 0.2, 2},
      {"elastic_rod", "relaxation_time", true, 0, 0.02},
      {"elastic_rod", "stretch_relaxation_time", true, 0, 0.05, ", stretch: 1e-4"},
      {"curves_object", "density", true, 800, 2000},
      {"curves_object", "radius", true, 5e-4, 1e-3},
      {"curves_object", "flattening", true, 0.5, 1},
      {"super_helix_object", "density", true, 800, 2000},
      {"super_helix_object", "radius", true, 5e-4, 1e-3},
      {"super_helix_object", "flattening", true, 0.5, 1},
      {"elastic_rod", "shear_modulus", true, 1e6, 2e7},
      {"elastic_rod", "poisson_ratio", true, -0.5, 0.5},
      {"elastic_rod", "internal_friction_saturation", true, 0, 20, "", "",
       "internal_friction: {saturation: @, length: 2}"},
      {"elastic_rod", "internal_friction_length", true, 0.5, 20, "", "",
       "internal_friction: {saturation: 20, length: @}"},
      {"curves_object", "gravity_compensation", true, 0, 0.8},
      {"drag", "drag_coefficient", true, 0, 5},
      {"drag", "drag_strength", true, 0, 2},
      {"drag", "drag_coefficient", false, 0, 5},
      {"drag", "drag_strength", false, 0, 2},
      {"coupled_drag", "drag_strength", true, 0, 2, ", way: gas_to_objects", gas},
      {"coupled_drag", "drag_strength", false, 0, 2, ", way: gas_to_objects", gas},
      {"attachment", "flexibility", true, 0, 1, tips},
      {"attachment", "normal_stiffness", true, 0.01, 1, tips},
      {"attachment", "tangent_stiffness", true, 0.01, 1, tips},
      {"attachment", "attachment_relaxation_time", true, 0, 0.2, std::string(tips) + soft},
      {"attachment", "flexibility", false, 0, 1, held},
      {"attachment", "normal_stiffness", false, 1e-4, 1e-2, held},
      {"attachment", "tangent_stiffness", false, 1e-4, 1e-2, held},
      {"attachment", "attachment_relaxation_time", false, 0, 0.2, std::string(held) + soft},
      {"collider", "strand_stiffness", true, 20, 400, ", shape: plane, center: [0, -0.03, 0], response: penalty"},
      {"collider", "strand_stiffness", true, 20, 400,
       ", shape: mesh, surface: floor, sampling: exact, response: penalty"},
      {"collider", "strand_thickness", true, 5e-4, 5e-3, ", shape: plane, center: [0, -0.03, 0], response: penalty"},
      {"collider", "strand_thickness", true, 5e-4, 5e-3,
       ", shape: mesh, surface: floor, sampling: exact, response: penalty"},
      {"collider", "friction", true, 0.05, 1, ", shape: mesh, surface: floor, sampling: exact"},
      {"collider", "friction", true, 0.05, 1, ", shape: mesh, surface: floor, sampling: exact, response: penalty"},
      {"collider", "friction", false, 0.05, 1},
      {"collider", "restitution", false, 0.1, 0.9},
      {"particle_object", "radius", false, 1e-3, 5e-3, "", "drag"},
      {"particle_object", "density", false, 100, 2000, "", "drag"},
  };
  return all;
}

class Painted : public testing::Test {
 protected:
  Painted() : file_(std::filesystem::temp_directory_path() / ("ymir_painted_" + std::to_string(getpid()) + ".ply")) {}
  ~Painted() override { std::filesystem::remove(file_); }

  // Two equal strands, or particles, side by side; `values` of a channel, if any.
  void write(const Case& c, const std::vector<double>& values) const {
    std::ofstream out(file_);
    out.precision(17);
    const int vertices = c.strands ? 16 : 1;
    out << "ply\nformat ascii 1.0\nelement vertex " << 2 * vertices
        << "\nproperty double x\nproperty double y\nproperty double z\n";
    if (c.strands) out << "property int strand\n";
    if (!c.strands) out << "property double vx\nproperty double vy\nproperty double vz\n";
    if (!values.empty()) out << "property double " << c.parameter << "\n";
    out << "end_header\n";
    for (int s = 0; s < 2; ++s)
      for (int i = 0; i < vertices; ++i) {
        // A coil that hangs out sideways: it bends, twists and stretches.
        out << 0.01 * i << " " << (c.strands ? 0.01 * std::sin(0.9 * i) : 0.02) << " "
            << 0.5 * s + (c.strands ? 0.01 * std::cos(0.9 * i) : 0);
        if (c.strands) out << " " << s;
        if (!c.strands) out << " 1 -1 0";
        if (!values.empty()) out << " " << values[static_cast<std::size_t>(s)];
        out << "\n";
      }
  }

  static std::string number(double value) {
    std::ostringstream text;
    text << std::setprecision(17) << value;
    return text.str();
  }

  std::string setup(const Case& c, std::optional<double> value) const {
    const auto params = [&](const std::string& behavior, const std::string& always) {
      std::string text = always;
      if (behavior == c.behavior) {
        text += c.with;
        if (!c.inside.empty()) {
          std::string inside = c.inside;
          text += ", " + inside.replace(inside.find('@'), 1, number(value.value_or(c.low)));
        } else if (value) {
          text += ", " + c.parameter + ": " + number(*value);
        }
      }
      if (text.starts_with(", ")) text = text.substr(2);
      return "  - " + behavior + ": {" + text + "}\n";
    };
    std::string text = "ymir: 1\ntime: {frames: [1, 8], fps: 24, substeps: 4}\ninputs:\n  start: {" +
                       std::string(c.strands ? "curves" : "points") + ": " + file_.string() +
                       "}\n  floor: {shape: box, size: [4, 1, 4], center: [0, -0.53, 0]}\nsetup:\n" +
                       params("gravity", "");
    const bool helices = c.behavior == "super_helix_object";
    if (helices)
      text += params(c.behavior, "curves: start, youngs_modulus: 2e7");
    else
      text += c.strands ? params("curves_object",
                                 "curves: start" + std::string(c.behavior == "collider" ? ", clamp_roots: false" : ""))
                        : params("particle_object", "points: start");
    if (c.strands && !helices)
      text += params("elastic_rod", c.parameter == "youngs_modulus" ? "" : ", youngs_modulus: 2e7");
    text += params("collider", c.behavior == "collider" && c.strands ? "" : ", center: [0, -0.03, 0]");
    if (!c.another.empty()) text += "  - " + c.another + "\n";
    for (const char* acting : {"drag", "coupled_drag", "attachment"})
      if (c.behavior == acting) text += params(c.behavior, "");
    return text;
  }

  // What is said about a setup that cannot be built.
  static std::string refusal(const std::string& text) {
    const Registry registry = all_behaviors();
    const ReadResult read = read_setup_text(text, "painted.yaml", registry);
    if (!read.setup) return "not read: " + to_string(read.diagnostics);
    Communicator alone;
    const BuildResult result = try_build(*read.setup, alone);
    return has_errors(result.diagnostics) ? to_string(result.diagnostics) : "nothing";
  }

  // Positions at the end, of each of the two.
  std::array<std::vector<Vec3f>, 2> run(const Case& c, std::optional<double> value) const {
    const Registry registry = all_behaviors();
    const ReadResult read = read_setup_text(setup(c, value), "painted.yaml", registry);
    EXPECT_TRUE(read.setup) << to_string(read.diagnostics) << setup(c, value);
    std::array<std::vector<Vec3f>, 2> found;
    if (!read.setup) return found;
    Communicator alone;
    const BuiltSimulation built = build(*read.setup, alone);
    built.simulation->ingest();
    for (std::int64_t frame = 1; frame <= 8; ++frame) built.simulation->advance_frame(frame);
    for (const ObjectState& object : built.simulation->frame(8).objects) {
      if (object.kind != (c.strands ? "curves" : "points")) continue;
      const auto x = object.channels.at("position").as<Vec3f>();
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t which = c.strands ? i * 2 / x.size() : object.channels.at("id").as<std::uint64_t>()[i];
        found[which].push_back(x[i] - Vec3f(0, 0, which == 0 ? 0.0f : 0.5f));
      }
    }
    return found;
  }

  static double distance(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
    EXPECT_EQ(a.size(), b.size());
    double most = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      most = std::max(most, static_cast<double>(norm(a[i] - b[i])));
    return most;
  }

  std::filesystem::path file_;
};

TEST_F(Painted, ValuesActOnWhatTheyArePaintedOn) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name());
    write(c, {});
    const auto low = run(c, c.low), high = run(c, c.high);
    write(c, {c.low, c.high});
    const auto painted = run(c, std::nullopt);
    const double apart = distance(low[1], high[1]);
    EXPECT_GT(apart, 1e-5) << "the two values do the same";
    EXPECT_EQ(distance(painted[0], low[0]), 0) << "painted low is not low";
    EXPECT_EQ(distance(painted[1], high[1]), 0) << "painted high is not high";
    write(c, {c.high, c.high});
    const auto constant = run(c, std::nullopt);
    for (std::size_t s = 0; s < 2; ++s)
      EXPECT_EQ(distance(constant[s], high[s]), 0) << "painted all the same is not the same as given";
  }
}

TEST_F(Painted, EveryVaryingParameterIsTried) {
  // Vectors: particle_test.cpp, rod_statics_test.cpp and painted_parameters_test.cpp; solids: solid_inputs_test.cpp;
  // contacts, of which each has two: painted_contact_test.cpp.
  std::set<std::string> tried{"gravity.acceleration",
                              "attachment.orientation_stiffness",
                              "elastic_solid.youngs_modulus",
                              "solid_object.density",
                              "cloth_object.density",
                              "muscle.activation",
                              "muscle.fibre",
                              "follow.stiffness",
                              "collision.friction",
                              "collision.thickness"};
  const Registry registry = all_behaviors();
  for (const Case& c : cases()) tried.insert(c.behavior + "." + c.parameter);
  for (const BehaviorType& type : registry.all())
    for (const ParamInfo& p : varying_params(type.schema))
      EXPECT_TRUE(tried.contains(type.schema.name + "." + p.name))
          << type.schema.name << "." << p.name << " is Varying; add a case that shows that it acts";
}

// One channel, one meaning: what a picture paints is checked against one range and shown with one unit.
TEST_F(Painted, ParametersOfOneNameAgree) {
  const Registry registry = all_behaviors();
  const SchemaInfo all = registry.varying_parameters();
  for (const BehaviorType& type : registry.all())
    for (const ParamInfo& p : varying_params(type.schema)) {
      const ParamInfo& first = *all.find(p.name);
      EXPECT_EQ(range_text(first), range_text(p)) << type.schema.name << "." << p.name;
      EXPECT_EQ(first.unit.symbol, p.unit.symbol) << type.schema.name << "." << p.name;
    }
}

TEST_F(Painted, ValuesOutOfRangeAreNamed) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name());
    write(c, {c.low, -7});
    const std::string told = refusal(setup(c, std::nullopt));
    // What points and super-helices are made of is refused by the object, which has one input.
    const bool by_object = c.behavior == "particle_object" || c.behavior == "super_helix_object";
    EXPECT_NE(told.find(by_object ? c.behavior : file_.string()), std::string::npos) << told;
    EXPECT_NE(told.find(c.strands ? "strand 1, vertex 0" : "point 1"), std::string::npos) << told;
    EXPECT_NE(told.find(c.parameter), std::string::npos) << told;
    EXPECT_NE(told.find("-7"), std::string::npos) << told;
  }
}

TEST_F(Painted, ValuesThatNothingUsesAreRefused) {
  const auto refused = [&](const std::string& channel, const std::string& behaviors, bool strands = true) {
    const Case c{"", channel, strands, 0.1, 0.2};
    write(c, {0.1, 0.2});
    const std::string begin =
        "ymir: 1\ntime: {frames: [1, 2]}\ninputs:\n  floor: {shape: box, size: [4, 1, 4], center: "
        "[0, -0.53, 0]}\n  start: {" +
        std::string(strands ? "curves: " : "points: ") + file_.string();
    const std::string end = std::string("}\nsetup:\n  - gravity\n  - ") +
                            (strands ? "curves_object: {curves: start}\n" : "particle_object: {points: start}\n") +
                            behaviors;
    const std::string by_channel = refusal(begin + end);
    EXPECT_NE(by_channel.find("'" + channel + "'"), std::string::npos) << channel << ": " << by_channel;
    write(c, {});
    const std::string by_override = refusal(begin + ", overrides: {" + channel + ": 0.1}" + end);
    EXPECT_NE(by_override.find("'" + channel + "'"), std::string::npos) << channel << ": " << by_override;
  };
  for (const char* channel : {"normal_stiffness", "tangent_stiffness", "attachment_relaxation_time", "flexibility"})
    refused(channel, "  - elastic_rod\n  - attachment: {surface: floor}\n");
  for (const char* channel : {"stretch", "stretch_relaxation_time"})
    refused(channel, "  - elastic_rod: {inextensible: true}\n");
  for (const char* channel : {"internal_friction_saturation", "internal_friction_length"})
    refused(channel, "  - elastic_rod\n");
  refused("poisson_ratio", "  - elastic_rod: {shear_modulus: 1 GPa}\n");
  refused("drag_coefficient", "  - drag: {law: linear}\n", false);
  refused("strand_thickness", "  - collider\n", false);
}

}  // namespace
}  // namespace ymir
