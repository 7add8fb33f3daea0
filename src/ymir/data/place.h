// Where the values of a channel live: what a reader has to know to use them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ymir {

enum class Place : std::uint8_t {
  object,   // the whole of it: any number of values
  strand,   // in the order of `first`
  vertex,   // of a strand, a surface or a mesh of nodes
  edge,     // segments of strands, strand by strand
  face,     // triangles
  element,  // cells of a mesh, rigid bodies
  particle,
  tile,        // cubes of voxels that are stored together
  voxel,       // centres
  voxel_face,  // centres of the lower faces
};

constexpr std::array<std::string_view, 10> place_names{"object",  "strand",   "vertex", "edge",  "face",
                                                       "element", "particle", "tile",   "voxel", "voxel face"};

constexpr std::string_view name_of(Place place) { return place_names[static_cast<std::size_t>(place)]; }
constexpr std::optional<Place> place_named(std::string_view name) {
  for (std::size_t i = 0; i < place_names.size(); ++i)
    if (place_names[i] == name) return static_cast<Place>(i);
  return std::nullopt;
}

}  // namespace ymir
