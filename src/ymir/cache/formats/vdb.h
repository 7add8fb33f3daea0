// OpenVDB volumes and points.
//
// OpenVDB 10 overflows its heap on hostile files, so its code runs only in the program ymir-vdb-worker, which gets an
// open file and two pipes and may ask the system for nothing else, with limits on memory and time: a file that crashes
// it is an error message here. A build without OpenVDB refuses every call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ymir/data/meshes.h"
#include "ymir/data/volume_grid.h"

namespace ymir {

struct NamedPoints {
  std::string name;
  Points points;
};

struct VdbContents {
  std::vector<VolumeGrid> volumes;   // float and vec3f grids with uniform voxels
  std::vector<NamedPoints> points;   // point grids; attributes of type float, vec3f, double, int32, int64 as channels
  std::vector<std::string> skipped;  // "name (type)" of grids that are neither
  bool half = false;                 // to write values of volumes in half precision
};

struct VdbLimits {
  std::uint64_t result_bytes = std::uint64_t{2} << 30;  // voxels and points, unpacked
  int seconds = 120;
};

bool has_openvdb();
// Whether system calls of ymir-vdb-worker are filtered (libseccomp); without, it is confined by its limits alone.
bool vdb_worker_is_filtered();
// Non-finite voxels and positions are errors naming grid and voxel or point.
VdbContents read_vdb(const std::filesystem::path& path, const VdbLimits& limits = {});
void write_vdb(const std::filesystem::path& path, const VdbContents& contents);

}  // namespace ymir
