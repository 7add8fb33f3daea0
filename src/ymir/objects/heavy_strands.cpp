#include "ymir/objects/heavy_strands.h"

#include <algorithm>
#include <cmath>

#include "ymir/solvers/band_ldl.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;

}  // namespace

void HeavyStrands::set(const StrandReal* matrix, int vertices, bool multipliers, std::span<const double> d,
                       double per_dt2, const EdgeArms* arms) {
  vertices_ = vertices;
  multipliers_ = multipliers;
  const int column = band().half_bandwidth() + 1, per_lane = arms == nullptr ? vertices : EdgeArms::per_lane(vertices);
  matrix_.assign(matrix, matrix + band().entries());
  for (int i = 0; i < vertices; ++i) {
    Real add;
    for (int lane = 0; lane < lanes; ++lane) add.set(lane, d[static_cast<std::size_t>(lane * per_lane + i)] * per_dt2);
    for (int k = 0; k < 3; ++k) matrix_[static_cast<std::size_t>((block() * i + k) * column)] += add;
  }
  if (arms != nullptr) arms->add_masses(d, per_dt2, matrix_.data(), column);
}

template <class Layout>
bool HeavyStrands::factor_as() {
  bool good = true;
  BandLdl<Real, Layout::block, Layout::half_bandwidth>::factor(factor_.data(), vertices_, [&](int, const Real& d) {
    for (int lane = 0; lane < lanes; ++lane)
      good = good && std::isfinite(d[lane]) && (multipliers_ ? d[lane] != 0 : d[lane] > 0);
    return d;
  });
  return good;
}

bool HeavyStrands::factor_without(std::span<const std::size_t> rows) {
  factor_ = matrix_;
  padded_.resize(static_cast<std::size_t>(block() * vertices_ + band().half_bandwidth()));
  band().hold(rows, factor_.data());
  return multipliers_ ? factor_as<MultiplierLayout>() : factor_as<PlainLayout>();
}

void HeavyStrands::solve(const double* r, double* z) const {
  std::fill(padded_.begin(), padded_.end(), Real::all(0));
  std::copy_n(r, size(), reinterpret_cast<double*>(padded_.data()));
  if (multipliers_)
    BandLdl<Real, MultiplierLayout::block, MultiplierLayout::half_bandwidth>::solve(factor_.data(), padded_.data(),
                                                                                    vertices_);
  else
    BandLdl<Real, PlainLayout::block, PlainLayout::half_bandwidth>::solve(factor_.data(), padded_.data(), vertices_);
  std::copy_n(reinterpret_cast<const double*>(padded_.data()), size(), z);
}

}  // namespace ymir
