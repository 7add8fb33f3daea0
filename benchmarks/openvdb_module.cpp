#include <dlfcn.h>

#include <filesystem>

#include "stencil_case.h"

namespace ymir::bench {

std::unique_ptr<StencilSolver> make_openvdb_stencil(const StencilCase& scene) {
  // Beside the program; never unloaded, since OpenVDB does not expect it.
  const auto module = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ymir-openvdb-stencil.so";
  void* const loaded = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return nullptr;
  using Make = StencilSolver* (*)(const StencilCase&);
  const auto make = reinterpret_cast<Make>(dlsym(loaded, "ymir_openvdb_stencil"));
  return std::unique_ptr<StencilSolver>(make != nullptr ? make(scene) : nullptr);
}

}  // namespace ymir::bench
