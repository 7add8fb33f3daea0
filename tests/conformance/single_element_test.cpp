// Every example with one particle, one strand, one point in the file: nothing depends on there being many.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "few_hairs.h"
#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

const std::filesystem::path source = YMIR_SOURCE_DIR;

void set_nested(ParamValues& values, std::string_view name, std::string_view field, ParamValue value) {
  for (NamedValue& item : values.items)
    if (item.name == name)
      if (auto* nested = std::get_if<ParamValues>(&item.value)) set_value(*nested, field, std::move(value));
}

void reduce(SetupNode& node) {
  for (SetupNode& child : node.children) reduce(child);
  // Voxels of twice the size, to be done sooner.
  if (node.name == "volume_object")
    if (const ParamValue* voxel = find_value(node.values, "voxel"))
      set_value(node.values, "voxel", 2 * std::get<double>(*voxel));
  set_nested(node.values, "emit", "limit", std::int64_t{1});
  // Attachments by number would name strands that are gone.
  if (node.name == "attachment") node.enabled = false;
}

TEST(EveryExample, RunsWithASingleElement) {
  const Registry registry = all_behaviors();
  const auto point = std::filesystem::path(testing::TempDir()) / fmt::format("ymir_single_{}.obj", getpid());
  std::ofstream(point) << "v 0 0.5 0\n";
  for (const auto& entry : std::filesystem::directory_iterator(source / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ReadResult result = read_setup(entry.path(), registry);
    ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
    SolverSetup& setup = *result.setup;
    for (InputSpec& input : setup.inputs) {
      if (input.kind == InputKind::points) input.path = point;
      set_nested(input.recipe, "line", "count", std::int64_t{1});
    }
    set_few_hairs(setup, 1, 1);
    reduce(setup.root);
    Communicator alone;
    BuiltSimulation built = build(setup, alone);
    ingest(built, setup);
    for (std::int64_t frame = 1; frame <= 3; ++frame) built.simulation->advance_frame(frame);
    for (const auto& object : built.simulation->objects())
      EXPECT_FALSE(object->non_finite()) << entry.path() << ": " << object->path();
  }
  std::filesystem::remove(point);
}

}  // namespace
}  // namespace ymir
