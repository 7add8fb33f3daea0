// Every parameter that says it is Varying acts where it is painted: two strands or particles that are given two values
// do what each does when all are given that value, and the two differ.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

struct Case {
  std::string behavior, parameter;
  bool strands;              // else particles
  double low, high;          // two values, in SI units
  std::string with = "";     // further parameters of the behavior
  std::string another = "";  // a further behavior
  std::string name() const { return behavior + "." + parameter + (strands ? " on strands" : " on particles"); }
};

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
      {"collider", "friction", true, 0.05, 1, ", shape: mesh, surface: floor, sampling: exact"},
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

  std::string setup(const Case& c, std::optional<double> value) const {
    const auto params = [&](const std::string& behavior, const std::string& always) {
      std::string text = always;
      if (behavior == c.behavior) {
        text += c.with;
        if (value) text += ", " + c.parameter + ": " + std::to_string(*value * 1e9) + "e-9";
      }
      if (text.starts_with(", ")) text = text.substr(2);
      return "  - " + behavior + ": {" + text + "}\n";
    };
    std::string text = "ymir: 1\ntime: {frames: [1, 8], fps: 24, substeps: 4}\ninputs:\n  start: {" +
                       std::string(c.strands ? "curves" : "points") + ": " + file_.string() +
                       "}\n  floor: {shape: box, size: [4, 1, 4], center: [0, -0.53, 0]}\nsetup:\n" +
                       params("gravity", "");
    text += c.strands ? params("curves_object",
                               "curves: start" + std::string(c.behavior == "collider" ? ", clamp_roots: false" : ""))
                      : params("particle_object", "points: start");
    if (c.strands) text += params("elastic_rod", c.parameter == "youngs_modulus" ? "" : ", youngs_modulus: 2e7");
    text += params("collider", c.behavior == "collider" && c.strands ? "" : ", center: [0, -0.03, 0]");
    if (!c.another.empty()) text += "  - " + c.another + "\n";
    return text;
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
      if (object.kind != (c.strands ? "curves" : "points") && object.channels.count("triangles") > 0) continue;
      const auto x = object.channels.at("position").as<Vec3f>();
      for (std::size_t i = 0; i < x.size(); ++i)
        found[i * 2 / x.size()].push_back(x[i] - Vec3f(0, 0, i * 2 / x.size() == 0 ? 0.0f : 0.5f));
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
    EXPECT_LT(distance(painted[0], low[0]), 1e-3 * apart) << "painted low is not low";
    EXPECT_LT(distance(painted[1], high[1]), 1e-3 * apart) << "painted high is not high";
  }
}

TEST_F(Painted, EveryVaryingParameterIsTried) {
  std::set<std::string> tried{"gravity.acceleration"};  // a vector: particle_test.cpp and rod_statics_test.cpp
  const Registry registry = all_behaviors();
  for (const Case& c : cases()) tried.insert(c.behavior + "." + c.parameter);
  for (const BehaviorType& type : registry.all())
    for (const ParamInfo& p : type.schema.params)
      if (p.varying) {
        EXPECT_TRUE(tried.contains(type.schema.name + "." + p.name))
            << type.schema.name << "." << p.name << " is Varying; add a case that shows that it acts";
      }
}

}  // namespace
}  // namespace ymir
