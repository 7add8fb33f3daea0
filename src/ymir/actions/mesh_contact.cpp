#include "ymir/actions/mesh_contact.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/mesh_cells.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/sticking_penalty.h"

namespace ymir {
namespace {

class MeshContact final : public MeshConstraint {
 public:
  MeshContact(MeshObject& object, std::string owner, SolidDuring solid, const MeshContactParams& params)
      : object_(&object), owner_(std::move(owner)), solid_(std::move(solid)), params_(params) {
    const Surface& skin = object.mesh().skin;
    points_ = object.mesh().embedded;
    mass_.assign(points_.size(), 0);
    double whole = 0, volume = 0;
    for (std::size_t i = 0; i < object.mass().size(); ++i) {
      whole += object.mass()[i];
      volume += object.volume()[i];
    }
    const double thickness = object.mesh().thickness, deep = object.cloth() ? thickness : std::cbrt(volume);
    for (std::size_t k = 0; k < skin.triangles.size(); ++k) {
      const auto& t = skin.triangles[k];
      const auto corner = [&](std::size_t c) { return skin.positions[static_cast<std::size_t>(t[c])]; };
      const double area = 0.5 * norm(cross(corner(1) - corner(0), corner(2) - corner(0)));
      const double mass = area * deep * whole / volume;
      const double longest =
          std::max({norm(corner(1) - corner(0)), norm(corner(2) - corner(1)), norm(corner(0) - corner(2))});
      if (object.cloth() || !(longest > 2 * object.mean_edge())) {
        for (const std::int32_t i : t) mass_[static_cast<std::size_t>(i)] += mass / 3;
      } else {
        sample(static_cast<std::int32_t>(k), std::min(std::ceil(longest / object.mean_edge()), most_parts), mass);
      }
    }
    // What begins nearer than it may stays as near: it is not pushed out.
    const auto at = solid_(0, 0);
    const double kept = params.thickness + (object.cloth() ? thickness / 2 : 0);
    for (const Vec3d& x : points_at(object.start())) clearance_.push_back(std::min(kept, at(x).distance));
    touched_.resize(clearance_.size());
    friction_.assign(3 * clearance_.size(), 0);
    next_friction_.resize(clearance_.size());
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact"; }
  BlockMatrix::Elements elements() const override { return {{}, 0}; }
  bool divisible() const override { return true; }
  void restrict_to(std::span<const std::int32_t> cells) override {
    elsewhere_.assign(points_.size(), 1);
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (std::binary_search(cells.begin(), cells.end(), points_[p].cell)) elsewhere_[p] = 0;
  }
  double penetration() const override { return deepest_; }
  std::span<double> state() override { return friction_; }

  void begin(const MeshStep& s) override {
    solid_at_end_ = solid_(s.time - s.dt, s.time);
    start_ = points_at(s.begin);
    slid_.assign(start_.size(), Vec3d{0, 0, 0});
  }

  void assemble(MeshStep& s) override {
    const std::vector<Vec3d> x = points_at(s.position);
    parallel_for(static_cast<std::ptrdiff_t>(x.size()), [&](std::ptrdiff_t i) {
      if (here(static_cast<std::size_t>(i)))
        touched_[static_cast<std::size_t>(i)] =
            touched_on_the_way(solid_at_end_, start_[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(i)]);
    });
    deepest_ = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!here(i)) continue;
      const double depth = clearance_[i] - touched_[i].distance;
      next_friction_[i] = {0, 0, 0};
      if (!(depth > 0 && mass_[i] > 0)) continue;  // a vertex of no triangle has no mass
      deepest_ = std::max(deepest_, -touched_[i].distance);
      next_friction_[i] = add(s, i, depth, touched_[i].normal, x[i] - start_[i] - touched_[i].carried);
    }
  }

  void end(const MeshStep&) override {
    for (std::size_t i = 0; i < next_friction_.size(); ++i)
      for (int k = 0; k < 3 && here(i); ++k) friction_[3 * i + static_cast<std::size_t>(k)] = next_friction_[i][k];
  }

 private:
  static constexpr double most_parts = 32;

  bool here(std::size_t point) const { return elsewhere_.empty() || elsewhere_[point] == 0; }

