// Export to USD's text form: points, curves (linear BasisCurves) and meshes with time samples.
//
//   UsdaWriter usda("out.usda", fps);
//   for (...) { usda.begin_frame(number); usda.add("Hair", curves); usda.add("Sparks", points); }
//   usda.finish();
//
// A USD attribute holds all its samples together, so samples are spooled to an unlinked file beside the target and put
// in order by finish(); memory holds one sample. Values that stay are stored once. Units are metres, y up. The vertex
// channels radius, velocity, id and color become widths, velocities, ids and displayColor; other f32, f32x3 and i32
// channels become primvars of their name. What lives on strands or triangles has interpolation uniform; of strands,
// `strand` becomes primvars:id and root_uv primvars:st. USD has no place for values on edges. With the initial state
// known, curves and meshes have their positions in it as primvars:rest.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ymir/data/frame.h"
#include "ymir/data/meshes.h"

namespace ymir {

class UsdaWriter {
 public:
  // per_frame: samples go to a layer of their own for each frame beside the file, shot.0001.usda, which it gathers by
  // value clips: readers load the frames they show. These layers are on disk when the next frame begins.
  enum class Layers { one, per_frame };
  UsdaWriter(const std::filesystem::path& path, double frames_per_second, Layers layers = Layers::one);
  ~UsdaWriter();  // without finish(), nothing is left behind

  void begin_frame(std::int64_t frame);  // frame numbers must grow
  // One object in the current frame; `name` must keep its kind from frame to frame.
  void add(const std::string& name, const Points& points);
  void add(const std::string& name, const Curves& curves);
  void add(const std::string& name, const Surface& surface);
  // A gas whose fields are grids of an OpenVDB file, named relative to this one.
  void add_volume(const std::string& name, const std::vector<std::string>& fields, const std::string& file);
  // begin_frame and every object of kind points, curves or surface; other kinds have no form here and are left out.
  void add_frame(const Frame& frame);
  // The state at time 0, before all frames: a sample of its own before the stage's start, and the rest positions.
  void add_initial(const Frame& frame);
  void finish();

 private:
  void add_objects(const Frame& frame);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ymir
