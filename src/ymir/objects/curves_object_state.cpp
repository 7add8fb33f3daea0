// State of a Curves Object: what is shown in frames, stored in checkpoints and restored.
#include <algorithm>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

// One value per strand, in order of its number.
template <class Get>
Array of_strands(const StrandSystem& strands, Get get) {
  std::vector<std::invoke_result_t<Get, const StrandSystem::Group&, std::size_t>> values;
  for (const auto& [group, lane] : strands.seats())
    values.push_back(get(strands.group(group), static_cast<std::size_t>(lane)));
  return Array::of(values);
}

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

Array all_values(const StrandSystem& strands) {
  std::vector<double> values;
  for (const auto& [group, lane] : strands.seats()) {
    const Strand strand = strands.strand(group, lane);
    values.insert(values.end(), strand.values.begin(), strand.values.end());
  }
  return Array::of(values);
}

}  // namespace

std::vector<Channel> CurvesObject::list(CurvesObject* curves) {
  using Group = StrandSystem::Group;
  using enum Place;
  std::vector<Channel> all;
  const auto add = [&](ChannelInfo info, std::function<Array()> read) {
    all.push_back({std::move(info), std::move(read), {}, {}});
  };
  const auto of_each = [curves](auto get) { return [=] { return of_strands(curves->strands_, get); }; };
  add(described<Vec3d>("position", vertex, "m", "Where the vertices are.", Use::shown | Use::writable),
      [=] { return vectors(curves->strands_, curves->channels_.position); });
  add(described<Vec3d>("velocity", vertex, "m/s", "Of the vertices.", Use::shown),
      [=] { return vectors(curves->strands_, curves->channels_.velocity); });
  add(described<double>("radius", vertex, "m", "Semi-axis of the cross-section along m1.", Use::shown | Use::writable),
      [=] { return scalars(curves->strands_, curves->channels_.radius); });
  add(described<std::int64_t>("first", object, "", "Vertex that each strand begins with, and the number of all.",
                              Use::shown),
      [=] { return first_vertices(curves->strands_); });
  add(described<std::int64_t>("strand", strand, "", "Its number in the input.", Use::shown | Use::kept),
      of_each([](const Group& group, std::size_t lane) { return group.id[lane]; }));
  add(described<std::int64_t>("vertices", strand, "", "Its number of vertices, with a ghost before the root.",
                              Use::kept),
      of_each([](const Group& group, std::size_t lane) { return std::int64_t{group.count[lane]}; }));
  add(described<Vec3d>("home", strand, "m", "The bucket there decides which rank owns it.", Use::kept),
      of_each([](const Group& group, std::size_t lane) { return group.home[lane]; }));
  add(described<std::int64_t>("tie", strand, "", "Strands with the same number are solved together; -1: alone.",
                              Use::kept),
      of_each([](const Group& group, std::size_t) { return group.tie; }));
  add(described<double>("values", object, "",
                        "State and rest values of all vertices: strand by strand, channel by channel.", Use::kept),
      [=] { return all_values(curves->strands_); });
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
  // What the order of `values` means, so that a changed setup does not take one channel for another.
  Communicator& communicator = strands_.domain().communicator();
  std::uint64_t layout = hash_combine(static_cast<std::uint64_t>(communicator.sum(strands_.strand_count())),
                                      static_cast<std::uint64_t>(communicator.sum(strands_.vertex_count())));
  for (int c = 0; c < strands_.channel_count(); ++c) layout = hash_text(strands_.channel_name(c), layout);
  state.attributes["layout"] = static_cast<std::int64_t>(layout);
  return state;
}

void CurvesObject::restore(const ObjectState* whole) {
  std::vector<Strand> strands;
  if (whole != nullptr) {
    expect_kept(*whole);
    const auto bad = [&] {
      return Error(ExitCode::bad_input,
                   "the checkpoint of " + path() + " does not fit this setup; start again in another folder");
    };
    const auto ids = whole->channels.find("strand")->second.as<std::int64_t>();
    const auto vertices = whole->channels.find("vertices")->second.as<std::int64_t>();
    const auto values = whole->channels.find("values")->second.as<double>();
    const auto homes = whole->channels.find("home")->second.as<Vec3d>();
    const auto ties = whole->channels.find("tie")->second.as<std::int64_t>();
    if (vertices.size() != ids.size() || homes.size() != ids.size() || ties.size() != ids.size()) throw bad();
    std::size_t at = 0;
    for (std::size_t s = 0; s < ids.size(); ++s) {
      if (vertices[s] < 1 || vertices[s] > static_cast<std::int64_t>(values.size())) throw bad();
      Strand strand = strands_.make_strand(ids[s], static_cast<int>(vertices[s]));
      if (at + strand.values.size() > values.size()) throw bad();
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), strand.values.size(), strand.values.begin());
      at += strand.values.size();
      strand.home = homes[s];
      strand.tie = ties[s];
      strands.push_back(std::move(strand));
    }
    if (at != values.size()) throw bad();
  }
  strands_.assign(std::move(strands));
  strands_.migrate();
}

}  // namespace ymir
