// The same arithmetic on plain contiguous arrays with one layer of padding, from the same allocator as the tiles (huge
// pages, staggered starts): the speed a Discrete Volume is measured against.
#include <algorithm>

#include "stencil_case.h"
#include "ymir/data/tile_buffer.h"

namespace ymir::bench {
namespace {

class DenseStencil final : public StencilSolver {
 public:
  explicit DenseStencil(const StencilCase& scene)
      : scene_(scene), row_(scene.n + 16), layer_(static_cast<std::ptrdiff_t>(row_) * (scene.n + 2)) {
    const auto size = static_cast<std::size_t>(layer_) * static_cast<std::size_t>(scene.n + 2) * sizeof(float);
    for (std::size_t a = 0; a < 6; ++a) {
      buffers_[a] = std::make_unique<TileBuffer>(size, static_cast<int>(a));
      arrays_[a] = reinterpret_cast<float*>(buffers_[a]->data());
    }
    const int n = scene.n;
#pragma omp parallel for schedule(static)
    for (int k = -1; k <= n; ++k)
      for (float* array : arrays_) std::fill_n(array + (k + 1) * layer_, layer_, 0.f);
#pragma omp parallel for schedule(static)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          if (!scene_.present(i / 8, j / 8, k / 8)) continue;
          const std::ptrdiff_t p = at(i, j, k);
          const Vec3i v{i, j, k};
          arrays_[0][p] = scene_.diagonal(v);
          for (int axis = 0; axis < 3; ++axis) arrays_[1 + axis][p] = scene_.face(v, axis);
          arrays_[4][p] = scene_.x(v);
        }
  }

  const char* name() const override { return "dense_array"; }

  void apply() override {
    const int n = scene_.n;
    const std::ptrdiff_t row = row_, layer = layer_;
#pragma omp parallel for schedule(static)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const std::ptrdiff_t p = at(0, j, k);
        const float *d = arrays_[0] + p, *cx = arrays_[1] + p, *cy = arrays_[2] + p, *cz = arrays_[3] + p;
        const float* x = arrays_[4] + p;
        float* y = arrays_[5] + p;
#pragma omp simd
        for (std::ptrdiff_t i = 0; i < n; ++i)
          y[i] = d[i] * x[i] - (cx[i] * x[i - 1] + cx[i + 1] * x[i + 1] + cy[i] * x[i - row] +
                                cy[i + row] * x[i + row] + cz[i] * x[i - layer] + cz[i + layer] * x[i + layer]);
      }
  }

  std::uint64_t hash() const override {
    std::uint64_t sum = 0;
    const int n = scene_.n;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          if (scene_.present(i / 8, j / 8, k / 8)) sum += scene_.hash({i, j, k}, arrays_[5][at(i, j, k)]);
    return sum;
  }

 private:
  std::ptrdiff_t at(int i, int j, int k) const { return (k + 1) * layer_ + std::ptrdiff_t{j + 1} * row_ + i + 8; }

  StencilCase scene_;
  int row_;  // floats between rows: 8 before and after keep rows aligned
  std::ptrdiff_t layer_;
  std::unique_ptr<TileBuffer> buffers_[6];  // d, cx, cy, cz, x, y
  float* arrays_[6];
};

}  // namespace

std::unique_ptr<StencilSolver> make_dense_stencil(const StencilCase& scene) {
  return std::make_unique<DenseStencil>(scene);
}

}  // namespace ymir::bench
