#include "ymir/objects/collider_object.h"

namespace ymir {

void ColliderObject::schedule(Timeline& timeline) {
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
