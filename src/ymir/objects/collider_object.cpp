#include "ymir/objects/collider_object.h"

#include "ymir/objects/surface_channels.h"

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

std::vector<Channel> ColliderObject::list(ColliderObject* collider) {
  const auto pose = [=] {
    std::vector<Vec3d> positions;
    if (collider->root_) collider->shape_.pose(collider->shown_, positions);
    return positions;
  };
  return surface_channels({pose, [=] { return collider->root_ ? &collider->shape_.rest().triangles : nullptr; }});
}

}  // namespace ymir
