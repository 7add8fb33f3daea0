// State of a Curves Object: what is shown in frames, stored in checkpoints and restored.
#include "ymir/objects/curves_object.h"
#include "ymir/objects/strand_state.h"

namespace ymir {
namespace {

// One value per vertex, without the ghosts before the roots.
template <class Get>
Array of_vertices(const StrandSystem& strands, Get get) {
  std::vector<std::invoke_result_t<Get, int, int, int>> values;
  for (const auto& [group, lane] : strands.seats())
    for (int i = 1; i < strands.group(group).count[static_cast<std::size_t>(lane)]; ++i)
      values.push_back(get(group, lane, i));
  return Array::of(values);
}

Array scalars(const StrandSystem& strands, int channel) {
  return of_vertices(strands, [&](int group, int lane, int i) { return strands.plane(group, channel)[i][lane]; });
}

Array vectors(const StrandSystem& strands, int first) {
  return of_vertices(strands, [&](int group, int lane, int i) {
    const auto component = [&](int k) { return strands.plane(group, first + k)[i][lane]; };
    return Vec3d{component(0), component(1), component(2)};
  });
}

Array first_vertices(const StrandSystem& strands) {
  std::vector<std::int64_t> first{0};
  for (const auto& [group, lane] : strands.seats())
    first.push_back(first.back() + strands.group(group).count[static_cast<std::size_t>(lane)] - 1);
  return Array::of(first);
}

}  // namespace

std::vector<Channel> CurvesObject::list(CurvesObject* curves) {
  using enum Place;
  std::vector<Channel> all;
  const auto add = [&](ChannelInfo info, std::function<Array()> read) {
    all.push_back({std::move(info), std::move(read), {}, {}});
  };
  add(described<Vec3d>("position", vertex, "m", "Where the vertices are.", Use::shown | Use::writable),
      [=] { return vectors(curves->strands_, curves->channels_.position); });
  add(described<Vec3d>("velocity", vertex, "m/s", "Of the vertices.", Use::shown),
      [=] { return vectors(curves->strands_, curves->channels_.velocity); });
  add(described<double>("radius", vertex, "m", "Semi-axis of the cross-section along m1.", Use::shown | Use::writable),
      [=] { return scalars(curves->strands_, curves->channels_.radius); });
  add(described<std::int64_t>("first", object, "", "Vertex that each strand begins with, and the number of all.",
                              Use::shown),
      [=] { return first_vertices(curves->strands_); });
  add_strand_channels(all, curves != nullptr ? &curves->strands_ : nullptr,
                      "Its number of vertices, with a ghost before the root.",
                      "State and rest values of all vertices: strand by strand, channel by channel.");
  add(described<double>("density", vertex, "kg/m^3", "Of the material; also per strand.", Use::writable), {});
  add(described<double>("flattening", vertex, "", "Semi-axis along m2 by that along m1; also per strand.",
                        Use::writable),
      {});
  add(described<double>("pinned", vertex, "", "Above 0: the vertex is held where it begins.", Use::writable), {});
  add(described<double>("gravity_compensation", vertex, "",
                        "Share of steady forces that the rest shape is adapted to; also per strand.", Use::writable),
      {});
  add(described<Vec3d>("root_tangent", strand, "", "Direction that the root is clamped in.", Use::writable), {});
  add(described<Vec3d>("root_normal", strand, "", "Direction of m1 there.", Use::writable), {});
  return all;
}

ObjectState CurvesObject::checkpoint() const {
  ObjectState state = Object::checkpoint();
  state.attributes["layout"] = layout_of(strands_);
  return state;
}

void CurvesObject::restore(const ObjectState* whole) {
  if (whole != nullptr) expect_kept(*whole);
  strands_.assign(whole != nullptr ? stored_strands(strands_, *whole, path()) : std::vector<Strand>{});
  strands_.migrate();
}

}  // namespace ymir
