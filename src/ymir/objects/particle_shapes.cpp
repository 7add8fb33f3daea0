// Particles as attachments look at them: points without orientation.
#include <algorithm>

#include "ymir/objects/particle_object.h"

namespace ymir {

std::vector<PieceShape> ParticleObject::input_shapes() {
  std::vector<PieceShape> shapes;
  for (const Vec3d& x : input_positions())
    shapes.push_back({this, static_cast<std::int64_t>(shapes.size()), {x}, {}, true, {}, {}});
  return shapes;
}

std::vector<PieceShape> ParticleObject::present_shapes() {
  std::vector<PieceShape> shapes;
  for (int b = 0; b < particles().buckets().local_count(); ++b)
    for (int i = 0; i < particles().count(b); ++i)
      shapes.push_back({this,
                        static_cast<std::int64_t>(particles().read(id(), b)[i]),
                        {particles().read(ParticleSystem::position, b)[i]},
                        {},
                        true,
                        {},
                        {}});
  std::sort(shapes.begin(), shapes.end(), [](const PieceShape& a, const PieceShape& b) { return a.piece < b.piece; });
  return shapes;
}

Embedding ParticleObject::point_of(const PieceShape& shape, const MaterialPoint&) const {
  return free_point(shape.positions[0]);
}

}  // namespace ymir
