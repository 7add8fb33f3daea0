#include "ymir/actions/mesh_attachment.h"

#include "ymir/actions/surface_motion.h"
#include "ymir/data/triangle_bvh.h"

namespace ymir {

std::size_t attach_nodes(MeshObject& object, const std::string& owner, std::shared_ptr<const AnimatedSurface> surface,
                         double range) {
  struct Foot {
    SurfacePoint at;
    Vec3d offset;  // in the frame of the triangle [m]
  };
  struct Places {
    std::vector<Foot> nodes;
    SurfaceMotion surface;
  };
  auto data = std::make_shared<Places>(Places{{}, SurfaceMotion(surface)});
  data->surface.prepare(0, 0);
  Surface posed = surface->rest();
  posed.positions = data->surface.positions();
  const TriangleBvh bvh(posed);
  MeshObject::NodeMotion motion;
  motion.owner = owner;
  for (std::size_t i = 0; i < object.start().size(); ++i) {
    const Vec3d x = object.start()[i];
    const ClosestPoint nearest = bvh.closest(x, range);
    if (nearest.triangle < 0 || nearest.distance > range) continue;
    const SurfacePoint at{nearest.triangle, nearest.barycentric};
    const Embedding base = data->surface.point(at, 0);
    const Vec3d d = x - base.position;
    data->nodes.push_back({at, {dot(base.frame[0], d), dot(base.frame[1], d), dot(base.frame[2], d)}});
    motion.nodes.push_back(static_cast<std::int32_t>(i));
  }
  motion.prepare = [data](double begin, double end) { data->surface.prepare(begin, end); };
  motion.place = [data](std::size_t k, double time) {
    const Foot& p = data->nodes[k];
    const Embedding base = data->surface.point(p.at, time);
    return base.position + base.frame[0] * p.offset.x + base.frame[1] * p.offset.y + base.frame[2] * p.offset.z;
  };
  const std::size_t count = motion.nodes.size();
  object.hold(std::move(motion));
  return count;
}

}  // namespace ymir
