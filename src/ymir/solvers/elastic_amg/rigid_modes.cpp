#include "ymir/solvers/elastic_amg/rigid_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/math/box.h"

namespace ymir::elastic_amg {
namespace {

// Part of a column that is left when it depends on those before it: aggregates of one or two nodes, or all in a line.
constexpr double dependent = 1e-6;

}  // namespace

Members::Members(const amg::Aggregates& aggregates) {
  starts.assign(at(aggregates.count) + 1, 0);
  for (const Index a : aggregates.of)
    if (a >= 0) ++starts[at(a) + 1];
  for (std::size_t a = 1; a < starts.size(); ++a) starts[a] += starts[a - 1];
  nodes.resize(at(starts.back()));
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < aggregates.of.size(); ++i)
    if (aggregates.of[i] >= 0) nodes[at(next[at(aggregates.of[i])]++)] = static_cast<Index>(i);
}

void set_rigid_modes(std::span<const Vec3d> positions, Communicator* ranks, RigidModes<3>& out) {
  constexpr double far = std::numeric_limits<double>::max();
  Vec3d low{far, far, far}, high{-far, -far, -far};
  for (const Vec3d& p : positions)
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  for (int k = 0; k < 3 && ranks != nullptr; ++k) {
    low[k] = ranks->min(low[k]);
    high[k] = ranks->max(high[k]);
  }
  const Vec3d centre = (low + high) * 0.5;
  const double size = norm(high - low), scale = size > 0 ? 2 / size : 1;
  each_row(static_cast<Index>(positions.size()), [&](Index i) {
    const Vec3d p = (positions[at(i)] - centre) * scale;
    // Column 3 + k: e_k x p.
    const double rows[3][modes] = {{1, 0, 0, 0, p.z, -p.y}, {0, 1, 0, -p.z, 0, p.x}, {0, 0, 1, p.y, -p.x, 0}};
    std::copy_n(&rows[0][0], 3 * modes, out.of(i));
  });
}

template <int N>
void orthonormalize(const Members& members, RigidModes<N>& fine, RigidModes<modes>& coarse) {
  each_row(members.count(), [&](Index a) {
    const std::span<const Index> nodes(members.nodes.data() + members.starts[at(a)],
                                       members.nodes.data() + members.starts[at(a) + 1]);
    // Gram-Schmidt, every column twice. R has what was taken away.
    double* r = coarse.of(a);
    std::fill_n(r, modes * modes, 0.0);
    const auto dot = [&](int p, int q) {
      double sum = 0;
      for (const Index i : nodes)
        for (int k = 0; k < N; ++k) sum += fine.of(i)[modes * k + p] * fine.of(i)[modes * k + q];
      return sum;
    };
    for (int q = 0; q < modes; ++q) {
      const double before = std::sqrt(dot(q, q));
      for (int pass = 0; pass < 2; ++pass)
        for (int p = 0; p < q; ++p) {
          const double share = dot(p, q);
          r[modes * p + q] += share;
          for (const Index i : nodes)
            for (int k = 0; k < N; ++k) fine.of(i)[modes * k + q] -= share * fine.of(i)[modes * k + p];
        }
      const double left = std::sqrt(dot(q, q));
      const bool independent = left > dependent * before;
      r[modes * q + q] = independent ? left : 0;
      for (const Index i : nodes)
        for (int k = 0; k < N; ++k) {
          double& value = fine.of(i)[modes * k + q];
          value = independent ? value / left : 0;
        }
    }
  });
}

template void orthonormalize(const Members&, RigidModes<3>&, RigidModes<modes>&);
template void orthonormalize(const Members&, RigidModes<modes>&, RigidModes<modes>&);

}  // namespace ymir::elastic_amg
