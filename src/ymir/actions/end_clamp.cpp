#include "ymir/actions/end_clamp.h"

#include <algorithm>

#include "ymir/physics/rods/bend_twist.h"

namespace ymir {
namespace {

using Geometry = BendTwist::Geometry<double>;

RodEdge<double> edge_of(const StrandStep& s, int lane, int edge) {
  const RodEdge<StrandReal> e = s.edge(edge);
  return {{e.t.x[lane], e.t.y[lane], e.t.z[lane]}, e.inverse_length[lane], {e.m1.x[lane], e.m1.y[lane], e.m1.z[lane]}};
}

// Bending is measured in the frame of the strand's edge alone: the mean with the ghost's would soften it where the end
// may turn about itself. The twist of half an edge is less than half a turn.
Geometry geometry_at(const RodEdge<double>& edge, const RodEdge<double>& ghost, bool tip) {
  Geometry g = tip ? Geometry(edge, ghost, twist_between(edge, ghost, 0.0))
                   : Geometry(ghost, edge, twist_between(ghost, edge, 0.0));
  g.e.m1 = g.f.m1 = edge.m1;
  g.m2e = g.m2f = cross(edge.t, edge.m1);
  return g;
}

RodEdge<double> ghost_of(const Embedding& target, Vec3d tangent, Vec3d m1, double inverse_length) {
  const auto world = [&](Vec3d v) { return target.frame[0] * v.x + target.frame[1] * v.y + target.frame[2] * v.z; };
  const Vec3d t = normalized(world(tangent));
  return {t, inverse_length, orthonormalized(world(m1), t)};
}

}  // namespace

EndClamp::EndClamp(bool tip, const Embedding& source, const Embedding& target) : tip_(tip) {
  const auto local = [&](Vec3d v) {
    return Vec3d{dot(target.frame[0], v), dot(target.frame[1], v), dot(target.frame[2], v)};
  };
  tangent_ = local(source.frame[0]);
  m1_ = local(source.frame[1]);
}

void EndClamp::weigh(const StrandSystem& strands, const RodChannels& rod, int group, int lane, int edge,
                     Vec3d orientation) {
  const double held[3] = {2 * (orientation.x + orientation.y), 2 * (orientation.x + orientation.z),
                          2 * (orientation.y + orientation.z)};
  const auto length = [&](int e) { return strands.plane(group, rod.rest_length)[e][lane]; };
  // The nearest vertex that bends tells the stiffness of the strand here.
  const int vertex = tip_ ? edge : edge + 1, weights = strands.find("bend_twist.weight");
  const bool inside = vertex > 1 && vertex + 1 < strands.group(group).count[static_cast<std::size_t>(lane)];
  const double domain = inside ? (length(vertex - 1) + length(vertex)) / 2 : length(edge) / 2;
  for (int k = 0; k < 3; ++k) {
    const double stiffness = weights < 0 ? 0 : strands.plane(group, weights + k)[vertex][lane] * domain;
    const double half = stiffness > 0 ? length(edge) / 2 / stiffness : 0;
    // An end without stiffness, of a strand without length, has no direction to hold.
    const double compliance = held[k] > 0 ? 1 / held[k] + half : 0;
    weight_[k] = compliance > 0 ? 1 / compliance : 0;
  }
}

void EndClamp::begin(const StrandStep& step, int lane, int edge, const Embedding& target) {
  const RodEdge<double> own = edge_of(step, lane, edge);
  BendTwist::value(geometry_at(own, ghost_of(target, tangent_, m1_, own.inverse_length), tip_), begin_);
}

void EndClamp::assemble(StrandStep& s, int lane, int edge, const Embedding& target, double damping) const {
  const RodEdge<double> own = edge_of(s, lane, edge);
  const Geometry g = geometry_at(own, ghost_of(target, tangent_, m1_, own.inverse_length), tip_);
  double c[3], j[3][8], y[3], h[packed_size(8)] = {};
  BendTwist::value(g, c);
  BendTwist::gradient(g, j);
  for (int r = 0; r < 2; ++r) j[r][3] = j[r][7] = j[r][3] + j[r][7];
  const int own_first = tip_ ? 0 : 4;  // coordinates of the strand's edge: vector, angle
  double elastic[4][4] = {}, whole[4][4];
  for (int r = 0; r < 3; ++r) {
    const double stiffness = weight_[r] * (1 + damping);
    y[r] = weight_[r] * (c[r] + damping * (c[r] - begin_[r]));
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) elastic[a][b] += stiffness * j[r][own_first + a] * j[r][own_first + b];
  }
  double curved[3] = {};
  for (int r = 0; r < 3; ++r) curved[r] = s.curvature == StrandStep::Curvature::none ? 0 : y[r] * s.beta[lane];
  BendTwist::add_curvature(g, curved, h);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      whole[a][b] = elastic[a][b] + h[packed(own_first + std::max(a, b), own_first + std::min(a, b))];

  // Edge vector x1 - x0 and angle over the unknowns x0 (3), angle, x1 (3).
  const auto chain = [](int coordinate, int local) {
    if (coordinate == 3 || local == 3) return coordinate == local ? 1.0 : 0.0;
    return local % 4 != coordinate ? 0.0 : local >= 4 ? 1.0 : -1.0;
  };
  const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
  const auto row = [&](int local) {
    return s.multipliers ? MultiplierLayout::row(edge, local) : PlainLayout::row(edge, local);
  };
  const auto at = [lane](StrandReal* values, int i) -> double& {
    return reinterpret_cast<double*>(values)[i * StrandSystem::lanes + lane];
  };
  for (int p = 0; p < 7; ++p) {
    for (int a = 0; a < 4; ++a)
      for (int r = 0; r < 3; ++r) at(s.residual, row(p)) += chain(a, p) * j[r][own_first + a] * y[r];
    for (int q = 0; q <= p; ++q) {
      double value = 0, diagonal = 0;
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          value += chain(a, p) * whole[a][b] * chain(b, q);
          diagonal += chain(a, p) * elastic[a][b] * chain(b, q);
        }
      at(s.matrix, row(q) * column + row(p) - row(q)) += value;
      if (p == q) at(s.scale, row(p)) += diagonal;
    }
  }
}

}  // namespace ymir
