#include "ymir/grooms/interpolate.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ymir/base/error.h"
#include "ymir/grooms/root_grid.h"
#include "ymir/grooms/strand_signature.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr std::size_t most_surroundings = 8;

void require_sound(const Curves& curves, const std::string& name) {
  if (curves.strand_count() == 0) throw Error(ExitCode::bad_input, name + ": holds no strands; export it again");
  for (std::size_t s = 0; s < curves.strand_count(); ++s)
    for (const Vec3d& p : points_of(curves, s))
      if (!is_finite(p))
        throw Error(ExitCode::bad_input, fmt::format("{}: strand {}: a vertex is not finite; repair it", name, s));
}

void require_same_strands(const Curves& rest, const Curves& moved, const std::string& name) {
  if (moved.strand_count() != rest.strand_count())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: has {} strands, the guides at rest have {}; use the guides that were simulated", name,
                            moved.strand_count(), rest.strand_count()));
  for (std::size_t s = 0; s < rest.strand_count(); ++s)
    if (points_of(rest, s).size() != points_of(moved, s).size())
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: strand {} has {} vertices, at rest {}; use the guides that were simulated", name, s,
                              points_of(moved, s).size(), points_of(rest, s).size()));
}

// Unit quaternion w + v.
struct Rotation {
  double w = 1;
  Vec3d v;

  Vec3d minus_identity(Vec3d x) const {  // exactly 0 when v is
    const Vec3d c = cross(v, x);
    return (c * w + cross(v, c)) * 2.0;
  }
  Vec3d operator()(Vec3d x) const { return x + minus_identity(x); }
};

struct Frame3 {
  Vec3d t, u, v;  // orthonormal
};

// Rotation that takes one frame to another. R = sum of to x from is exactly symmetric for equal frames, so that the
// rotation is then exactly none.
Rotation rotation_between(const Frame3& from, const Frame3& to) {
  double r[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = to.t[i] * from.t[j] + to.u[i] * from.u[j] + to.v[i] * from.v[j];
  // Of the four ways to read a quaternion off a matrix, the one that divides by the largest component.
  const double squares[4] = {1 + r[0][0] + r[1][1] + r[2][2], 1 + r[0][0] - r[1][1] - r[2][2],
                             1 - r[0][0] + r[1][1] - r[2][2], 1 - r[0][0] - r[1][1] + r[2][2]};
  const Vec3d skew(r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
  Rotation q;
  const auto largest = std::max_element(squares, squares + 4) - squares;
  if (largest == 0) {
    q.w = squares[0];
    q.v = skew;
  } else {
    const int i = static_cast<int>(largest) - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q.w = skew[i];
    q.v[i] = squares[largest];
    q.v[j] = r[i][j] + r[j][i];
    q.v[k] = r[i][k] + r[k][i];
  }
  const double length = std::sqrt(q.w * q.w + dot(q.v, q.v));
  q.v = q.v / length;
  q.w = q.v == Vec3d() ? 1 : q.w / length;
  return q;
}

Vec3d tangent_at(std::span<const Vec3d> points, std::size_t i, Vec3d before) {
  const Vec3d in = i > 0 ? normalized(points[i] - points[i - 1], Vec3d()) : Vec3d();
  const Vec3d out = i + 1 < points.size() ? normalized(points[i + 1] - points[i], Vec3d()) : Vec3d();
  const Vec3d sum = in + out;
  return norm(sum) > 1e-9 ? normalized(sum) : before;  // coincident vertices or a hairpin
}

// First direction of a strand that has one.
Vec3d first_tangent(std::span<const Vec3d> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3d t = tangent_at(points, i, Vec3d());
    if (t != Vec3d()) return t;
  }
  return {0, 1, 0};
}

// Rotation that best takes the vectors `from` to `to` (Horn, "Closed-form solution of absolute orientation using unit
// quaternions", 1987): the eigenvector of the largest eigenvalue of a symmetric 4 x 4 matrix. Vectors along one line
// leave a turn about it open; then the smallest rotation between the tangents, given first, decides.
Rotation best_rotation(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  double s[3][3] = {};
  for (std::size_t i = 0; i < from.size(); ++i)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) s[a][b] += from[i][a] * to[i][b];
  Eigen::Matrix4d n;
  n << s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0],  //
      s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2],   //
      s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1],   //
      s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(n);
  const Eigen::Vector4d values = solver.eigenvalues(), q = solver.eigenvectors().col(3);
  if (values[3] - values[2] > 1e-6 * std::abs(values[3])) return {q[0], {q[1], q[2], q[3]}};
  const Vec3d u = any_perpendicular(from[0]), moved = transported(u, from[0], to[0]);
  return rotation_between({from[0], u, cross(from[0], u)}, {to[0], moved, cross(to[0], moved)});
}

