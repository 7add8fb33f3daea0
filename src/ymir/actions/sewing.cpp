#include "ymir/actions/sewing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "ymir/data/shell_topology.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Stiffness of an exact seam by the inertia m/dt^2 of its vertices: what is missing in one substep is made up for in
// the next ones by the multiplier.
constexpr double exact_stiffness = 1e7;
// Share of the stiffness that counts where residuals are measured, above round-off; with all of it, pairs could be
// anywhere so long as they are together.
constexpr double stiff_share = 1e-9;

class Sewing final : public MeshConstraint {
 public:
  Sewing(const MeshObject& object, std::string owner, std::vector<SewnPair> pairs, const Seam& seam)
      : owner_(std::move(owner)), pairs_(std::move(pairs)), seam_(seam), force_(3 * pairs_.size(), 0) {
    for (const auto& [i, j] : pairs_) {
      nodes_.insert(nodes_.end(), {i, j});
      const SolidMesh& mesh = object.mesh();
      gap_.push_back(norm(mesh.positions[at(j)] - mesh.positions[at(i)]));
      mass_.push_back(std::min(object.mass()[at(i)], object.mass()[at(j)]));
    }
    next_.resize(pairs_.size());
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "seams"; }
  BlockMatrix::Elements elements() const override { return {nodes_, 2}; }
  std::span<double> state() override { return force_; }

  void assemble(MeshStep& s) override {
    const double passed = (s.time - seam_.begin) / seam_.close_time, open = 1 - std::clamp(passed, 0.0, 1.0);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [i, j] = pairs_[p];
      const double k = seam_.stiffness.value_or(exact_stiffness * mass_[p] / (s.dt * s.dt));
      const Vec3d d = s.position[at(j)] - s.position[at(i)];
      const Vec3d held{force_[3 * p], force_[3 * p + 1], force_[3 * p + 2]};
      const double length = norm(d), rest = open * gap_[p];
      Vec3d pull = held + d * k, direction{0, 0, 0};
      double along = 0, across = k;  // stiffness beyond `across` in the direction of the pair
      if (rest > 0 && length > 0) {
        direction = d / length;
        const double tension = dot(held, direction) + k * (length - rest);
        pull = direction * tension;
        across = std::max(tension, 0.0) / length;  // what pushes has no geometric part: the matrix stays definite
        along = k - across;
      }
      next_[p] = seam_.stiffness ? Vec3d{0, 0, 0} : pull;
      s.residual[at(i)] -= pull;
      s.residual[at(j)] += pull;
      double* blocks[3] = {s.matrix.diagonal(i), s.matrix.diagonal(j),
                           s.matrix.block(s.matrix.slot(std::max(i, j), std::min(i, j)))};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const double value = along * direction[r] * direction[c] + (r == c ? across : 0);
          blocks[0][3 * r + c] += value;
          blocks[1][3 * r + c] += value;
          blocks[2][3 * r + c] -= value;
          if (r == c)
            for (const std::int32_t v : {i, j}) s.scale[at(v)][r] += stiff_share * value;
        }
    }
  }

  void end(const MeshStep&) override {
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      for (int k = 0; k < 3; ++k) force_[3 * p + static_cast<std::size_t>(k)] = next_[p][k];
  }

 private:
  std::string owner_;
  std::vector<SewnPair> pairs_;
  Seam seam_;
  std::vector<std::int32_t> nodes_;
  std::vector<double> gap_;    // in the beginning [m]
  std::vector<double> mass_;   // of the lighter vertex [kg]
  std::vector<double> force_;  // multipliers of exact pairs, 3 each [N]
  std::vector<Vec3d> next_;    // at the present iterate [N]
};

}  // namespace

std::vector<SewnPair> facing_vertices(const SolidMesh& cloth, double range) {
  const ShellTopology topology = shell_topology(cloth.cells, cloth.positions.size());
  std::vector<std::vector<std::int32_t>> neighbours(cloth.positions.size());
  std::vector<char> rim(cloth.positions.size(), 0);
  for (std::size_t k = 0; k < cloth.cells.size(); ++k) {
    const std::int32_t a = cloth.cells[k], b = cloth.cells[k - k % 3 + (k + 1) % 3];
    neighbours[at(a)].push_back(b);
    neighbours[at(b)].push_back(a);
    if (topology.sides[k].across < 0) rim[at(a)] = rim[at(b)] = 1;
  }
  // Rim vertices along x: those within range of one are near it in the list.
  std::vector<std::int32_t> list;
  for (std::size_t v = 0; v < rim.size(); ++v)
    if (rim[v] != 0) list.push_back(static_cast<std::int32_t>(v));
  std::sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) {
    return cloth.positions[at(a)].x < cloth.positions[at(b)].x ||
           (cloth.positions[at(a)].x == cloth.positions[at(b)].x && a < b);
  });
  // Whether edges lead from a to within `range` of it on a way no longer than three times that.
  const auto reached = [&](std::int32_t from) {
    std::map<std::int32_t, double> way{{from, 0}};
    std::priority_queue<std::pair<double, std::int32_t>, std::vector<std::pair<double, std::int32_t>>, std::greater<>>
        front;
    front.emplace(0, from);
    while (!front.empty()) {
      const auto [length, v] = front.top();
      front.pop();
      if (length > way[v]) continue;
      for (const std::int32_t w : neighbours[at(v)]) {
        const double next = length + norm(cloth.positions[at(w)] - cloth.positions[at(v)]);
        const auto [known, fresh] = way.try_emplace(w, std::numeric_limits<double>::infinity());
        if (next > 3 * range || next >= known->second) continue;
        known->second = next;
        front.emplace(next, w);
      }
    }
    return way;
  };
  std::vector<SewnPair> pairs;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Vec3d x = cloth.positions[at(list[k])];
    const auto way = reached(list[k]);
    double least = std::numeric_limits<double>::infinity();
    std::int32_t nearest = -1;
    const auto consider = [&](std::int32_t v) {
      const double distance = norm(cloth.positions[at(v)] - x);
      const auto known = way.find(v);
      if (distance > range || (known != way.end() && known->second <= 3 * range)) return;
      if (distance < least || (distance == least && v < nearest)) least = distance, nearest = v;
    };
    for (std::size_t l = k + 1; l < list.size() && cloth.positions[at(list[l])].x <= x.x + range; ++l)
      consider(list[l]);
    for (std::size_t l = k; l-- > 0 && cloth.positions[at(list[l])].x >= x.x - range;) consider(list[l]);
    if (nearest >= 0) pairs.push_back({std::min(list[k], nearest), std::max(list[k], nearest)});
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

void add_sewing(MeshObject& object, const std::string& owner, std::vector<SewnPair> pairs, const Seam& seam) {
  object.add_constraint(std::make_unique<Sewing>(object, owner, std::move(pairs), seam));
}

}  // namespace ymir
