#include "ymir/cache/guessed_place.h"

namespace ymir {
namespace {

std::size_t count_of(const ObjectState& object, std::string_view channel) {
  const auto found = object.channels.find(channel);
  return found == object.channels.end() ? 0 : found->second.count();
}

Place on_curves(const ObjectState& object, std::string_view channel) {
  if (channel == "first") return Place::object;
  if (channel == "strand") return Place::strand;
  const std::size_t count = count_of(object, channel), first = count_of(object, "first");
  if (count == count_of(object, "position")) return Place::vertex;
  return first > 0 && count == first - 1 ? Place::strand : Place::object;
}

Place on_surface(const ObjectState& object, std::string_view channel) {
  if (channel == "triangles") return Place::face;
  return count_of(object, channel) == count_of(object, "position") ? Place::vertex : Place::object;
}

}  // namespace

Place guessed_place(const ObjectState& object, std::string_view channel) {
  if (object.kind == "curves") return on_curves(object, channel);
  if (object.kind == "surface") return on_surface(object, channel);
  if (object.kind == "points")
    return count_of(object, channel) == count_of(object, "position") ? Place::particle : Place::object;
  if (object.kind == "volume") {
    if (channel == "bucket") return Place::tile;
    return object.attributes.contains(std::string(channel) + ".resolution") ? Place::voxel : Place::object;
  }
  return Place::object;  // checkpoints are read by name
}

std::string_view guessed_unit(const ObjectState& object, std::string_view channel) {
  if (object.kind == "state") return "";
  if (channel == "position" || channel == "radius") return "m";
  if (channel == "velocity") return "m/s";
  if (channel == "temperature") return "K";
  return channel == "age" ? "s" : "";
}

}  // namespace ymir
