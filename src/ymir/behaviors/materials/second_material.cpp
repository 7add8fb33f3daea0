#include "ymir/behaviors/materials/second_material.h"

#include <fmt/format.h>

#include "ymir/base/error.h"
#include "ymir/behaviors/scope.h"

namespace ymir {

void refuse_second_material(const Scope& scope, const MeshObject& object, const std::string& behavior) {
  for (const auto& constraint : object.constraints()) {
    const std::string owner = constraint->owner(), name = owner.substr(owner.rfind('/') + 1);
    if (name.starts_with(behavior) && owner != scope.path())
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: {} has an {} already, {}; keep one", scope.path(), object.path(), behavior, owner));
  }
}

}  // namespace ymir
