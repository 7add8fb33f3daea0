#include "ymir/cache/formats/frame_objects.h"

#include "ymir/base/error.h"

namespace ymir {
namespace {

[[noreturn]] void refuse(const ObjectState& object, const std::string& what) {
  throw Error(ExitCode::bad_input, object.name + ": " + what + "; run the simulation again");
}

template <class T>
std::span<const T> required(const ObjectState& object, const char* name) {
  const auto it = object.channels.find(name);
  if (it == object.channels.end() || !it->second.holds<T>())
    refuse(object, std::string("the frame has no channel ") + name + " of the expected type");
  return it->second.as<T>();
}

std::vector<Vec3d> positions_of(const ObjectState& object) {
  std::vector<Vec3d> positions;
  for (const Vec3f& p : required<Vec3f>(object, "position")) positions.emplace_back(p);
  return positions;
}

Channels vertex_channels(const ObjectState& object, std::size_t count) {
  Channels channels;
  channels.resize(count);
  for (const auto& [name, array] : object.channels)
    if (name != "position" && name != "first" && name != "triangles" && array.count() == count)
      channels.set(name, array);
  return channels;
}

}  // namespace

Points points_of(const ObjectState& object) {
  YMIR_CHECK(object.kind == "points");
  Points points;
  points.positions = positions_of(object);
  points.vertices = vertex_channels(object, points.positions.size());
  return points;
}

Curves curves_of(const ObjectState& object) {
  YMIR_CHECK(object.kind == "curves");
  Curves curves;
  curves.positions = positions_of(object);
  const auto first = required<std::int64_t>(object, "first");
  if (first.empty() || first.front() != 0 || first.back() != static_cast<std::int64_t>(curves.positions.size()))
    refuse(object, "the channel first does not cover the vertices");
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    if (first[s + 1] <= first[s]) refuse(object, "strand " + std::to_string(s) + " has no vertices");
  curves.first.assign(first.begin(), first.end());
  curves.vertices = vertex_channels(object, curves.positions.size());
  curves.edges.resize(curves.edge_count());
  curves.strands.resize(curves.strand_count());
  for (const auto& [name, array] : object.channels)
    if (name != "first" && array.count() == curves.strand_count() && array.count() != curves.positions.size())
      curves.strands.set(name, array);
  return curves;
}

Surface surface_of(const ObjectState& object) {
  YMIR_CHECK(object.kind == "surface");
  Surface surface;
  surface.positions = positions_of(object);
  for (const Vec3<std::int32_t>& t : required<Vec3<std::int32_t>>(object, "triangles")) {
    for (const std::int32_t v : {t.x, t.y, t.z})
      if (v < 0 || static_cast<std::size_t>(v) >= surface.positions.size())
        refuse(object, "a triangle uses vertex " + std::to_string(v) + ", which does not exist");
    surface.triangles.push_back({t.x, t.y, t.z});
  }
  surface.vertices = vertex_channels(object, surface.positions.size());
  surface.faces.resize(surface.triangles.size());
  return surface;
}

}  // namespace ymir
