#include "ymir/behaviors/materials/second_material.h"

#include <fmt/format.h>

#include "ymir/base/error.h"
#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

// Path of the behavior of that name that acts on the object and is not `but`; empty: none.
std::string material_of(const MeshObject& object, const std::string& behavior, const std::string& but) {
  for (const auto& constraint : object.constraints()) {
    const std::string owner = constraint->owner(), name = owner.substr(owner.rfind('/') + 1);
    if (name.starts_with(behavior) && owner != but) return owner;
  }
  return {};
}

}  // namespace

void refuse_second_material(const Scope& scope, const MeshObject& object, const std::string& behavior) {
  if (const std::string owner = material_of(object, behavior, scope.path()); !owner.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {} has an {} already, {}; keep one", scope.path(), object.path(), behavior, owner));
}

void warn_without_material(Scope& scope, const MeshObject& object, const std::string& behavior) {
  scope.after_all([&scope, &object, behavior] {
    if (material_of(object, behavior, "").empty())
      scope.warn(
          fmt::format("has no material: nothing holds its {} together, and each node moves by itself; add "
                      "`{}` to its group",
                      object.cloth() ? "triangles" : "cells", behavior));
  });
}

}  // namespace ymir
