// Rules every behavior obeys, checked over the registry so that none is forgotten.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "few_hairs.h"
#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"
#include "ymir/setup/json_schema.h"
#include "ymir/setup/reference.h"

namespace ymir {
namespace {

const std::filesystem::path source = YMIR_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_documented(const SchemaInfo& schema, const std::string& where) {
  EXPECT_FALSE(schema.doc.empty()) << where;
  for (const ParamInfo& p : schema.params) {
    EXPECT_GT(p.doc.size(), 5u) << where << "." << p.name;
    if (p.fields) expect_documented(*p.fields, where + "." + p.name);
  }
}

TEST(EveryBehavior, IsDocumented) {
  const Registry registry = all_behaviors();
  for (const BehaviorType& type : registry.all()) expect_documented(type.schema, type.schema.name);
}

TEST(EveryBehavior, HasAnExampleThatUsesItAndIsGood) {
  const Registry registry = all_behaviors();
  for (const BehaviorType& type : registry.all()) {
    const auto path = source / type.schema.example;
    ASSERT_TRUE(std::filesystem::is_regular_file(path)) << type.schema.name << ": " << path;
    EXPECT_NE(text_of(path).find(type.schema.name), std::string::npos) << type.schema.name << " is not in " << path;
    const ReadResult result = read_setup(path, registry);
    EXPECT_TRUE(result.setup && result.diagnostics.empty()) << to_string(result.diagnostics);
  }
}

TEST(EveryBehavior, HasDefaultsThatItsOwnRangesAccept) {
  const Registry registry = all_behaviors();
  for (const BehaviorType& type : registry.all())
    for (const ParamInfo& p : type.schema.params) {
      if (p.required) continue;
      EXPECT_EQ(range_problem(p, p.default_value), "") << type.schema.name << "." << p.name;
    }
}

TEST(EveryBehavior, SwitchesOffWhenItFindsNothingInScope) {
  const Registry registry = all_behaviors();
  for (const BehaviorType& type : registry.all()) {
    if (type.schema.category == Category::object) continue;
    const ReadResult result = read_setup_text("ymir: 1\nsetup: [" + type.schema.name + "]\n", "empty.yaml", registry);
    ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
    Communicator alone;
    const BuiltSimulation built = build(*result.setup, alone);
    EXPECT_EQ(built.switched_off, std::vector<std::string>{type.schema.name});
    built.simulation->ingest();
    built.simulation->advance_frame(1);
  }
}

TEST(ASetupWithTenMistakes, GetsTenMessagesEachWithItsPlaceAndARemedy) {
  const ReadResult result = read_setup(source / "tests" / "conformance" / "mistaken.yaml", all_behaviors());
  EXPECT_FALSE(result.setup);
  ASSERT_EQ(result.diagnostics.size(), 10u) << to_string(result.diagnostics);
  const std::vector<std::pair<int, std::string>> expected{{3, "time.fps"},
                                                          {5, "did you mean 'gravity'?"},
                                                          {6, "three numbers"},
                                                          {7, "plane, sphere, box, mesh"},
                                                          {7, "between 0 and 1"},
                                                          {10, "a length, got 3 s, a time"},
                                                          {10, "did you mean 'density'?"},
                                                          {10, "no input 'nowhere'"},
                                                          {11, "above 0 m"},
                                                          {12, "a time, got 'soon'"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(result.diagnostics[i].at.line, expected[i].first);
    EXPECT_NE(to_string(result.diagnostics[i]).find(expected[i].second), std::string::npos)
        << to_string(result.diagnostics[i]);
  }
}

TEST(GeneratedDocs, AreFresh) {
  const auto pages = reference_pages(all_behaviors());
  const auto folder = source / "docs" / "generated";
  for (const auto& [name, text] : pages)
    EXPECT_EQ(text_of(folder / name), text) << "run: build/ymir describe --pages docs/generated";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, pages.size()) << "docs/generated holds pages of behaviors that no longer exist";
}

// Runs frames [1, last] of a setup; `restart_after` > 0: through a checkpoint into a new simulation.
std::uint64_t hash_after(const SolverSetup& setup, std::int64_t last, std::int64_t restart_after) {
  Communicator alone;
  BuiltSimulation built = build(setup, alone);
  built.simulation->ingest();
  for (std::int64_t frame = 1; frame <= last; ++frame) {
    built.simulation->advance_frame(frame);
    if (frame != restart_after) continue;
    const Frame checkpoint = built.simulation->checkpoint(frame);
    built = build(setup, alone);
    built.simulation->ingest();
    built.simulation->restore(&checkpoint);
    EXPECT_EQ(built.simulation->hash(), checkpoint.hash);
  }
  EXPECT_GT(built.simulation->element_count(), 0);
  return built.simulation->hash();
}

TEST(EveryExample, ResumesFromACheckpointBitIdentically) {
  const Registry registry = all_behaviors();
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ReadResult result = read_setup(entry.path(), registry);
    ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
    set_few_hairs(*result.setup, 400, 80);
    EXPECT_EQ(hash_after(*result.setup, 3, 0), hash_after(*result.setup, 3, 2)) << entry.path();
    ++examples;
  }
  EXPECT_GT(examples, 0);
}

}  // namespace
}  // namespace ymir
