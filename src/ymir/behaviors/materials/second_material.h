// A mesh has one elastic material: two would add up, and the mesh be stiffer than either.
#pragma once

#include <string>

namespace ymir {

class MeshObject;
class Scope;

// Throws Error where a behavior of that name, of this group or one around or below it, has acted on the object already.
void refuse_second_material(const Scope& scope, const MeshObject& object, const std::string& behavior);
// Warns, once all behaviors have been created, where none of that name has acted on the object.
void warn_without_material(Scope& scope, const MeshObject& object, const std::string& behavior);

}  // namespace ymir
