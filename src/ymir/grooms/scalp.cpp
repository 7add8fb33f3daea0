#include "ymir/grooms/scalp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "ymir/base/error.h"
#include "ymir/base/random.h"

namespace ymir {
namespace {

void require_mesh(const Surface& surface, const std::string& name) {
  if (surface.triangles.empty())
    throw Error(ExitCode::bad_input, name + ": has no triangles, so no hair can grow on it; export a mesh with faces");
  const auto count = static_cast<std::int32_t>(surface.positions.size());
  for (const auto& t : surface.triangles)
    for (const std::int32_t v : t)
      if (v < 0 || v >= count)
        throw Error(ExitCode::bad_input, name + ": a triangle uses a vertex that does not exist; export it again");
  if (!std::all_of(surface.positions.begin(), surface.positions.end(), [](Vec3d p) { return is_finite(p); }))
    throw Error(ExitCode::bad_input, name + ": a vertex is not finite; export the mesh again");
}

Surface checked(Surface surface, const std::string& name) {
  require_mesh(surface, name);
  return surface;
}

// Accepted points by cell; a cell is at least as wide as the distance asked for, so neighbours hold all that is near.
class PointGrid {
 public:
  PointGrid(const std::vector<Root>& roots, double cell) : roots_(roots), cell_(cell) {
    for (std::size_t i = 0; i < roots.size(); ++i) add(i);
  }
  void add(std::size_t i) { cells_[key(cell_of(roots_[i].position))].push_back(i); }
  // Squared distance to the nearest point, or bound2 when none is nearer.
  double nearest2(Vec3d x, double bound2) const {
    const Cell c = cell_of(x);
    for (int k = -1; k <= 1; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const auto found = cells_.find(key({c.x + i, c.y + j, c.z + k}));
          if (found == cells_.end()) continue;
          for (const std::size_t p : found->second) {
            const Vec3d d = roots_[p].position - x;
            bound2 = std::min(bound2, dot(d, d));
          }
        }
    return bound2;
  }

 private:
  using Cell = Vec3<std::int64_t>;
  Cell cell_of(Vec3d x) const {
    // Far from the origin of a minute mesh, cells stop telling points apart before their numbers overflow.
    const auto number = [&](double v) {
      return static_cast<std::int64_t>(std::clamp(std::floor(v / cell_), -1e15, 1e15));
    };
    return {number(x.x), number(x.y), number(x.z)};
  }
  static std::uint64_t key(Cell c) {
    return hash_combine(hash_combine(static_cast<std::uint64_t>(c.x), static_cast<std::uint64_t>(c.y)),
                        static_cast<std::uint64_t>(c.z));
  }

