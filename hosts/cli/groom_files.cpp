#include "groom_files.h"

#include <cmath>

#include "quantity.h"
#include "ymir/base/error.h"
#include "ymir/cache/formats/describe.h"
#include "ymir/cache/formats/hair.h"
#include "ymir/cache/formats/obj.h"
#include "ymir/cache/formats/usc_data.h"
#include "ymir/cache/formats/usda.h"

namespace ymir::cli {

double scale_of(const std::string& text) {
  const double scale = quantity("--scale", text, unit::m, 1);
  if (!(scale > 0) || !std::isfinite(scale))
    throw Error(ExitCode::usage, "--scale " + text + ": give a length above 0");
  return scale;
}

Curves read_groom(const std::filesystem::path& path, double scale) {
  Curves curves = read_curves(path);
  if (curves.strand_count() == 0)
    throw Error(ExitCode::bad_input, path.string() + ": holds no strands; export the groom again");
  if (scale == 1) return curves;
  for (Vec3d& p : curves.positions) p *= scale;
  if (const Array* radius = curves.vertices.find("radius"); radius != nullptr && radius->holds<float>()) {
    std::vector<float> scaled(radius->as<float>().begin(), radius->as<float>().end());
    for (float& r : scaled) r *= static_cast<float>(scale);
    curves.vertices.set("radius", Array::of(scaled));
  }
  return curves;
}

void require_groom_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension != ".hair" && extension != ".usda" && extension != ".data" && extension != ".obj")
    throw Error(ExitCode::usage,
                path.string() + ": no such format for hair; name the file .hair, .usda, .data or .obj");
}

void require_other_file(const std::filesystem::path& out, const std::vector<std::filesystem::path>& read) {
  std::error_code unknown;  // a file that is not there is no other file
  for (const std::filesystem::path& input : read)
    if (out == input || std::filesystem::equivalent(out, input, unknown))
      throw Error(ExitCode::usage,
                  out.string() + ": is read by this command, and would be lost; name another to write");
}

void write_groom(const std::filesystem::path& path, const Curves& curves) {
  const std::string extension = path.extension().string();
  if (extension == ".hair") return write_hair(path, curves);
  if (extension == ".data") return write_usc_data(path, curves);
  if (extension == ".obj") return write_obj(path, curves);
  UsdaWriter writer(path, 24);
  writer.begin_frame(1);
  writer.add("Groom", curves);
  writer.finish();
}

}  // namespace ymir::cli
