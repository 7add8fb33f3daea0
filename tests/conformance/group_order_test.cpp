// The order of groups in a setup does not matter: what refers to a group finds it wherever it stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "few_hairs.h"
#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

const std::filesystem::path source = YMIR_SOURCE_DIR;

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(source / "examples"))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

SolverSetup read(const std::filesystem::path& path, const Registry& registry) {
  ReadResult result = read_setup(path, registry);
  if (!result.setup) throw std::runtime_error(to_string(result.diagnostics));
  return std::move(*result.setup);
}

// Groups among the children of every group in another order; behaviors keep theirs.
template <class Order>
void reorder(SetupNode& node, Order&& order) {
  std::vector<SetupNode> groups, behaviors;
  for (SetupNode& child : node.children) {
    reorder(child, order);
    (child.is_group ? groups : behaviors).push_back(std::move(child));
  }
  order(groups);
  // Groups before behaviors: those of a group stand behind the groups they act on.
  node.children = std::move(groups);
  for (SetupNode& child : behaviors) node.children.push_back(std::move(child));
}

void reverse_groups(SolverSetup& setup) {
  reorder(setup.root, [](std::vector<SetupNode>& groups) { std::reverse(groups.begin(), groups.end()); });
}

std::vector<std::string> timeline(const SolverSetup& setup) {
  Communicator alone;
  const BuiltSimulation built = build(setup, alone);
  built.simulation->schedule();
  std::vector<std::string> lines;
  for (const Task& task : built.simulation->timeline().tasks()) {
    std::string line = std::string(info(task.stage).name) + " " + built.groups[static_cast<std::size_t>(task.group)] +
                       " " + task.owner + " " + task.what;
    for (const std::string& name : task.reads) line += " <" + name;
    for (const std::string& name : task.writes) line += " >" + name;
    lines.push_back(line);
  }
  for (const std::string& path : built.switched_off) lines.push_back("off " + path);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(TheOrderOfGroups, ChangesNoTaskOfAnyExample) {
  const Registry registry = all_behaviors();
  for (const auto& path : examples()) {
    SolverSetup setup = read(path, registry);
    set_few_hairs(setup, 20, 5);
    const std::vector<std::string> expected = timeline(setup);
    // Groups rotated, and rotated backwards.
    for (const int turn : {0, 1, 2, 3}) {
      SolverSetup other = setup;
      reorder(other.root, [turn](std::vector<SetupNode>& groups) {
        if (turn % 2 == 1) std::reverse(groups.begin(), groups.end());
        if (!groups.empty())
          std::rotate(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(turn / 2) % std::ssize(groups),
                      groups.end());
      });
      EXPECT_EQ(timeline(other), expected) << path << ", order " << turn;
    }
  }
}

TEST(TheOrderOfGroups, DoesNotHideAGroupThatIsReferredTo) {
  const Registry registry = all_behaviors();
  const std::string inputs = "ymir: 1\ninputs: {l: {line: {}}}\nsetup:\n";
  const std::string hair = "  - group: Hair\n    with:\n      - curves_object: {curves: l}\n      - elastic_rod\n";
  for (const std::string& referring :
       {std::string(
            "  - group: Wind\n    with:\n      - volume_object: {voxel: 4 cm, around: Hair}\n      - pressure\n"),
        std::string("  - group: Beads\n    with:\n      - particle_object: {emit: {limit: 1}}\n"
                    "      - attachment: {strands: Hair, range: 1 m, hard: false, normal_stiffness: 1}\n"),
        std::string("  - group: Smoke\n    with:\n      - volume_object: {voxel: 10 cm}\n"
                    "      - emitter: {from: points, points: Hair, density: 1}\n")})
    for (const std::string& text : {inputs + referring + hair, inputs + hair + referring}) {
      const ReadResult result = read_setup_text(text, "order.yaml", registry);
      ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
      Communicator alone;
      const BuildResult built = try_build(*result.setup, alone);
      EXPECT_TRUE(built.built) << text << to_string(built.diagnostics);
    }
}

// State of every object after two frames.
std::map<std::string, std::uint64_t> hashes(const SolverSetup& setup) {
  Communicator alone;
  const BuiltSimulation built = build(setup, alone);
  built.simulation->ingest();
  for (std::int64_t frame = 1; frame <= 2; ++frame) built.simulation->advance_frame(frame);
  std::map<std::string, std::uint64_t> found;
  for (const auto& object : built.simulation->objects()) found[object->path()] = object->hash();
  return found;
}

TEST(TheOrderOfGroups, ChangesNoBitOfTheResult) {
  const Registry registry = all_behaviors();
  for (const char* file :
       {"examples/beads.yaml", "examples/marbles.yaml", "examples/turntable.yaml", "tests/determinism/hair.yaml",
        "tests/determinism/gas.yaml", "tests/determinism/light_drops.yaml"}) {
    const SolverSetup setup = read(source / file, registry);
    SolverSetup reversed = setup;
    reverse_groups(reversed);
    EXPECT_EQ(hashes(reversed), hashes(setup)) << file;
  }
}

}  // namespace
}  // namespace ymir