  const std::vector<Root>& roots_;
  double cell_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells_;
};

}  // namespace

Scalp::Scalp(Surface surface, const ScalpOptions& options, const std::string& name)
    : surface_(checked(std::move(surface), name)), bvh_(surface_), border_(surface_) {
  find_normals();
  find_region(options, name);
}

void Scalp::find_normals() {
  normals_.assign(surface_.positions.size(), {});
  for (std::size_t i = 0; i < surface_.triangles.size(); ++i) {
    const auto& t = surface_.triangles[i];
    const Vec3d a = surface_.positions[t[0]], b = surface_.positions[t[1]], c = surface_.positions[t[2]];
    // The hierarchy knows which side is out, also for a mesh turned inside out.
    ClosestPoint middle;
    middle.triangle = static_cast<std::int32_t>(i);
    middle.barycentric = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    const Vec3d weighted = bvh_.pseudo_normal(middle) * norm(cross(b - a, c - a));
    for (const std::int32_t v : t) normals_[v] += weighted;
  }
  for (Vec3d& n : normals_) n = normalized(n, Vec3d(0, 1, 0));
}

void Scalp::find_region(const ScalpOptions& options, const std::string& name) {
  density_.assign(surface_.positions.size(), 1);
  const Array* channel = surface_.vertices.find(options.channel);
  if (channel != nullptr) {
    if (!channel->holds<float>())
      throw Error(ExitCode::bad_input, fmt::format("{}: the channel {} does not hold one float per vertex; paint a "
                                                   "density from 0 to 1",
                                                   name, options.channel));
    const auto values = channel->as<float>();
    for (std::size_t v = 0; v < density_.size(); ++v)
      density_[v] = values[v] >= 0 && values[v] <= 1 ? static_cast<double>(values[v]) : values[v] > 1 ? 1 : 0;
  } else if (options.channel != ScalpOptions().channel) {
    throw Error(ExitCode::bad_input,
                fmt::format("{}: has no vertex channel {}; paint one, or leave out the region", name, options.channel));
  }
  if (options.max_angle || channel == nullptr) {
    const double lowest = std::cos(options.max_angle.value_or(std::numbers::pi / 2));
    for (std::size_t v = 0; v < density_.size(); ++v)
      if (normals_[v].y < lowest) density_[v] = 0;
  }
  double envelope = 0;
  cumulative_.reserve(surface_.triangles.size());
  for (const auto& t : surface_.triangles) {
    const Vec3d a = surface_.positions[t[0]], b = surface_.positions[t[1]], c = surface_.positions[t[2]];
    const double triangle_area = 0.5 * norm(cross(b - a, c - a));
    envelope += triangle_area * std::max({density_[t[0]], density_[t[1]], density_[t[2]]});
    area_ += triangle_area * (density_[t[0]] + density_[t[1]] + density_[t[2]]) / 3;
    cumulative_.push_back(envelope);
    for (const std::int32_t v : t)
      if (density_[v] > 0.05) region_.include(surface_.positions[v]);
  }
  if (!(area_ > 0) || region_.empty())
    throw Error(ExitCode::bad_input,
                name + ": no part of the mesh may grow hair; widen the angle or paint the channel scalp");
}

Root Scalp::root_at(std::size_t triangle, Vec3d weights) const {
  const auto& t = surface_.triangles[triangle];
  return {
      surface_.positions[t[0]] * weights.x + surface_.positions[t[1]] * weights.y +
          surface_.positions[t[2]] * weights.z,
      normalized(normals_[t[0]] * weights.x + normals_[t[1]] * weights.y + normals_[t[2]] * weights.z, Vec3d(0, 1, 0))};
}

// Best of a few candidates with an early end: the first candidate at least `spacing` from all earlier roots is taken,
// where spacing is 0.7 of the widest possible for i + 1 points. Every prefix is then evenly spread.
std::vector<Root> Scalp::roots(std::size_t count, std::uint64_t seed) const {
  constexpr int most_candidates = 24;
  std::vector<Root> roots;
  roots.reserve(count);
  const auto spacing = [&](std::size_t points) {
    return 0.7 * std::sqrt(2 / std::sqrt(3.0) * area_ / static_cast<double>(points));
  };
  const auto candidate = [&](Random& random) {
    for (;;) {
      const double pick = random.uniform() * cumulative_.back();
      const auto triangle = static_cast<std::size_t>(
          std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, pick) - cumulative_.begin());
      const double r = std::sqrt(random.uniform()), u = random.uniform();
      const Vec3d weights(1 - r, r * (1 - u), r * u);
      const auto& t = surface_.triangles[triangle];
      const double density = density_[t[0]] * weights.x + density_[t[1]] * weights.y + density_[t[2]] * weights.z;
      if (random.uniform() * std::max({density_[t[0]], density_[t[1]], density_[t[2]]}) < density)
        return root_at(triangle, weights);
    }
  };
  std::size_t level = 1;
  std::optional<PointGrid> grid(std::in_place, roots, spacing(level));
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= 2 * level) {
      level = i;
      grid.emplace(roots, spacing(level));
    }
    Random random(seed, i);
    const double wanted2 = spacing(i + 1) * spacing(i + 1);
    Root best;
    double best2 = -1;
    for (int k = 0; k < most_candidates && best2 < wanted2; ++k) {
      const Root root = candidate(random);
      const double d2 = grid->nearest2(root.position, wanted2);
      if (d2 > best2) best2 = d2, best = root;
    }
    roots.push_back(best);
    grid->add(i);
  }
  return roots;
}

SkinContact Scalp::contact(Vec3d x, double bound) const {
  const ClosestPoint closest = bvh_.closest(x, bound);
  if (closest.triangle < 0) return {};
  const Root foot = root_at(static_cast<std::size_t>(closest.triangle), closest.barycentric);
  const double distance = border_.signed_distance(surface_, bvh_, x, closest);
  return {true, distance, foot.normal};
}

}  // namespace ymir
