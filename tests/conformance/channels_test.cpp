// Every object lists its channels: frames and checkpoints of every example hold exactly these, in as many values as
// their places have, and the reference describes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "few_hairs.h"
#include "ymir/behaviors/register.h"
#include "ymir/setup/build.h"
#include "ymir/setup/reference.h"

namespace ymir {
namespace {

const std::filesystem::path source = YMIR_SOURCE_DIR;

TEST(EveryObject, DescribesItsChannels) {
  const Registry registry = all_behaviors();
  const std::string page = reference_pages(registry).at("channels.md"), text = describe_channels(registry);
  int objects = 0;
  for (const BehaviorType& type : registry.all()) {
    std::set<std::string> shown, kept;
    for (const ChannelInfo& c : type.channels) {
      const std::string where = type.schema.name + ", channel " + c.name;
      EXPECT_GT(c.doc.size(), 4u) << where;
      EXPECT_TRUE(c.shown || c.kept || c.writable) << where;
      EXPECT_NE(page.find("| `" + c.name + "` | " + std::string(name_of(c.place)) + " |"), std::string::npos) << where;
      EXPECT_NE(text.find("  " + c.name + " "), std::string::npos) << where;
      EXPECT_TRUE(!c.shown || shown.insert(c.name).second) << where << " is shown twice";
      EXPECT_TRUE(!c.kept || kept.insert(c.name).second) << where << " is kept twice";
    }
    EXPECT_TRUE(type.schema.category != Category::object || !shown.empty()) << type.schema.name;
    objects += shown.empty() ? 0 : 1;
  }
  EXPECT_GE(objects, 8);
}

// The behavior that made an object: Group/behavior, or Group/behavior#2.
const BehaviorType* maker_of(const std::string& path, const Registry& registry) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return registry.find(name.substr(0, name.find('#')));
}

// Of the reference, `<name>` standing for what it does not name.
const ChannelInfo* described(const BehaviorType& type, const Channel& channel) {
  const auto find = [&](const std::string& name) {
    return std::find_if(type.channels.begin(), type.channels.end(), [&](const ChannelInfo& c) {
      return c.name == name && c.shown == channel.shown && c.kept == channel.kept;
    });
  };
  auto found = find(channel.name);
  if (found == type.channels.end()) found = find("<name>");
  if (found == type.channels.end()) found = find("material.<name>");
  return found == type.channels.end() ? nullptr : &*found;
}

void expect_documented(Object& object, const BehaviorType& type) {
  std::set<std::string> listed;
  for (const Channel& channel : object.channels()) {
    const std::string where = object.path() + ", channel " + channel.name;
    const ChannelInfo* reference = described(type, channel);
    ASSERT_NE(reference, nullptr) << where;
    EXPECT_EQ(reference->place, channel.place) << where;
    EXPECT_EQ(reference->unit, channel.unit) << where;
    EXPECT_EQ(reference->type, channel.type) << where;
    EXPECT_TRUE(channel.name != reference->name || reference->components == channel.components) << where;
    listed.insert(channel.name);
  }
  // What a gas holds depends on what is in it.
  const bool gas = object.frame_kind() == "volume";
  const std::set<std::string> always{"bucket", "velocity", "key", "life", "potential"};
  for (const ChannelInfo& c : type.channels) {
    const bool must = gas ? always.contains(c.name) : c.name != "<name>";
    EXPECT_TRUE(!must || listed.contains(c.name)) << c.name;
  }
}

// State and list agree in both directions.
void expect_listed(const ObjectState& state, Object& object, bool frame) {
  std::set<std::string> listed;
  for (const Channel& channel : object.channels()) {
    if (!(frame ? channel.shown : channel.kept)) continue;
    const std::string where = object.path() + ", channel " + channel.name;
    EXPECT_TRUE(listed.insert(channel.name).second) << where;
    const auto found = state.channels.find(channel.name);
    ASSERT_NE(found, state.channels.end()) << where;
    EXPECT_EQ(found->second.place, channel.place) << where;
    EXPECT_EQ(found->second.unit, channel.unit) << where;
    EXPECT_EQ(found->second.type(), frame ? channel.type_in_frames() : channel.type) << where;
    EXPECT_EQ(found->second.components(), channel.components) << where;
  }
  for (const auto& [name, values] : state.channels) EXPECT_TRUE(listed.contains(name)) << object.path() << ", " << name;
}

void expect_counts(const ObjectState& state) {
  const auto count = [&](const char* channel) {
    const auto found = state.channels.find(channel);
    return found == state.channels.end() ? 0 : found->second.count();
  };
  for (const auto& [name, values] : state.channels) {
    const std::string where = state.name + ", channel " + name;
    switch (values.place) {
      case Place::vertex:
      case Place::particle: EXPECT_EQ(values.count(), count("position")) << where; break;
      case Place::face: EXPECT_EQ(values.count(), count("triangles")) << where; break;
      case Place::strand: EXPECT_EQ(values.count() + 1, count("first")) << where; break;
      case Place::tile: EXPECT_EQ(values.count(), count("bucket")) << where; break;
      case Place::voxel: {
        const std::int64_t side = std::get<std::int64_t>(state.attributes.at(name + ".resolution"));
        EXPECT_EQ(values.count(), count("bucket") * static_cast<std::size_t>(side * side * side)) << where;
        break;
      }
      case Place::object: EXPECT_EQ(name, "first") << where; break;
      default: ADD_FAILURE() << where << " lives on " << name_of(values.place);
    }
  }
}

TEST(EveryExample, HoldsExactlyTheChannelsThatItsObjectsList) {
  const Registry registry = all_behaviors();
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(source / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path());
    ReadResult result = read_setup(entry.path(), registry);
    ASSERT_TRUE(result.setup) << to_string(result.diagnostics);
    set_few_hairs(*result.setup, 400, 80);
    Communicator alone;
    const BuiltSimulation built = build(*result.setup, alone);
    built.simulation->ingest();
    if (built.simulation->element_count() == 0) built.simulation->advance_frame(1);  // until something is there
    for (const auto& object : built.simulation->objects()) {
      const BehaviorType* maker = maker_of(object->path(), registry);
      if (maker == nullptr) continue;  // the system of all solids is no one's
      kinds.insert(std::string(object->frame_kind()));
      const ObjectState frame = object->frame_state();
      expect_documented(*object, *maker);
      expect_listed(frame, *object, true);
      expect_listed(object->checkpoint(), *object, false);
      expect_counts(frame);
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"curves", "points", "surface", "volume"}));
}

}  // namespace
}  // namespace ymir
