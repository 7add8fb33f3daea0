#include "ymir/grooms/helix_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ymir/math/quaternion.h"
#include "ymir/math/quaternion_from_matrix.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {
namespace {

constexpr int root_unknowns = 4;  // turn of the root, logarithm of the length
constexpr int most_unknowns = root_unknowns + SuperHelix::max_dofs;
constexpr int most_rounds = 200;
constexpr double good_enough = 1e-9;  // of the length, not to look further

struct Line {
  std::span<const Vec3d> x;
  std::vector<double> part;  // of the length, of each vertex
  double length = 0;         // of the polyline [m]
  bool turns = true;         // the root may turn

  int element(std::size_t k, int elements) const {
    return std::min(static_cast<int>(part[k] * elements), elements - 1);
  }
};

double error_of(const Line& line, const SuperHelix& h, double* sum) {
  double worst = 0;
  *sum = 0;
  for (std::size_t k = 1; k < line.x.size(); ++k) {
    const int e = line.element(k, h.elements);
    const Vec3d d = h.frame(e, (line.part[k] * h.elements - e) * h.length).position - line.x[k];
    *sum += dot(d, d);
    worst = std::max(worst, norm(d));
  }
  return worst;
}

// A x = b in place, A symmetric with its lower half given by rows; false: not definite.
bool solve(int n, std::vector<double>& a, double* b) {
  const auto at = [&](int r, int c) -> double& { return a[static_cast<std::size_t>(r * most_unknowns + c)]; };
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double sum = at(i, j);
      for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      if (i == j && !(sum > 0)) return false;
      at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
    }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= at(i, k) * b[k];
    b[i] /= at(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= at(k, i) * b[k];
    b[i] /= at(i, i);
  }
  return true;
}

// Unknowns without a unit: turn of the root, change of log length, u times the length of an element.
SuperHelix moved(const SuperHelix& from, const double* step, bool turns) {
  SuperHelix h = from;
  if (turns)
    for (Vec3d& axis : h.root.axes.column) axis = rotate(quaternion_exp({step[0], step[1], step[2]}), axis);
  h.length *= std::exp(std::clamp(step[3], -0.5, 0.5));
  for (int e = 0; e < h.elements; ++e)
    for (int i = 0; i < 3; ++i) h.u[e][i] = (from.u[e][i] * from.length + step[root_unknowns + 3 * e + i]) / h.length;
  h.update();
  return h;
}

struct Normal {
  std::vector<double> a = std::vector<double>(static_cast<std::size_t>(most_unknowns * most_unknowns));
  double b[most_unknowns];
};

void assemble(const Line& line, const SuperHelix& h, Normal& normal) {
  std::fill(normal.a.begin(), normal.a.end(), 0.0);
  std::fill_n(normal.b, most_unknowns, 0.0);
  Vec3d shift[SuperHelix::max_dofs], j[most_unknowns];
  for (std::size_t k = 1; k < line.x.size(); ++k) {
    const int e = line.element(k, h.elements);
    const double s = (line.part[k] * h.elements - e) * h.length;
    const Vec3d r = h.frame(e, s).position, d = r - line.x[k], arm = r - h.root.position;
    h.jacobian(e, s, r, shift, nullptr);
    for (int i = 0; i < 3; ++i) {
      Vec3d axis{0, 0, 0};
      axis[i] = line.turns ? 1 : 0;
      j[i] = cross(axis, arm);
    }
    j[3] = arm;
    const int n = root_unknowns + h.dofs_of(e);
    for (int i = root_unknowns; i < n; ++i) j[i] = shift[i - root_unknowns] / h.length;
    for (int r1 = 0; r1 < n; ++r1) {
      normal.b[r1] -= dot(j[r1], d);
      for (int c = 0; c <= r1; ++c) normal.a[static_cast<std::size_t>(r1 * most_unknowns + c)] += dot(j[r1], j[c]);
    }
  }
}

HelixFit improved(const Line& line, SuperHelix h) {
  double sum = 0, damping = 1e-3;
  double worst = error_of(line, h, &sum);
  const int n = root_unknowns + h.dofs();
  const double scale = line.length * line.length * static_cast<double>(line.x.size());
  Normal normal;
  for (int round = 0; round < most_rounds && sum > 1e-28 * scale && damping < 1e12; ++round) {
    assemble(line, h, normal);
    bool better = false;
    double gain = 0;
    while (!better && damping < 1e12) {
      std::vector<double> a = normal.a;
      double step[most_unknowns];
      std::copy_n(normal.b, n, step);
      for (int i = 0; i < n; ++i) {
        double& diagonal = a[static_cast<std::size_t>(i * most_unknowns + i)];
        // What no vertex feels, as the twist of a straight element, stays as it is.
        diagonal += damping * diagonal + 1e-13 * scale;
      }
      if (solve(n, a, step)) {
        const SuperHelix next = moved(h, step, line.turns);
        double next_sum = 0;
        const double next_worst = error_of(line, next, &next_sum);
        if (next_sum < sum) {
          gain = 1 - next_sum / sum;
          h = next;
          sum = next_sum;
          worst = next_worst;
          better = true;
        }
      }
      damping = better ? std::max(damping * 0.2, 1e-12) : damping * 5;
    }
    if (gain < 1e-4) break;
  }
  return {h, worst};
}

