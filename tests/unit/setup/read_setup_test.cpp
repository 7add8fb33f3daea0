#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "sample_behaviors.h"
#include "ymir/base/suggest.h"
#include "ymir/setup/solver_setup.h"

namespace ymir {
namespace {

// A folder with the input files that the texts below name.
class ReadSetup : public testing::Test {
 protected:
  ReadSetup() : folder_(std::filesystem::path(testing::TempDir()) / unique_name()) {
    std::filesystem::create_directories(folder_);
    for (const char* name : {"wavy.hair", "head.obj"}) std::ofstream(folder_ / name) << "x";
  }
  ~ReadSetup() override { std::filesystem::remove_all(folder_); }

  ReadResult read(const std::string& text) const { return read_setup_text(text, folder_ / "scene.yaml", registry_); }

  // Reads a text that must be right.
  SolverSetup good(const std::string& text) const {
    ReadResult result = read(text);
    EXPECT_TRUE(result.setup) << to_string(result.diagnostics);
    return result.setup ? std::move(*result.setup) : SolverSetup{};
  }

  // Messages without the folder.
  std::vector<std::string> messages(const std::string& text) const {
    std::vector<std::string> lines;
    for (Diagnostic d : read(text).diagnostics) {
      d.file = "scene.yaml";
      lines.push_back(to_string(d));
    }
    return lines;
  }
  std::string first_message(const std::string& text) const {
    const auto lines = messages(text);
    return lines.empty() ? "" : lines.front();
  }
  // The only message about `params` of the behavior `everything`.
  std::string about(const std::string& params) const {
    const auto lines = messages("ymir: 1\nsetup:\n- everything: {" + params + "}\n");
    EXPECT_EQ(lines.size(), 1u) << params;
    return lines.empty() ? "" : lines.front();
  }

  static std::string unique_name() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    return std::string("ymir_setup_") + info->name();
  }

  std::filesystem::path folder_;
  Registry registry_ = sample::registry();
};

const char* const complete = R"(ymir: 1
time: {frames: [1, 96], fps: 24, substeps: 2}
inputs:
  groom: {curves: wavy.hair, scale: 1 cm}
  head:  {surface: head.obj}
setup:
  - gravity
  - group: Hair
    with:
      - rod: {input: groom, density: 1.3 g/cm^3, radius: 40 um}
      - rod: {input: groom}
        enabled: false
      - group: Roots
        enabled: false
        with:
          - gravity: {acceleration: [0, -1, 0], enabled: false}
  - everything: {around: Roots}
outputs: {cache: out/, preview: {every: 1}}
)";

TEST_F(ReadSetup, ReadsACompleteFile) {
  const SolverSetup setup = good(complete);
  EXPECT_EQ(setup.time.frames, (FrameRange{1, 96}));
  EXPECT_EQ(setup.time.substeps, 2);
  EXPECT_EQ(setup.time.max_substeps, 64);
  ASSERT_EQ(setup.inputs.size(), 2u);
  EXPECT_EQ(setup.find_input("groom")->scale, 0.01);
  EXPECT_EQ(setup.find_input("groom")->kind, InputKind::curves);
  EXPECT_EQ(setup.find_input("head")->path, folder_ / "head.obj");
  EXPECT_EQ(setup.outputs.cache, "out/");
  EXPECT_EQ(setup.outputs.preview.every, 1);
  EXPECT_EQ(setup.outputs.checkpoint_every, 8);

  ASSERT_EQ(setup.root.children.size(), 3u);
  EXPECT_TRUE(setup.root.is_group && setup.root.path.empty());
  EXPECT_EQ(setup.root.children[0].path, "gravity");
  EXPECT_EQ(setup.root.children[0].type, registry_.find("gravity"));
  const SetupNode& hair = setup.root.children[1];
  ASSERT_EQ(hair.children.size(), 3u);
  EXPECT_EQ(hair.children[0].path, "Hair/rod");
  EXPECT_EQ(hair.children[0].location.line, 10);
  EXPECT_EQ(hair.children[0].values.items.size(), 3u);
  EXPECT_EQ(*find_value(hair.children[0].values, "density"), ParamValue(1300.0));
  EXPECT_EQ(hair.children[1].path, "Hair/rod#2");
  EXPECT_FALSE(hair.children[1].enabled);
  EXPECT_FALSE(hair.children[2].enabled);
  EXPECT_EQ(hair.children[2].path, "Hair/Roots");
  EXPECT_FALSE(hair.children[2].children[0].enabled);
  EXPECT_EQ(*find_value(setup.root.children[2].values, "around"), ParamValue(std::string("Hair/Roots")));
}

