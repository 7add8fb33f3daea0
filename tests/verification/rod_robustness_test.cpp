// Hair that is badly made, badly posed or badly moved: every run ends well, recovers, or stops with an error that names
// the object. Nothing becomes NaN, and what was disturbed calms down.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ymir/actions/elastic_rod.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/behaviors/register.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/setup/build.h"

namespace ymir::verification {
namespace {

struct Hair {
  std::vector<std::vector<Vec3d>> strands;  // [m]
  double dt = 1.0 / 24;                     // [s]
  int steps = 24;
  CurvesObject::Description description;
  ElasticRodMaterial material;
  std::function<RootFrame(double time, const RootFrame& rest)> root;  // none: at rest
};

struct Outcome {
  std::string error;                    // empty: ran to the end
  std::vector<double> speed;            // fastest vertex after each step [m/s]
  double longest = 0;                   // edge by its rest length, at the end
  std::vector<std::vector<Vec3d>> end;  // positions of each strand
};

double fastest(const CurvesObject& object) {
  double most = 0;
  for (const Strand& strand : object.strands().copy_all())
    for (std::size_t i = 1; i < static_cast<std::size_t>(strand.vertices); ++i) {
      const int c = object.rod_channels().velocity;
      const double v = norm(Vec3d{strand.channel(c)[i], strand.channel(c + 1)[i], strand.channel(c + 2)[i]});
      if (!(v <= most)) most = v;  // NaN wins
    }
  return most;
}

void read_end(const CurvesObject& object, Outcome& outcome) {
  const RodChannels& c = object.rod_channels();
  for (const Strand& strand : object.strands().copy_all()) {
    std::vector<Vec3d> x;
    for (std::size_t i = 1; i < static_cast<std::size_t>(strand.vertices); ++i) {
      x.push_back(
          {strand.channel(c.position)[i], strand.channel(c.position + 1)[i], strand.channel(c.position + 2)[i]});
      const double rest = strand.channel(c.rest_length)[i - 1];
      if (i > 1 && rest > 0) outcome.longest = std::max(outcome.longest, norm(x[i - 1] - x[i - 2]) / rest);
    }
    outcome.end.push_back(std::move(x));
  }
}

Outcome simulate(const Hair& hair) {
  Outcome outcome;
  TimeParams time;
  time.fps = 1 / hair.dt;
  time.frames = {1, hair.steps};
  time.largest_stretch = 1e6;  // hair of 1 Pa does stretch a thousandfold
  Communicator alone;
  Simulation simulation(time, 1.0, alone);
  auto& object = simulation.add(std::make_unique<CurvesObject>("/Hair", 0, simulation.domain(), hair.description));
  Curves curves;
  for (const auto& strand : hair.strands) {
    curves.positions.insert(curves.positions.end(), strand.begin(), strand.end());
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(hair.strands.size());
  object.set_curves(std::move(curves));
  add_elastic_rod(object, "/Hair/elastic_rod", hair.material, hair.description);
  object.add_force(gravity_force("/gravity", {0, -9.81, 0}, {}));
  if (hair.root) {
    std::vector<RootFrame> rest;
    for (std::size_t s = 0; s < hair.strands.size(); ++s)
      rest.push_back(object.root_frame(static_cast<std::int64_t>(s)));
    object.set_root_motion({"/head", {}, [rest, &hair](std::int64_t s, double time) {
                              return hair.root(time, rest[static_cast<std::size_t>(s)]);
                            }});
  }
  try {
    simulation.ingest();
    for (int frame = 1; frame <= hair.steps; ++frame) {
      simulation.advance_frame(frame);
      outcome.speed.push_back(fastest(object));
    }
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  read_end(object, outcome);
  return outcome;
}

// Along x from a root, sagging under gravity.
std::vector<Vec3d> lock(int vertices = 16, double length = 0.2, Vec3d root = {0, 0, 0}) {
  std::vector<Vec3d> x;
  for (int i = 0; i < vertices; ++i) x.push_back(root + Vec3d{length * i / (vertices - 1), 0, 0});
  return x;
}

// Ended well, and no vertex is faster at the end than `calm` [m/s]; or said what it could not do.
void expect_sane(const Outcome& outcome, double calm, const std::string& what) {
  for (const auto& strand : outcome.end)
    for (const Vec3d& x : strand) ASSERT_TRUE(is_finite(x)) << what;
  if (!outcome.error.empty()) {
    EXPECT_NE(outcome.error.find("/Hair"), std::string::npos) << what << ": " << outcome.error;
    fmt::print("{}: {}\n", what, outcome.error);
    return;
  }
  ASSERT_FALSE(outcome.speed.empty()) << what;
  EXPECT_LT(outcome.speed.back(), calm) << what;
}

// Ended well: no error at all.
void expect_well(const Outcome& outcome, double calm, const std::string& what) {
  EXPECT_EQ(outcome.error, "") << what;
  expect_sane(outcome, calm, what);
}

struct Shape {
  const char* what;
  std::vector<Vec3d> x;
};
std::vector<Shape> bad_shapes() {
  std::vector<Shape> shapes;
  const auto with = [&](const char* what, auto&& change) {
    std::vector<Vec3d> x = lock();
    change(x);
    shapes.push_back({what, std::move(x)});
  };
  with("an edge of no length", [](auto& x) { x[7] = x[6]; });
  with("root twice", [](auto& x) { x[1] = x[0]; });
  with("tip twice", [](auto& x) { x[15] = x[14]; });
  with("all but the tip in one place", [](auto& x) { std::fill(x.begin(), x.end() - 1, x[0]); });
  with("all vertices in one place", [](auto& x) { std::fill(x.begin(), x.end(), x[0]); });
  with("one vertex", [](auto& x) { x.resize(1); });
  with("two vertices", [](auto& x) { x.resize(2); });
  with("two vertices in one place", [](auto& x) { x = {x[0], x[0]}; });
  with("folded back onto itself", [](auto& x) {
    for (std::size_t i = 8; i < 16; ++i) x[i] = x[15 - i] + Vec3d{x[1].x, 0, 0};
  });
  with("folded at every vertex", [](auto& x) {
    for (std::size_t i = 0; i < 16; ++i) x[i] = {i % 2 == 0 ? 0 : 0.01, 0, 0};
  });
  with("edges of 10 micrometres", [](auto& x) {
    for (std::size_t i = 0; i < 16; ++i) x[i] = {1e-5 * static_cast<double>(i), 0, 0};
  });
  with("one edge of 10 micrometres", [](auto& x) {
    for (std::size_t i = 7; i < 16; ++i) x[i].x = x[6].x + 1e-5 + x[i].x - x[7].x;
  });
  with("a right angle at every vertex", [](auto& x) {
    for (std::size_t i = 0; i < 16; ++i)
      x[i] = {0.01 * static_cast<double>((i + 1) / 2), 0.01 * static_cast<double>(i / 2), 0};
  });
  return shapes;
}

TEST(BadlyMadeHair, RunsAndDisturbsNoOther) {
  Hair hair;
  hair.strands = {lock()};
  hair.description.radius = 1e-4;
  hair.material.damping.relaxation_time = 2e-3;
  for (const bool clamped : {true, false})
    for (const bool inextensible : {false, true}) {
      hair.description.clamped = clamped;
      hair.material.inextensible = inextensible;
      hair.strands = {lock()};
      const Outcome healthy = simulate(hair);
      // Free strands fall for a second.
      const double calm = clamped ? 5 : 15;
      for (const Shape& shape : bad_shapes()) {
        hair.strands = {shape.x, lock()};
        const Outcome outcome = simulate(hair);
        const std::string what =
            fmt::format("{}{}{}", shape.what, clamped ? "" : ", free", inextensible ? ", inextensible" : "");
        expect_well(outcome, calm, what);
        if (!outcome.error.empty()) continue;
        for (std::size_t i = 0; i < 16; ++i)
          for (int k = 0; k < 3; ++k) EXPECT_EQ(outcome.end[1][i][k], healthy.end[0][i][k]) << what;
      }
    }
}

// With next to no stiffness a vertex of a strand may go far; it falls no faster than freely.
TEST(Hair, RunsWithAnyStiffnessStepAndRadius) {
  for (const double radius : {1e-6, 4e-5, 1e-2})
    for (const double youngs_modulus : {1.0, 1e3, 1e6, 1e9, 1e12})
      for (const double dt : {1e-5, 1e-3, 1.0 / 24, 0.5}) {
        Hair hair;
        hair.strands = {lock()};
        hair.description.radius = radius;
        hair.material.youngs_modulus = youngs_modulus;
        hair.dt = dt;
        hair.steps = 20;
        expect_well(simulate(hair), 9.81 * dt * hair.steps + 5,
                    fmt::format("radius {} m, {} Pa, steps of {} s", radius, youngs_modulus, dt));
      }
}

TEST(InextensibleHair, RunsWithAnyStiffnessAndStep) {
  for (const double youngs_modulus : {1.0, 1e6, 1e12})
    for (const double dt : {1e-5, 1e-3, 1.0 / 24, 0.5}) {
      Hair hair;
      hair.strands = {lock()};
      hair.material.inextensible = true;
      hair.material.youngs_modulus = youngs_modulus;
      hair.dt = dt;
      hair.steps = 20;
      const Outcome outcome = simulate(hair);
      const std::string what = fmt::format("inextensible, {} Pa, steps of {} s", youngs_modulus, dt);
      expect_well(outcome, 5, what);
      EXPECT_NEAR(outcome.longest, 1, 1e-3) << what;
    }
}

struct Jolt {
  const char* what;
  bool may_stop;  // with an error: no step is short enough for what jumps at every one
  std::function<RootFrame(double time, const RootFrame& rest)> root;
};
std::vector<Jolt> jolts() {
  const auto flipped = [](RootFrame f) {
    f.tangent = f.tangent * -1.0;
    return f;
  };
  return {
      {"100 m/s for 0.1 s", false,
       [](double t, RootFrame f) {
         f.position.z += 100 * std::clamp(t - 0.1, 0.0, 0.1);
         return f;
       }},
      {"100 m/s along the strand for 0.1 s", false,
       [](double t, RootFrame f) {
         f.position.x += 100 * std::clamp(t - 0.1, 0.0, 0.1);
         return f;
       }},
      {"100 m/s against the strand for 0.1 s", false,
       [](double t, RootFrame f) {
         f.position.x -= 100 * std::clamp(t - 0.1, 0.0, 0.1);
         return f;
       }},
      {"1 m at once", false,
       [](double t, RootFrame f) {
         f.position.y += t > 0.1 ? 1 : 0;
         return f;
       }},
      {"turned by 180 degrees at once", false, [flipped](double t, RootFrame f) { return t > 0.1 ? flipped(f) : f; }},
      {"turned by 180 degrees back and forth", true,
       [flipped](double t, RootFrame f) { return t > 0.1 && t < 0.6 && std::sin(60 * t) > 0 ? flipped(f) : f; }},
      {"rolled by 180 degrees about itself", false,
       [](double t, RootFrame f) {
         f.m1 = t > 0.1 ? f.m1 * -1.0 : f.m1;
         return f;
       }},
  };
}

// Two seconds later the strand swings under gravity, no faster than a pendulum of its length.
TEST(JoltedHair, CalmsDown) {
  const double calm = 3;  // [m/s]
  for (const Jolt& jolt : jolts())
    for (const double dt : {1.0 / 24, 1.0 / 240})
      for (const bool inextensible : {false, true}) {
        Hair hair;
        hair.strands = {lock()};
        hair.root = jolt.root;
        hair.dt = dt;
        hair.steps = static_cast<int>(2 / dt);
        hair.material.inextensible = inextensible;
        hair.material.damping.relaxation_time = 2e-3;
        const Outcome outcome = simulate(hair);
        const std::string what =
            fmt::format("{}, steps of {:.3g} s{}", jolt.what, dt, inextensible ? ", inextensible" : "");
        if (jolt.may_stop)
          expect_sane(outcome, calm, what);
        else
          expect_well(outcome, calm, what);
        ASSERT_FALSE(outcome.speed.empty()) << what << ": " << outcome.error;
        // 1 m in 1/240 s, and a whip.
        EXPECT_LT(*std::max_element(outcome.speed.begin(), outcome.speed.end()), 500) << what;
        EXPECT_NEAR(outcome.longest, 1, 0.01) << what;
      }
}

struct Mistake {
  const char *input, *rod, *more, *expected;
};

// What a setup with this mistake is refused with; "" when it is built and takes its input.
std::string refusal(const Mistake& mistake) {
  const std::string text = fmt::format(
      "ymir: 1\n"
      "time: {{frames: [1, 2], fps: 24}}\n"
      "inputs:\n"
      "  hair: {}\n"
      "  plate: {{shape: box}}\n"
      "setup:\n"
      "  - group: Hair\n"
      "    with:\n"
      "      - curves_object: {{curves: hair}}\n"
      "      - elastic_rod: {}\n"
      "{}",
      mistake.input, mistake.rod, mistake.more);
  const Registry registry = all_behaviors();
  const ReadResult read = read_setup_text(text, "hair.yaml", registry);
  if (!read.setup) return to_string(read.diagnostics);
  try {
    Communicator alone;
    build(*read.setup, alone).simulation->ingest();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HairSetup, SaysWhereItIsWrong) {
  constexpr const char* line = "{line: {vertices: 8}}";
  EXPECT_EQ(refusal({line, "{}", "", ""}), "");
  const Mistake mistakes[] = {
      {"{line: {vertices: 1}}", "{}", "", "hair.yaml:4:27 inputs.hair.line.vertices"},
      {"{curves: nowhere.hair}", "{}", "", "no file 'nowhere.hair'"},
      {"{line: {vertices: 8}, overrides: {density: 0}}", "{}", "", "inputs.hair.overrides.density: must be above 0"},
      {"{line: {vertices: 8}, overrides: {stifness: 1}}", "{}", "", "unknown parameter 'stifness'"},
      {line, "{youngs_modulus: 3 kg}", "", "Hair/elastic_rod.youngs_modulus: expected a pressure, got 3 kg"},
      {line, "{youngs_modulus: 0}", "", "Hair/elastic_rod.youngs_modulus: must be above 0"},
      {line, "{}", "      - elastic_rod\n", "has an elastic_rod already"},
      {line, "{}", "      - attachment\n", "Hair/attachment: give either `surface:`"},
      {line, "{}", "      - attachment: {surface: plaid}\n", "no input 'plaid'; did you mean 'plate'?"},
      {line, "{}", "      - attachment: {surface: hair}\n", "Hair/attachment.surface"},
      {line, "{}", "      - attachment: {strands: Hare, range: 1 cm}\n", "no group 'Hare'"},
      {line, "{}", "      - attachment: {surface: plate, emission: within_range, hard: false}\n", "needs `range:`"},
      {line, "{}", "      - attachment: {surface: plate, emission: network, hard: false}\n", "needs `network:`"},
      {line, "{}",
       "      - attachment: {surface: plate, emission: network, hard: false, network: [{source_strand: 9}]}\n",
       "no source strand 9"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string text = refusal(mistake);
    EXPECT_NE(text.find(mistake.expected), std::string::npos)
        << mistake.input << " " << mistake.rod << " " << mistake.more << ": " << text;
  }
}

}  // namespace
}  // namespace ymir::verification
