#include "ymir/setup/stored_detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ymir {
namespace {

// Of one object on this rank.
struct Detail {
  double farthest = 0;  // largest coordinate [m]
  double lengths = 0;   // sum of `count` edges or radii [m]
  double count = 0;
};

Detail detail_of(const ObjectState& object) {
  Detail detail;
  const auto position = object.channels.find("position");
  if (position == object.channels.end() || position->second.type() != ScalarType::f32) return detail;
  const std::span<const Vec3f> x = position->second.as<Vec3f>();
  for (const Vec3f& at : x)
    for (int k = 0; k < 3; ++k) detail.farthest = std::max<double>(detail.farthest, std::abs(at[k]));
  const auto add = [&](std::size_t i, std::size_t j) {
    detail.lengths += norm(Vec3d(x[j]) - Vec3d(x[i]));
    ++detail.count;
  };
  if (const auto first = object.channels.find("first"); first != object.channels.end()) {
    const std::span<const std::int64_t> begin = first->second.as<std::int64_t>();
    for (std::size_t s = 0; s + 1 < begin.size(); ++s)
      for (auto v = static_cast<std::size_t>(begin[s]); v + 1 < static_cast<std::size_t>(begin[s + 1]); ++v)
        add(v, v + 1);
  } else if (const auto faces = object.channels.find("triangles"); faces != object.channels.end()) {
    const std::span<const Vec3i> triangles = faces->second.as<Vec3i>();
    for (const Vec3i& t : triangles)
      for (int k = 0; k < 3; ++k) add(static_cast<std::size_t>(t[k]), static_cast<std::size_t>(t[(k + 1) % 3]));
  } else if (const auto radius = object.channels.find("radius"); radius != object.channels.end()) {
    for (const float r : radius->second.as<float>()) detail.lengths += r;
    detail.count = static_cast<double>(radius->second.count());
  }
  return detail;
}

}  // namespace

std::vector<std::string> lost_detail(const Simulation& simulation) {
  std::vector<std::string> messages;
  Communicator& ranks = simulation.communicator();
  for (const auto& object : simulation.objects()) {
    const bool points = object->frame_kind() == "points";
    const Detail detail = detail_of(object->frame_state());
    const double farthest = ranks.max(detail.farthest);
    double sums[2] = {detail.lengths, detail.count};
    ranks.ordered_sum(sums);
    const auto single = static_cast<float>(farthest);
    const double step = std::nextafter(single, std::numeric_limits<float>::infinity()) - single;
    const double mean = sums[0] / sums[1];
    if (!(mean > 0) || step <= (points ? 0.25 : 0.01) * mean) continue;
    messages.push_back(fmt::format(
        "{}: lies up to {:.3g} m from the origin, where the single precision of frames has steps of {:.2g} m, and its "
        "mean {} is {:.2g} m: its shape is lost in them; move everything to the origin, and back after the simulation",
        object->path(), farthest, step, points ? "radius" : "edge", mean));
  }
  return messages;
}

}  // namespace ymir