// How the surroundings of every vertex of every guide turned.
std::vector<Rotation> handle_rotations(const InterpolationWeights& weights, const Curves& rest, const Curves& moved) {
  std::vector<Rotation> rotations(rest.positions.size());
  const auto root = [](const Curves& curves, std::size_t g) { return points_of(curves, g).front(); };
  parallel_blocks(static_cast<std::ptrdiff_t>(rest.strand_count()), 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<Vec3d> from, to;
    for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
      const auto a = points_of(rest, g), b = points_of(moved, g);
      if (std::equal(a.begin(), a.end(), b.begin())) {
        bool still = true;
        for (std::size_t k = 0; k < weights.surroundings; ++k) {
          const auto n = static_cast<std::size_t>(weights.surrounding[g * weights.surroundings + k]);
          still = still && root(rest, n) == root(moved, n);
        }
        if (still) continue;
      }
      // Tangents count like a root at the mean distance of the surrounding ones.
      from = {first_tangent(a)};
      to = {first_tangent(b)};
      const Vec3d t0 = from[0], t1 = to[0];
      double reach = 0;
      for (std::size_t k = 0; k < weights.surroundings; ++k)
        reach += norm(root(rest, static_cast<std::size_t>(weights.surrounding[g * weights.surroundings + k])) - a[0]);
      reach /= static_cast<double>(std::max<std::size_t>(weights.surroundings, 1));
      for (std::size_t k = 0; reach > 0 && k < weights.surroundings; ++k) {
        const auto n = static_cast<std::size_t>(weights.surrounding[g * weights.surroundings + k]);
        from.push_back((root(rest, n) - a[0]) / reach);
        to.push_back((root(moved, n) - b[0]) / reach);
        from.push_back(first_tangent(points_of(rest, n)));
        to.push_back(first_tangent(points_of(moved, n)));
      }
      const Rotation skin = best_rotation(from, to);
      Frame3 f{t0, any_perpendicular(t0), {}}, h{t1, {}, {}};
      h.u = transported(skin(f.u), skin(f.t), t1);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const Vec3d ft = tangent_at(a, i, f.t), ht = tangent_at(b, i, h.t);
        f.u = transported(f.u, f.t, ft);
        h.u = transported(h.u, h.t, ht);
        f.t = ft;
        h.t = ht;
        // Rounding must not add up along a strand.
        f.u = normalized(f.u - f.t * dot(f.u, f.t));
        h.u = normalized(h.u - h.t * dot(h.u, h.t));
        f.v = cross(f.t, f.u);
        h.v = cross(h.t, h.u);
        rotations[static_cast<std::size_t>(rest.first[g]) + i] = rotation_between(f, h);
      }
    }
  });
  return rotations;
}

// A place on a guide that moves on with growing arc length.
struct Cursor {
  std::span<const Vec3d> points;
  std::size_t segment = 0;
  double begin = 0;     // arc length where the segment begins [m]
  double fraction = 0;  // along it

  void advance(double s) {
    while (segment + 1 < points.size()) {
      const double length = norm(points[segment + 1] - points[segment]);
      if (s < begin + length) {
        fraction = (s - begin) / length;
        return;
      }
      begin += length;
      ++segment;
    }
    fraction = 0;
  }
};

}  // namespace

