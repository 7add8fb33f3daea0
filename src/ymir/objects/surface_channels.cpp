#include "ymir/objects/surface_channels.h"

namespace ymir {

std::vector<Channel> surface_channels(std::function<std::vector<Vec3d>()> positions,
                                      std::function<const Triangles*()> triangles) {
  const auto corners = [triangles] {
    std::vector<Vec3i> all;
    if (const Triangles* from = triangles())
      for (const auto& t : *from) all.emplace_back(t[0], t[1], t[2]);
    return Array::of(all);
  };
  return {{described<Vec3d>("position", Place::vertex, "m", "Where the vertices of the surface are.", Use::shown),
           [positions] { return Array::of(positions()); },
           {},
           {}},
          {described<Vec3i>("triangles", Place::face, "", "Vertices of each triangle, counter-clockwise from outside.",
                            Use::shown),
           corners,
           {},
           {}}};
}

}  // namespace ymir
