#include "ymir/setup/setup_hash.h"

#include <algorithm>
#include <variant>

#include "ymir/base/hash.h"
#include "ymir/param/motion_params.h"

namespace ymir {
namespace {

class Hasher {
 public:
  void add(std::uint64_t word) { state_ = hash_combine(state_, word); }
  void add(std::string_view text) { state_ = hash_text(text, state_); }
  void add(const ParamValues& values) {
    add(values.items.size());
    for (const NamedValue& item : values.items) {
      add(item.name);
      add(item.value.index());
      std::visit([this](const auto& v) { add_value(v); }, item.value);
    }
  }
  void add(const SetupNode& node) {
    if (!node.enabled) return;
    add(node.path);
    if (node.type) {
      add(node.type->schema.name);
      add(resolved(node.type->schema, node.values));
    }
    for (const SetupNode& child : node.children) add(child);
    add(std::string_view("end"));
  }
  std::uint64_t state() const { return state_; }

 private:
  void add_value(std::monostate) {}
  void add_value(bool v) { add(static_cast<std::uint64_t>(v)); }
  void add_value(std::int64_t v) { add(static_cast<std::uint64_t>(v)); }
  void add_value(double v) { add(hash_bits(v)); }
  void add_value(const Vec3d& v) {
    for (int axis = 0; axis < 3; ++axis) add_value(v[axis]);
  }
  void add_value(const std::string& v) { add(v); }
  void add_value(const std::vector<double>& v) {
    add(v.size());
    for (const double number : v) add_value(number);
  }
  void add_value(const FrameRange& v) {
    add_value(v.first);
    add_value(v.last);
  }
  void add_value(const ParamValues& v) { add(v); }
  void add_value(const std::vector<ParamValues>& v) {
    add(v.size());
    for (const ParamValues& item : v) add(item);
  }

  std::uint64_t state_ = 0;
};

}  // namespace

std::uint64_t hash_setup(const SolverSetup& setup) {
  Hasher hasher;
  TimeParams time = setup.time;
  time.frames.last = time.frames.first;  // a longer run continues a shorter one
  hasher.add(collect(TimeParams::schema().info(), &time));
  std::vector<InputSpec> inputs = setup.inputs;
  std::sort(inputs.begin(), inputs.end(), [](const InputSpec& a, const InputSpec& b) { return a.name < b.name; });
  hasher.add(inputs.size());
  for (const InputSpec& input : inputs) {
    hasher.add(input.name);
    hasher.add(to_string(input.kind));
    hasher.add(input.written_path);
    hasher.add(input.recipe);
    hasher.add(hash_bits(input.scale));
    hasher.add(static_cast<std::uint64_t>(input.up));
    hasher.add(input.frames.size());
    hasher.add(static_cast<std::uint64_t>(input.first_frame));
    hasher.add(input.motion.keys().size());
    for (const RigidKey& key : input.motion.keys()) hasher.add(collect(rigid_key_schema().info(), &key));
    hasher.add({{{"interpolation", static_cast<std::int64_t>(input.motion.interpolation())},
                 {"pivot", input.motion.pivot()}}});
    hasher.add(input.overrides);
    for (const PaintedOverride& painted : input.painted) {
      hasher.add(painted.parameter);
      hasher.add(painted.written_path);
      hasher.add(painted.surface.name);
      hasher.add(hash_bits(painted.low));
      hasher.add(hash_bits(painted.high));
    }
  }
  hasher.add(setup.root);
  // Frames hold the hairs; the other outputs change nothing in them.
  if (setup.outputs.hairs) hasher.add(collect(HairsParams::schema().info(), &*setup.outputs.hairs));
  return hasher.state();
}

}  // namespace ymir