  // A triangle larger than the cells under it also touches between its corners: at those of `parts`^2 equal ones.
  void sample(std::int32_t triangle, double parts, double mass) {
    const auto& t = object_->mesh().skin.triangles[static_cast<std::size_t>(triangle)];
    const int n = static_cast<int>(parts);
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n - i; ++j) {
        const int k = n - i - j, zeros = (i == 0 ? 1 : 0) + (j == 0 ? 1 : 0) + (k == 0 ? 1 : 0);
        // A point is a corner of six of them, of three on a side, of one at a corner.
        const double own = mass / (3 * parts * parts) * (zeros == 0 ? 6 : zeros == 1 ? 3 : 1);
        if (zeros == 2) {
          mass_[static_cast<std::size_t>(t[i == n ? 0 : j == n ? 1 : 2])] += own;
          continue;
        }
        points_.push_back(object_->skin_point(triangle, Vec3d(i, j, k) / parts));
        mass_.push_back(own);
      }
  }

  // Vertices of the skin, then the points between those of large triangles, for nodes at `nodes`.
  std::vector<Vec3d> points_at(const std::vector<Vec3d>& nodes) const {
    const SolidMesh& mesh = object_->mesh();
    std::vector<Vec3d> x = object_->skin(nodes);
    for (std::size_t p = x.size(); p < points_.size(); ++p) {
      double weight[Embedding::max_dofs / 3];
      weights_in(mesh, points_[p], weight);
      const int count = nodes_of(mesh.shape);
      Vec3d sum{0, 0, 0};
      for (int a = 0; a < count; ++a)
        sum += nodes[static_cast<std::size_t>(mesh.cells[static_cast<std::size_t>(points_[p].cell * count + a)])] *
               weight[a];
      x.push_back(sum);
    }
    return x;
  }

  // Returns what friction holds against at the end of this substep [N].
  Vec3d add(MeshStep& s, std::size_t vertex, double depth, Vec3d n, Vec3d moved) {
    const StickingPenalty touch(penalty_stiffness(params_.stiffness, mass_[vertex], s.dt),
                                grazing_depth(params_.thickness, clearance_[vertex]), params_.friction, depth, n, moved,
                                {friction_[3 * vertex], friction_[3 * vertex + 1], friction_[3 * vertex + 2]},
                                slid_[vertex]);
    slid_[vertex] = touch.sliding;
    const SolidMesh& mesh = object_->mesh();
    const CellPoint& at = points_[vertex];
    double weight[Embedding::max_dofs / 3];
    weights_in(mesh, at, weight);
    const int count = nodes_of(mesh.shape);
    const std::int32_t* nodes = mesh.cells.data() + static_cast<std::ptrdiff_t>(at.cell) * count;
    for (int a = 0; a < count; ++a) {
      const auto i = static_cast<std::size_t>(nodes[a]);
      s.residual[i] += touch.gradient * weight[a];
      for (int r = 0; r < 3; ++r) s.scale[i][r] += weight[a] * weight[a] * touch.stiffness(n, r, r);
      for (int b = 0; b < count; ++b) {
        if (nodes[b] > nodes[a]) continue;
        double* block = s.matrix.block(s.matrix.slot(nodes[a], nodes[b]));
        const double w = weight[a] * weight[b];
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) block[3 * r + c] += w * touch.stiffness(n, r, c);
      }
    }
    return touch.friction;
  }

  MeshObject* object_;
  std::string owner_;
  SolidDuring solid_;
  MeshContactParams params_;
  std::vector<CellPoint> points_;  // that touch: vertices of the skin, and between those of large triangles
  std::vector<char> elsewhere_;    // each is another rank's; empty: none
  std::vector<double> mass_;       // that each of them carries [kg]
  std::vector<double> clearance_;  // [m]
  SolidAtEnd solid_at_end_;
  std::vector<Vec3d> start_;  // of the points when the substep began [m]
  std::vector<TouchedSolid> touched_;
  std::vector<Vec3d> slid_;           // way that each vertex slid in the iterate before; none: it did not
  std::vector<double> friction_;      // of each vertex when the substep began, 3 each [N]
  std::vector<Vec3d> next_friction_;  // at the present iterate [N]
  double deepest_ = 0;                // [m]
};

}  // namespace

void add_mesh_contact(MeshObject& object, const std::string& owner, SolidDuring solid,
                      const MeshContactParams& params) {
  object.add_constraint(std::make_unique<MeshContact>(object, owner, std::move(solid), params));
}

}  // namespace ymir
