#include "ymir/actions/cloth_drag.h"

#include <algorithm>

#include "ymir/actions/element_scatter.h"

namespace ymir {
namespace {

class ClothDrag final : public MeshConstraint {
 public:
  ClothDrag(const MeshObject& object, std::string owner, const ClothDragParams& params, PrescribedField wind)
      : mesh_(&object.mesh()), owner_(std::move(owner)), params_(params), wind_(std::move(wind)) {
    const std::size_t n = mesh_->cell_count();
    normal_.resize(n);
    planes_.assign(6 * n, 0);
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "drag"; }
  BlockMatrix::Elements elements() const override { return {mesh_->cells, 3}; }
  void connect(const BlockMatrix& matrix) override { scatter_.connect(matrix, mesh_->cells, 3); }

  void begin(const MeshStep& s) override {
    const std::size_t n = mesh_->cell_count();
    double* p = planes_.data();
    for (std::size_t t = 0; t < n; ++t) {
      const Vec3d x0 = s.begin[node(t, 0)], x1 = s.begin[node(t, 1)], x2 = s.begin[node(t, 2)];
      normal_[t] = cross(x1 - x0, x2 - x0) * 0.5;
      const Vec3d centre = (x0 + x1 + x2) / 3;
      for (int k = 0; k < 3; ++k) p[static_cast<std::size_t>(k) * n + t] = centre[k];
    }
    wind_.sample(static_cast<int>(n), {p, p + n, p + 2 * n}, s.time, {p + 3 * n, p + 4 * n, p + 5 * n});
  }

  void assemble(MeshStep& s) override {
    const std::size_t n = mesh_->cell_count();
    const double* wind = planes_.data() + 3 * n;
    for (std::size_t t = 0; t < n; ++t) {
      const double area = norm(normal_[t]);
      if (!(area > 0)) continue;
      const Vec3d across = normal_[t] / area;
      Vec3d air{wind[t], wind[n + t], wind[2 * n + t]};
      for (int a = 0; a < 3; ++a) air -= (s.position[node(t, a)] - s.begin[node(t, a)]) / (3 * s.dt);
      const double through = dot(air, across), half = 0.5 * params_.fluid_density * area;
      const Vec3d along = air - across * through;
      const double speed = norm(along);
      const Vec3d force =
          (across * (params_.pressure * std::abs(through) * through) + along * (params_.friction * speed)) * half;
      // -df/dv = k_n nn' + k_t ((I - nn') + tt'), a third of it at each vertex
      const double k_n = 2 * params_.pressure * std::abs(through) * half, k_t = params_.friction * speed * half;
      const Vec3d direction = speed > 0 ? along / speed : Vec3d{0, 0, 0};
      double h[packed_size(9)][1];
      const double share = 1 / (9 * s.dt);
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j <= i; ++j) {
          const int r = i % 3, c = j % 3;
          h[packed(i, j)][0] =
              share * ((k_n - k_t) * across[r] * across[c] + (r == c ? k_t : 0) + k_t * direction[r] * direction[c]);
        }
      for (int a = 0; a < 3; ++a) {
        s.residual[node(t, a)] -= force / 3;
        for (int k = 0; k < 3; ++k) s.scale[node(t, a)][k] += h[packed(3 * a + k, 3 * a + k)][0];
      }
      scatter_.add(s.matrix, t, h, 0);
    }
  }

 private:
  std::size_t node(std::size_t t, int a) const {
    return static_cast<std::size_t>(mesh_->cells[3 * t + static_cast<std::size_t>(a)]);
  }

  const SolidMesh* mesh_;
  std::string owner_;
  ClothDragParams params_;
  PrescribedField wind_;
  std::vector<Vec3d> normal_;   // by area, when the substep began [m^2]
  std::vector<double> planes_;  // centres [m] and wind there [m/s]
  ElementScatter<3> scatter_;
};

}  // namespace

void add_cloth_drag(MeshObject& object, const std::string& owner, const ClothDragParams& params, PrescribedField wind) {
  object.add_constraint(std::make_unique<ClothDrag>(object, owner, params, std::move(wind)));
}

}  // namespace ymir
