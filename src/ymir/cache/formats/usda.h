// Export to USD's text form: points, curves (linear BasisCurves) and meshes with time samples.
//
//   UsdaWriter usda("out.usda", fps);
//   for (...) { usda.begin_frame(number); usda.add("Hair", curves); usda.add("Sparks", points); }
//   usda.finish();
//
// A USD attribute holds all its samples together, so samples are spooled to an unlinked file beside the target and put
// in order by finish(); memory holds one sample. Values that stay are stored once. Units are metres, y up. The vertex
// channels radius, velocity, id and color become widths, velocities, ids and displayColor; other f32, f32x3 and i32
// channels become primvars of their name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ymir/data/frame.h"
#include "ymir/data/meshes.h"

namespace ymir {

class UsdaWriter {
 public:
  UsdaWriter(const std::filesystem::path& path, double frames_per_second);
  ~UsdaWriter();  // without finish(), nothing is left behind

  void begin_frame(std::int64_t frame);  // frame numbers must grow
  // One object in the current frame; `name` must keep its kind from frame to frame.
  void add(const std::string& name, const Points& points);
  void add(const std::string& name, const Curves& curves);
  void add(const std::string& name, const Surface& surface);
  // begin_frame and every object of kind points, curves or surface; other kinds have no form here and are left out.
  void add_frame(const Frame& frame);
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ymir
