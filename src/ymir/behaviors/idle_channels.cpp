#include "ymir/behaviors/idle_channels.h"

#include <fmt/format.h>

#include <set>

#include "ymir/behaviors/register.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

void warn_of_idle_channels(Scope& scope, std::initializer_list<const Channels*> channels, const std::string& input,
                           const std::string& own, const std::string& taken, const std::string& remedy) {
  std::set<std::string> names;
  for (const Channels* of : channels)
    for (const auto& [name, array] : of->all()) names.insert(name);
  names.erase(taken);
  if (names.empty()) return;
  const Registry registry = all_behaviors();
  const SchemaInfo varying = registry.varying_parameters();
  const BehaviorType* type = registry.find(own);
  for (const std::string& name : names)
    if (varying.find(name) != nullptr || (type != nullptr && type->schema.find(name) != nullptr))
      scope.warn(fmt::format("the channel '{}' of its input '{}' has the name of a parameter, but nothing takes it: {}",
                             name, input, remedy));
}

}  // namespace ymir
