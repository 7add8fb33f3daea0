#include "ymir/cache/formats/frame_objects.h"

#include <fmt/format.h>

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

// What lives on a place that the object has `count` of, but for the channels that its kind is made of.
Channels channels_on(const ObjectState& object, Place place, std::size_t count) {
  Channels channels;
  channels.resize(count);
  for (const auto& [name, array] : object.channels) {
    if (array.place != place || name == "position" || name == "triangles") continue;
    if (array.count() != count)
      refuse(object, fmt::format("the channel {} has {} values for {} of its place ({})", name, array.count(), count,
                                 name_of(place)));
    channels.set(name, array);
  }
  return channels;
}

}  // namespace

Points points_of(const ObjectState& object) {
  YMIR_CHECK(object.kind == "points");
  Points points;
  points.positions = positions_of(object);
  points.vertices = channels_on(object, Place::particle, points.positions.size());
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
  curves.vertices = channels_on(object, Place::vertex, curves.positions.size());
  curves.edges = channels_on(object, Place::edge, curves.edge_count());
  curves.strands = channels_on(object, Place::strand, curves.strand_count());
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
  surface.vertices = channels_on(object, Place::vertex, surface.positions.size());
  surface.faces = channels_on(object, Place::face, surface.triangles.size());
  return surface;
}

}  // namespace ymir
