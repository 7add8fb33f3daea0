#include "ymir/setup/input_params.h"

namespace ymir {

Schema<InputParams> InputParams::schema() {
  return Schema<InputParams>("input", "A file of geometry or volumes; exactly one of points, curves, surface, volume.")
      .param(&InputParams::points, "points", "File of loose points, relative to the setup file.")
      .param(&InputParams::curves, "curves", "File of curves such as a groom, relative to the setup file.")
      .param(&InputParams::surface, "surface", "File of a triangle mesh, relative to the setup file.")
      .param(&InputParams::volume, "volume", "File of a volume, relative to the setup file.")
      .param(&InputParams::scale, "scale", unit::m, "Length of one unit of the file.")
      .positive();
}

}  // namespace ymir
