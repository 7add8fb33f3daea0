#include "ymir/actions/elastic_shell.h"

namespace ymir {

std::size_t add_elastic_shell(MeshObject& object, const std::string& owner, const ElasticShellMaterial& material,
                              const std::vector<Vec3d>& warp) {
  add_shell_membrane(object, owner, material, warp);
  return add_shell_bending(object, owner, material, warp);
}

}  // namespace ymir
