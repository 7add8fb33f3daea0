#include "ymir/objects/collider_object.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/log.h"

namespace ymir {

void ColliderObject::report_inside(Communicator& communicator, std::vector<Meeting> met, Distance distance,
                                   double push_out) {
  communicator_ = &communicator;
  met_ = std::move(met);
  distance_ = std::move(distance);
  push_out_ = push_out;
}

void ColliderObject::count_inside(double time) const {
  for (const Meeting& object : met_) {
    std::int64_t inside = 0, points = 0;
    double deepest = 0;
    object.points->visit_points([&](const PointBlock& block) {
      for (int i = 0; i < block.count; ++i) {
        if (!(block.mass[i] > 0)) continue;
        ++points;
        const double depth = -distance_(block.position[i], time);
        if (depth <= block.radius[i]) continue;
        ++inside;
        deepest = std::max(deepest, depth);
      }
    });
    inside = communicator_->sum(inside);
    points = communicator_->sum(points);
    deepest = communicator_->max(deepest);
    if (inside > 0 && communicator_->root())
      log::warn(
          fmt::format("{}: {} of {} points of {} begin inside it, the deepest {:.3g} mm; what is planted between a "
                      "held root and the surface stays, the rest is brought out at {:g} m/s (`push_out:`)",
                      path(), inside, points, object.path, deepest * 1e3, push_out_));
  }
}

void ColliderObject::schedule(Timeline& timeline) {
  if (!met_.empty())
    timeline.add({Stage::frame_begin,
                  group(),
                  Role::object,
                  path(),
                  "count what begins inside",
                  {},
                  {},
                  [this](const Step& step) {
                    if (step.time == 0) count_inside(step.time);
                  }});
  if (!shape_.moving()) return;
  timeline.add({Stage::frame_end,
                group(),
                Role::object,
                path(),
                "show the pose at the end of the frame",
                {},
                {},
                [this](const Step& step) { shown_ = step.time; }});
}

ObjectState ColliderObject::frame_state() const {
  std::vector<Vec3f> positions;
  std::vector<Vec3i> triangles;
  if (root_) {
    std::vector<Vec3d> pose;
    shape_.pose(shown_, pose);
    for (const Vec3d& p : pose) positions.emplace_back(p);
    for (const auto& t : shape_.rest().triangles) triangles.emplace_back(t[0], t[1], t[2]);
  }
  ObjectState state{path(), "surface", {}, {}};
  state.channels["position"] = Array::of(positions);
  state.channels["triangles"] = Array::of(triangles);
  return state;
}

}  // namespace ymir