InterpolationWeights precompute_interpolation(const Curves& groom, const Curves& guides_rest, int neighbours,
                                              const std::string& groom_name, const std::string& guides_name) {
  YMIR_CHECK(neighbours >= 1);
  require_sound(groom, groom_name);
  require_sound(guides_rest, guides_name);
  const std::size_t guides = guides_rest.strand_count(), hairs = groom.strand_count();
  std::vector<StrandSignature> signatures(guides);
  std::vector<Vec3d> roots(guides);
  for (std::size_t g = 0; g < guides; ++g) {
    signatures[g] = signature_of(points_of(guides_rest, g));
    roots[g] = signatures[g][0];
  }
  const RootGrid grid(roots);
  InterpolationWeights weights;
  weights.neighbours = std::min(static_cast<std::size_t>(neighbours), guides);
  weights.guide.resize(hairs * weights.neighbours);
  weights.weight.resize(hairs * weights.neighbours);
  parallel_blocks(static_cast<std::ptrdiff_t>(hairs), 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const std::size_t k = weights.neighbours;
    for (auto h = static_cast<std::size_t>(begin); h < static_cast<std::size_t>(end); ++h) {
      const StrandSignature signature = signature_of(points_of(groom, h));
      std::vector<std::pair<double, std::int32_t>> near;
      for (const std::int32_t g : grid.nearest(signature[0], 4 * k + 4))
        near.emplace_back(std::sqrt(distance2(signature, signatures[static_cast<std::size_t>(g)])), g);
      std::sort(near.begin(), near.end());
      // Modified Shepard: ((1 - d / d_out) / d)^2 with the first guide left out at d_out.
      const double out = near.size() > k ? near[k].first : 2 * near[k - 1].first;
      double sum = 0;
      for (std::size_t j = 0; j < k; ++j) {
        const double d = near[j].first;
        double w = d > 0 ? std::pow((out - d) / (out * d), 2) : 0;
        if (near[0].first == 0) w = j == 0;
        if (near[0].first == out) w = 1;
        weights.guide[h * k + j] = near[j].second;
        weights.weight[h * k + j] = w;
        sum += w;
      }
      for (std::size_t j = 0; j < k; ++j) weights.weight[h * k + j] /= sum;
    }
  });
  weights.surroundings = std::min(most_surroundings, guides - 1);
  for (std::size_t g = 0; g < guides; ++g) {
    std::vector<std::int32_t> around = grid.nearest(roots[g], weights.surroundings + 1);
    // Guides may share a root, so this one need not come first, or at all.
    const auto self = std::find(around.begin(), around.end(), static_cast<std::int32_t>(g));
    around.erase(self != around.end() ? self : around.end() - 1);
    weights.surrounding.insert(weights.surrounding.end(), around.begin(), around.end());
  }
  return weights;
}

Curves interpolate(const Curves& groom, const InterpolationWeights& weights, const Curves& guides_rest,
                   const Curves& guides_moved, const std::string& moved_name) {
  YMIR_CHECK(weights.guide.size() == groom.strand_count() * weights.neighbours);
  require_sound(guides_moved, moved_name);
  require_same_strands(guides_rest, guides_moved, moved_name);
  const std::vector<Rotation> rotations = handle_rotations(weights, guides_rest, guides_moved);
  Curves out = groom;
  const auto hairs = static_cast<std::ptrdiff_t>(groom.strand_count());
  parallel_blocks(hairs, 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<Cursor> cursors(weights.neighbours);
    for (auto h = static_cast<std::size_t>(begin); h < static_cast<std::size_t>(end); ++h) {
      const std::int32_t* guide = &weights.guide[h * weights.neighbours];
      const double* weight = &weights.weight[h * weights.neighbours];
      for (std::size_t j = 0; j < cursors.size(); ++j)
        cursors[j] = {points_of(guides_rest, static_cast<std::size_t>(guide[j]))};
      double s = 0;
      for (auto v = static_cast<std::size_t>(groom.first[h]); v < static_cast<std::size_t>(groom.first[h + 1]); ++v) {
        const Vec3d x = groom.positions[v];
        if (v > static_cast<std::size_t>(groom.first[h])) s += norm(x - groom.positions[v - 1]);
        Vec3d rest, shift;
        Rotation q{0, {}};
        for (std::size_t j = 0; j < cursors.size(); ++j) {
          if (weight[j] == 0) continue;
          Cursor& cursor = cursors[j];
          cursor.advance(s);
          const auto at =
              static_cast<std::size_t>(guides_rest.first[static_cast<std::size_t>(guide[j])]) + cursor.segment;
          for (std::size_t e = 0; e < (cursor.fraction > 0 ? 2u : 1u); ++e) {
            const double w = weight[j] * (e == 0 ? 1 - cursor.fraction : cursor.fraction);
            const Rotation& r = rotations[at + e];
            rest += guides_rest.positions[at + e] * w;
            shift += (guides_moved.positions[at + e] - guides_rest.positions[at + e]) * w;
            const double sign = q.w * r.w + dot(q.v, r.v) < 0 ? -w : w;  // q and -q are one rotation
            q.w += r.w * sign;
            q.v += r.v * sign;
          }
        }
        const double length = std::sqrt(q.w * q.w + dot(q.v, q.v));
        if (length > 0) q = {q.w / length, q.v / length};
        out.positions[v] = x + (shift + q.minus_identity(x - rest));
      }
    }
  });
  return out;
}

}  // namespace ymir
