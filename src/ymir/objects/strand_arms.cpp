#include "ymir/objects/strand_arms.h"

#include <algorithm>

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;
// In an implicit step vertices share what pushes them with others (nodal_metric.h).
constexpr double shared = 0.2;

void put(Vec3<Real>& to, int lane, Vec3d value) {
  for (int k = 0; k < 3; ++k) to[k].set(lane, value[k]);
}

EdgeArms::Edge nothing() {
  const Real zero = Real::all(0);
  const Vec3<Real> none{zero, zero, zero};
  return {none, {none, none}, {none, none}, zero, {zero, zero}, zero, zero};
}

struct Lane {
  const StrandSystem& strands;
  const RodChannels& channels;
  int group, lane;

  double value(int channel, int i) const { return strands.plane(group, channel)[i][lane]; }
  Vec3d begin(int channel, int i) const {
    return {strands.saved(group, channel)[i][lane], strands.saved(group, channel + 1)[i][lane],
            strands.saved(group, channel + 2)[i][lane]};
  }
};

}  // namespace

std::vector<EdgeArms::Edge> strand_arms(const StrandSystem& strands, const RodChannels& c, int group) {
  std::vector<EdgeArms::Edge> edges(static_cast<std::size_t>(strands.group(group).vertices), nothing());
  for (int l = 0; l < lanes; ++l) {
    const Lane lane{strands, c, group, l};
    const int count = strands.group(group).count[static_cast<std::size_t>(l)];
    double radius = 0, inertia = 0;
    for (int i = 1; i < count; ++i) {
      radius = std::max(radius, lane.value(c.radius, i));
      inertia += lane.value(c.inertia, i) * lane.value(c.free_angle, i);
    }
    for (int j = 1; j + 1 < count; ++j) {
      const Vec3d along = lane.begin(c.position, j + 1) - lane.begin(c.position, j);
      const double length = norm(along);
      if (!(radius > 0 && length > 0)) continue;
      EdgeArms::Edge& edge = edges[static_cast<std::size_t>(j)];
      const Vec3d t = along / length, m = lane.begin(c.m1, j);
      const Vec3d first = normalized(m - t * dot(m, t), any_normal(t)), second = cross(t, first);
      put(edge.along, l, t / length);
      put(edge.arm[0], l, first * radius);
      put(edge.arm[1], l, second * radius);
      put(edge.way[0], l, second * radius);
      put(edge.way[1], l, first * -radius);
      const double turns = lane.value(c.inertia, j) > 0 ? lane.value(c.free_angle, j) : 0;
      edge.turns.set(l, turns);
      // A strand turns as one: torsion is stiff. Alone an edge has its own inertia.
      double bending = 0;
      for (int end = 0; end < 2; ++end) {
        const double free = lane.value(c.free_position, j + end), mass = lane.value(c.mass, j + end);
        edge.moves[end].set(l, free);
        if (mass > 0) bending += free / (mass * length * length);
      }
      const double square = radius * radius / 3;
      edge.compliance.set(l, square * ((turns > 0 ? turns / inertia : 0) + shared * bending));
      edge.most.set(l, 2 * square * ((turns > 0 ? turns / lane.value(c.inertia, j) : 0) + bending));
    }
  }
  return edges;
}

}  // namespace ymir