// Rotation vector per length of the screw from edges (k - 1, k) to (k, k + 1), weighted by how well it is known.
struct Screw {
  Vec3d rate{0, 0, 0};
  double weight = 0;
};

Screw screw_at(const std::vector<Vec3d>& edge, std::size_t k) {
  const double spacing = (norm(edge[k - 1]) + 2 * norm(edge[k]) + norm(edge[k + 1])) / 4;
  const Vec3d t[3] = {normalized(edge[k - 1]), normalized(edge[k]), normalized(edge[k + 1])};
  const Vec3d across[2] = {cross(t[0], t[1]), cross(t[1], t[2])};
  const double weight = norm(across[0]) * norm(across[1]);
  if (!(weight > 1e-10)) return {};
  const auto frame = [&](std::size_t i) {
    const Vec3d b = normalized(across[i]), a = normalized(t[i] + t[i + 1]);
    return Mat3d{a, b, cross(a, b)};
  };
  const Mat3d turn = frame(1) * transposed(frame(0));
  return {quaternion_log(quaternion_from_matrix(turn)) / spacing, weight};
}

// Curvatures from the screws of the vertices; with_torsion: also along the strand, where noise makes most of it.
SuperHelix guess(const Line& line, int elements, Vec3d m1, Vec3d tangent, bool with_torsion) {
  std::vector<Vec3d> edge;
  for (std::size_t k = 1; k < line.x.size(); ++k)
    if (const Vec3d d = line.x[k] - line.x[k - 1]; norm(d) > 1e-12 * line.length) edge.push_back(d);
  std::vector<Screw> screws(edge.size());
  for (std::size_t k = 1; k + 1 < edge.size(); ++k) screws[k] = screw_at(edge, k);
  const double step = line.length / static_cast<double>(edge.size());
  SuperHelix h;
  h.elements = elements;
  h.length = line.length / elements;
  h.root.position = line.x[0];
  const Screw none{};
  const Screw& first = screws.size() > 2 ? screws[1] : none;
  Vec3d t = normalized(tangent, rotate(quaternion_exp(first.rate * (-0.5 * step)), normalized(edge[0])));
  Vec3d m = m1 - t * dot(m1, t);
  m = norm(m) > 1e-6 * norm(m1) ? normalized(m) : any_normal(t);
  h.root.axes = {m, cross(t, m), t};
  Mat3d axes = h.root.axes;
  double along = 0;
  std::vector<double> middle;
  for (const Vec3d& d : edge) {
    middle.push_back((along + 0.5 * norm(d)) / line.length);
    along += norm(d);
  }
  for (int e = 0; e < elements; ++e) {
    Screw sum;
    for (std::size_t k = 0; k < edge.size(); ++k) {
      if (std::fabs(middle[k] * elements - e - 0.5) > 0.5 + 0.5 * elements / static_cast<double>(edge.size())) continue;
      sum.rate += screws[k].rate * screws[k].weight;
      sum.weight += screws[k].weight;
    }
    if (sum.weight > 0) h.u[e] = transposed(axes) * (sum.rate / sum.weight);
    if (!with_torsion) h.u[e].z = 0;
    axes = axes * HelixArc(h.u[e], h.length).rotation();
  }
  h.update();
  return h;
}

}  // namespace

HelixFit fit_helix(std::span<const Vec3d> vertices, int elements, Vec3d m1, Vec3d tangent) {
  Line line{vertices, {0}, 0, !(norm(tangent) > 0)};
  for (std::size_t k = 1; k < vertices.size(); ++k) {
    line.length += norm(vertices[k] - vertices[k - 1]);
    line.part.push_back(line.length);
  }
  for (double& p : line.part) p /= line.length;
  HelixFit best;
  best.error = std::numeric_limits<double>::infinity();
  for (const bool with_torsion : {true, false}) {
    const HelixFit found = improved(line, guess(line, elements, m1, tangent, with_torsion));
    if (found.error < best.error) best = found;
    if (best.error < good_enough * line.length) return best;
  }
  SuperHelix straight = guess(line, elements, m1, tangent, false);
  std::fill_n(straight.u, SuperHelix::max_elements, Vec3d{0, 0, 0});
  straight.update();
  const HelixFit found = improved(line, straight);
  return found.error < best.error ? found : best;
}

}  // namespace ymir
