#include "ymir/behaviors/gas_channel.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/suggest.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

void require_channel(Scope& scope, const VolumeObject& gas, const std::string& channel) {
  scope.after_all([&scope, &gas, channel] {
    const std::vector<std::string> names = gas.made_materials();
    if (std::find(names.begin(), names.end(), channel) != names.end()) return;
    throw Error(ExitCode::bad_input, fmt::format("{}: nothing makes a channel {} in {}; {}", scope.path(),
                                                 shown(channel), gas.path(), suggest(channel, names)));
  });
}

}  // namespace ymir