TEST_F(ReadSetup, CreatesBehaviorsFromTheGivenValues) {
  const SolverSetup setup = good(R"(ymir: 1
inputs: {groom: {curves: wavy.hair}}
setup:
  - group: A
  - everything:
      flag: false
      count: -2
      seed: 2e5
      length: 20 mm
      offset: [1 cm, 0, -3]
      label: "a b"
      shape: plane
      weights: [1, 50 %]
      source: groom
      around: A
      limit: 2 min
      cut: box
      emit: {rate: 5 Hz}
      burst: {center: [0, 0, 0]}
      sources: [{rate: 1 kHz}, {}]
)");
  const SetupNode& node = setup.root.children.at(1);
  const auto made = node.type->create(node.values);
  const auto& p = dynamic_cast<const sample::Everything&>(*made).params;
  EXPECT_FALSE(p.flag);
  EXPECT_EQ(p.count, -2);
  EXPECT_EQ(p.seed, 200'000);
  EXPECT_EQ(p.length, 0.02);
  EXPECT_EQ(p.offset, (Vec3d{0.01, 0, -3}));
  EXPECT_EQ(p.label, "a b");
  EXPECT_EQ(p.shape, sample::Everything::Shape::plane);
  EXPECT_EQ(p.weights, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(p.source.name, "groom");
  EXPECT_EQ(p.around.path, "A");
  EXPECT_EQ(p.limit, 120.0);
  EXPECT_EQ(p.cut, sample::Everything::Shape::box);
  EXPECT_EQ(p.emit.rate, 5);
  EXPECT_EQ(p.emit.center, (Vec3d{0, 1, 0}));
  ASSERT_TRUE(p.burst);
  EXPECT_EQ(p.burst->center, (Vec3d{0, 0, 0}));
  EXPECT_EQ(p.burst->rate, 100);
  ASSERT_EQ(p.sources.size(), 2u);
  EXPECT_EQ(p.sources[0].rate, 1000);
  EXPECT_EQ(p.sources[1].rate, 100);
}

TEST_F(ReadSetup, TenMistakesGiveTenLocatedMessages) {
  const auto lines = messages(R"(ymir: 1
time: {frames: [9, 1], fsp: 24}
inputs:
  groom: {curves: wavy.hair, scale: 1 kg}
  head: {surface: haed.obj}
setup:
  - gravty: {}
  - group: Hair
    with:
      - rod: {input: grom, youngs_modulus: 3 kg, density: -1}
      - everything: {shape: shpere, around: Hare}
)");
  const std::vector<std::string> expected{
      "scene.yaml:2:16 time.frames: the first frame 9 is after the last frame 1",
      "scene.yaml:2:24 time: unknown parameter 'fsp'; did you mean 'fps'?",
      "scene.yaml:4:37 inputs.groom.scale: expected a length, got 1 kg, a mass; write it in m, such as 1 m",
      "scene.yaml:5:19 inputs.head.surface: no file 'haed.obj'; paths are relative to the setup file",
      "scene.yaml:7:5 setup: unknown behavior 'gravty'; did you mean 'gravity'?",
      "scene.yaml:10:22 Hair/rod.input: no input 'grom'; did you mean 'groom'?",
      "scene.yaml:10:44 Hair/rod.youngs_modulus: expected a pressure, got 3 kg, a mass; write it in Pa, such as 3 Pa",
      "scene.yaml:10:59 Hair/rod.density: must be between 1 and 100000 kg/m^3, got -1 kg/m^3",
      "scene.yaml:11:29 Hair/everything.shape: expected one of box, sphere, plane, got 'shpere'; did you mean "
      "'sphere'?",
      "scene.yaml:11:45 Hair/everything.around: no group 'Hare'; did you mean 'Hair'?",
  };
  EXPECT_EQ(lines, expected);
}

TEST_F(ReadSetup, RefusesWrongValuesOfEveryKind) {
  EXPECT_NE(about("flag: yes").find("expected true or false, got 'yes'"), std::string::npos);
  EXPECT_NE(about("flag: 'true'").find("got the text 'true'"), std::string::npos);
  EXPECT_NE(about("count: 3 m").find("expected a whole number"), std::string::npos);
  EXPECT_NE(about("count: 3000000000").find("must be between -2147483648 and 2147483647"), std::string::npos);
  EXPECT_NE(about("seed: 99999999999999999999").find("too large"), std::string::npos);
  EXPECT_NE(about("seed: -1").find("must be at least 0"), std::string::npos);
  EXPECT_NE(about("length: .nan").find("not a number"), std::string::npos);
  EXPECT_NE(about("length: nan").find("must be finite"), std::string::npos);
  EXPECT_NE(about("length: 1e999").find("out of range"), std::string::npos);
  EXPECT_NE(about("length: 11 m").find("must be between 0 and 10 m, got 11 m"), std::string::npos);
  EXPECT_NE(about("length: 3 furlong").find("unknown unit 'furlong'"), std::string::npos);
  EXPECT_NE(about("length:").find("expected a length, got nothing"), std::string::npos);
  EXPECT_NE(about("length: [1]").find("got a list of 1"), std::string::npos);
  EXPECT_NE(about("offset: [1, 2]").find("expected three numbers"), std::string::npos);
  EXPECT_NE(about("offset: [1, 2 kg, 3]").find("everything.offset[1]: expected a length"), std::string::npos);
  EXPECT_NE(about("weights: 1").find("expected a list"), std::string::npos);
  EXPECT_NE(about("weights: [0.5, 2]").find("must be between 0 and 1"), std::string::npos);
  EXPECT_NE(about("label: {a: 1}").find("expected a text, got a map"), std::string::npos);
  EXPECT_NE(about("source: groom").find("declare it under 'inputs:'"), std::string::npos);
  EXPECT_NE(about("limit: 0").find("must be above 0 s"), std::string::npos);
  EXPECT_NE(about("emit: {rate: 1 kg}").find("everything.emit.rate: expected a rate"), std::string::npos);
  EXPECT_NE(about("emit: {rte: 1}").find("did you mean 'rate'?"), std::string::npos);
  EXPECT_NE(about("emit: 3").find("expected parameters"), std::string::npos);
  EXPECT_NE(about("enabled: maybe").find("everything.enabled: expected true or false"), std::string::npos);
}

TEST_F(ReadSetup, AnOptionalParameterMayBeNothing) {
  const SolverSetup setup = good("ymir: 1\nsetup:\n- everything: {limit: ~, cut: null, burst: }\n");
  for (const NamedValue& item : setup.root.children[0].values.items) EXPECT_EQ(item.value, ParamValue()) << item.name;
}

TEST_F(ReadSetup, TakesOldNamesWithAWarning) {
  const std::string head = "ymir: 1\ninputs: {g: {curves: wavy.hair}}\nsetup:\n- rod: {input: g, stiffness: 2 MPa";
  const ReadResult result = read(head + "}\n");
  ASSERT_TRUE(result.setup);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::warning);
  EXPECT_NE(to_string(result.diagnostics[0]).find("rod.stiffness: warning: renamed; write 'youngs_modulus'"),
            std::string::npos);
  EXPECT_EQ(*find_value(result.setup->root.children[0].values, "youngs_modulus"), ParamValue(2e6));
  EXPECT_FALSE(read(head + ", youngs_modulus: 1}\n").setup);
}

TEST_F(ReadSetup, DemandsWhatIsRequired) {
  EXPECT_EQ(messages("setup:\n- rod\n").size(), 2u);
  EXPECT_EQ(first_message("ymir: 2\nsetup: []\n"),
            "scene.yaml:1:7 ymir: this program reads version 1 of the format; write 'ymir: 1'");
  EXPECT_EQ(first_message("ymir: 1\n"), "scene.yaml:1:1 setup: missing; give the list of groups and behaviors");
  EXPECT_EQ(messages("").size(), 1u);
  EXPECT_EQ(first_message("ymir: 1\nsetup:\n- rod: {}\n"),
            "scene.yaml:3:8 rod: the parameter 'input' is required: Curves to simulate.");
}

TEST_F(ReadSetup, ChecksInputs) {
  const auto input = [&](const std::string& entry) {
    const auto lines = messages("ymir: 1\nsetup: []\ninputs: {g: " + entry + "}\n");
    return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " messages";
  };
  EXPECT_NE(input("{}").find("exactly one of"), std::string::npos);
  EXPECT_NE(input("{points: wavy.hair, curves: wavy.hair}").find("exactly one of"), std::string::npos);
  EXPECT_NE(input("{curvs: wavy.hair}").find("did you mean 'curves'?"), std::string::npos);
  EXPECT_NE(input("{curves: }").find("expected the path of a file"), std::string::npos);
  EXPECT_NE(input("wavy.hair").find("expected parameters"), std::string::npos);
  EXPECT_NE(input("{curves: wavy.hair, scale: 0}").find("must be above 0 m"), std::string::npos);
  EXPECT_NE(input("{curves: .}").find("a folder"), std::string::npos);
  EXPECT_EQ(first_message("ymir: 1\ninputs: {h: {surface: head.obj}}\nsetup:\n- rod: {input: h}\n"),
            "scene.yaml:4:16 rod.input: the input 'h' is surface, expected curves");
}

TEST_F(ReadSetup, ChecksTheShapeOfTheTree) {
  const auto one = [&](const std::string& list) {
    const auto lines = messages("ymir: 1\nsetup:\n" + list);
    return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " messages";
  };
  EXPECT_NE(one("- gravity: {}\n  everything: {}\n").find("begin its line with '- '"), std::string::npos);
  EXPECT_NE(one("- group\n").find("write '- group: Name'"), std::string::npos);
  EXPECT_NE(one("- group: a/b\n").find("a group needs a name"), std::string::npos);
  EXPECT_NE(one("- group: A\n  wiht: []\n").find("did you mean 'with'?"), std::string::npos);
  EXPECT_NE(one("- group: A\n  gravity: {}\n").find("put behaviors under 'with:'"), std::string::npos);
  EXPECT_NE(one("- [gravity]\n").find("expected '- behavior: {...}'"), std::string::npos);
  EXPECT_NE(one("- enabled: false\n").find("names no behavior"), std::string::npos);
  EXPECT_NE(one("- group: P\n  with: [group: A]\n- group: Q\n  with: [group: A]\n- everything: {around: A}\n")
                .find("2 groups are called 'A'; write the path, one of P/A, Q/A"),
            std::string::npos);
  EXPECT_NE(first_message("ymir: 1\nsetup: {gravity: {}}\n").find("expected a list"), std::string::npos);
  EXPECT_NE(first_message("ymir: 1\nsetups: []\nsetup: []\n").find("did you mean 'setup'?"), std::string::npos);
  EXPECT_NE(first_message("ymir: 1\nsetup: []\ntime: {adaptive: true, substeps: 65}\n").find("at least substeps"),
            std::string::npos);
}

TEST_F(ReadSetup, GroupsAreNamedByPathWhereNamesAreNotEnough) {
  const SolverSetup setup = good(
      "ymir: 1\nsetup:\n- group: P\n  with: [group: A]\n- group: Q\n  with: [group: A]\n"
      "- everything: {around: Q/A}\n- everything: {around: /}\n");
  EXPECT_EQ(*find_value(setup.root.children.at(2).values, "around"), ParamValue(std::string("Q/A")));
  EXPECT_EQ(*find_value(setup.root.children.at(3).values, "around"), ParamValue(std::string("/")));
}

TEST_F(ReadSetup, FilesThatCannotBeReadAreDiagnostics) {
  const auto missing = read_setup(folder_ / "none.yaml", registry_);
  EXPECT_EQ(to_string(missing.diagnostics), (folder_ / "none.yaml").string() + ": no such file\n");
  EXPECT_NE(to_string(read_setup(folder_, registry_).diagnostics).find("not a file"), std::string::npos);
  EXPECT_FALSE(read_setup("/dev/zero", registry_).setup);
  std::ofstream(folder_ / "good.yaml") << complete;
  const auto result = read_setup(folder_ / "good.yaml", registry_);
  ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
  EXPECT_EQ(result.setup->text, complete);
}

TEST_F(ReadSetup, NamesTheCacheAfterTheFile) { EXPECT_EQ(good("ymir: 1\nsetup: []\n").outputs.cache, "out/scene"); }

TEST_F(ReadSetup, HashIsThatOfWhatChangesResults) {
  const std::string head = "ymir: 1\ntime: {frames: [1, 10]}\ninputs: {g: {curves: wavy.hair}}\nsetup:\n";
  const auto hash = [&](const std::string& text) { return good(text).hash; };
  const std::uint64_t base = hash(head + "- rod: {input: g}\n");
  // Other ways of writing the same.
  EXPECT_EQ(hash("# words\n" + head + "  - rod:\n      input: 'g'  # more\n"), base);
  EXPECT_EQ(hash(head + "- rod: {input: g, density: 1.3 g/cm^3}\n"), base);
  EXPECT_EQ(hash(head + "- rod: {density: 1300, input: g}\n"), base);
  EXPECT_EQ(hash(head + "- rod: {input: g}\n- gravity: {enabled: false}\n"), base);
  EXPECT_EQ(hash(head + "- rod: {input: g}\noutputs: {checkpoint_every: 2, cache: other}\n"), base);
  EXPECT_EQ(hash("ymir: 1\ntime: {frames: [1, 20]}\ninputs: {g: {curves: wavy.hair}}\nsetup:\n- rod: {input: g}\n"),
            base);
  const std::string two = "ymir: 1\ninputs: {a: {curves: wavy.hair}, b: {surface: head.obj}}\nsetup: []\n";
  EXPECT_EQ(hash("ymir: 1\nsetup: []\ninputs: {b: {surface: head.obj}, a: {curves: wavy.hair}}\n"), hash(two));
  // Other simulations.
  std::set<std::uint64_t> hashes{base};
  for (const std::string& text :
       {head + "- rod: {input: g, density: 1301}\n", head + "- rod: {input: g}\n- gravity\n",
        head + "- gravity\n- rod: {input: g}\n", head + "- group: A\n  with:\n  - rod: {input: g}\n",
        head + "- group: B\n  with:\n  - rod: {input: g}\n",
        std::string("ymir: 1\ntime: {frames: [2, 10]}\ninputs: {g: {curves: wavy.hair}}\nsetup:\n- rod: {input: g}\n"),
        std::string("ymir: 1\ntime: {fps: 25}\ninputs: {g: {curves: wavy.hair}}\nsetup:\n- rod: {input: g}\n"),
        std::string("ymir: 1\ninputs: {g: {curves: wavy.hair, scale: 2}}\nsetup:\n- rod: {input: g}\n"),
        std::string("ymir: 1\ninputs: {h: {curves: wavy.hair}}\nsetup:\n- rod: {input: h}\n")})
    EXPECT_TRUE(hashes.insert(hash(text)).second) << text;
}

TEST(Suggest, FindsTheNearestName) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("form", "from"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("Hair", "hair"), 0);
  EXPECT_EQ(suggest("youngs", {"density", "youngs_modulus"}), "did you mean 'youngs_modulus'?");
  EXPECT_EQ(suggest("zzz", {"a", "b"}), "there is a, b");
  EXPECT_EQ(suggest("x", {}), "");
}

}  // namespace
}  // namespace ymir
