#include "ymir/behaviors/gas_channel.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/suggest.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

std::string name_problem(const VolumeObject& gas, const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool word = !name.empty() && name.size() <= 64 && letter(name.front()) &&
                    std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  if (!word)
    return fmt::format("the name of a material is a word of letters, digits and _, at most 64 of them, not '{}'", name);
  if (gas.has_material(name)) return {};
  const DiscreteVolume& volume = gas.grid().volume();
  bool taken = name == "bucket" || name.starts_with("next_");
  for (int c = 0; c < volume.channel_count(); ++c) taken = taken || volume.channel(c).name == name;
  return taken ? fmt::format("the gas has a channel '{}' of its own; choose another name for the material", name) : "";
}

void require_channel(Scope& scope, const VolumeObject& gas, const std::string& channel) {
  if (const std::string problem = name_problem(gas, channel); !problem.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}.channel: {}", scope.path(), problem));
  scope.after_all([&scope, &gas, channel] {
    const std::vector<std::string> names = gas.made_materials();
    if (std::find(names.begin(), names.end(), channel) != names.end()) return;
    throw Error(ExitCode::bad_input, fmt::format("{}: nothing makes a channel {} in {}; {}", scope.path(),
                                                 shown(channel), gas.path(), suggest(channel, names)));
  });
}

}  // namespace ymir
