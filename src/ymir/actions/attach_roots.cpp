// Roots of strands held exactly: by an animated surface, or by the skin of solids.
#include "ymir/actions/attachment_set.h"
#include "ymir/actions/joints.h"
#include "ymir/actions/surface_motion.h"
#include "ymir/data/triangle_bvh.h"

namespace ymir {

std::vector<double> attach_roots(RootedStrands& strands, const std::string& owner,
                                 std::shared_ptr<const AnimatedSurface> surface) {
  struct Root {
    SurfacePoint at;
    Vec3d position, tangent, m1;  // in the frame of the triangle
  };
  struct Roots {
    std::vector<Root> roots;
    SurfaceMotion surface;
  };
  auto data = std::make_shared<Roots>(Roots{{}, SurfaceMotion(surface)});
  data->surface.prepare(0, 0);
  Surface posed = surface->rest();
  posed.positions = data->surface.positions();
  const TriangleBvh bvh(posed);
  for (std::size_t strand = 0; strand < strands.input_strands(); ++strand) {
    const RootFrame frame = strands.root_frame(static_cast<std::int64_t>(strand));
    const ClosestPoint nearest = bvh.closest(frame.position);
    const SurfacePoint at{nearest.triangle, nearest.barycentric};
    const Embedding base = data->surface.point(at, 0);
    const auto local = [&](Vec3d v) {
      return Vec3d{dot(base.frame[0], v), dot(base.frame[1], v), dot(base.frame[2], v)};
    };
    data->roots.push_back({at, local(frame.position - base.position), local(frame.tangent), local(frame.m1)});
  }
  RootMotion motion;
  motion.owner = owner;
  motion.prepare = [data](double begin, double end) { data->surface.prepare(begin, end); };
  motion.pose = [data](std::int64_t strand, double time) {
    const Root& root = data->roots[static_cast<std::size_t>(strand)];
    const Embedding base = data->surface.point(root.at, time);
    const auto world = [&](Vec3d v) { return base.frame[0] * v.x + base.frame[1] * v.y + base.frame[2] * v.z; };
    const Vec3d tangent = normalized(world(root.tangent));
    return RootFrame{base.position + world(root.position), tangent, orthonormalized(world(root.m1), tangent)};
  };
  strands.set_root_motion(std::move(motion));
  std::vector<double> gaps;
  for (const Root& root : data->roots) gaps.push_back(norm(root.position));
  return gaps;
}

// The first edge of each strand, which no longer is clamped, welded to the skin.
std::size_t attach_roots(SolidSystem& solids, const std::string& owner, SolidObject& curves, RootedStrands& roots,
                         const std::vector<SolidObject*>& targets, double range) {
  struct Skin {
    PieceShape shape;
    TriangleBvh bvh;
  };
  std::vector<Skin> skins;
  for (SolidObject* target : targets)
    for (PieceShape& shape : target->input_shapes())
      if (!shape.skin.triangles.empty()) {
        TriangleBvh bvh(shape.skin);
        skins.push_back({std::move(shape), std::move(bvh)});
      }
  solids.add(curves);
  for (SolidObject* target : targets) solids.add(*target);
  std::vector<JointPlace> welds;
  for (const PieceShape& strand : curves.input_shapes()) {
    if (strand.positions.size() < 2) continue;
    JointPlace weld;
    weld.source.point = {&curves, strand.piece, 1, {0, 0, 0}};
    double nearest = range;
    for (const Skin& skin : skins) {
      const ClosestPoint c = skin.bvh.closest(strand.positions[0], nearest);
      if (c.triangle < 0) continue;
      nearest = c.distance;
      weld.target.point = skin.shape.object->on_skin(skin.shape.piece, c.triangle, c.barycentric);
      weld.target.begin = skin.shape.object->point_of(skin.shape, weld.target.point);
    }
    if (weld.target.point.object == nullptr) continue;
    weld.source.begin = curves.point_of(strand, weld.source.point);
    welds.push_back(std::move(weld));
  }
  roots.release_roots();
  const std::size_t held = welds.size();
  add_joints(solids, owner, JointKind::weld, {}, std::move(welds));
  return held;
}

}  // namespace ymir
