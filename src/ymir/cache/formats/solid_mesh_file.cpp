#include "ymir/cache/formats/solid_mesh_file.h"

#include <algorithm>
#include <cctype>

#include "ymir/base/error.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/gmsh.h"
#include "ymir/cache/formats/tetgen.h"
#include "ymir/cache/formats/vtk.h"
#include "ymir/cache/formats/vtu.h"

namespace ymir {

SolidMesh read_solid_mesh(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".msh") return read_gmsh(FileBytes(path).bytes(), path.string());
  if (extension == ".vtk") return read_vtk(FileBytes(path).bytes(), path.string());
  if (extension == ".vtu") return read_vtu(FileBytes(path).bytes(), path.string());
  if (extension == ".node" || extension == ".ele") {
    std::filesystem::path node = path, ele = path;
    (extension == ".node" ? ele : node).replace_extension(extension == ".node" ? ".ele" : ".node");
    const FileBytes nodes(node), elements(ele);
    return read_tetgen({nodes.bytes(), node.string()}, {elements.bytes(), ele.string()});
  }
  throw Error(ExitCode::bad_input,
              path.string() + ": volume meshes are read from .msh, .vtk, .vtu, .node and .ele; convert it to one");
}

}  // namespace ymir
