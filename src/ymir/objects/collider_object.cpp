#include "ymir/objects/collider_object.h"

namespace ymir {

ObjectState ColliderObject::frame_state() const {
  std::vector<Vec3f> positions;
  std::vector<Vec3i> triangles;
  if (root_) {
    for (const Vec3d& p : shape_.positions) positions.emplace_back(p);
    for (const auto& t : shape_.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  }
  ObjectState state{path(), "surface", {}, {}};
  state.channels["position"] = Array::of(positions);
  state.channels["triangles"] = Array::of(triangles);
  return state;
}

}  // namespace ymir
