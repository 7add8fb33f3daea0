// Four strands side by side, or less: a band matrix per lane, of `Block` rows to a vertex, the first three of which are
// its position.
//
// Two factors are kept, of M and of M + D; when D changes, M is multiplied out of its factor again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solvers/nodal_contact/edge_arms.h"

namespace ymir {

template <int Block, int HalfBandwidth>
class BandBody final : public NodalBody {
 public:
  static constexpr int lanes = 4;
  static constexpr int column = HalfBandwidth + 1;
  using Real = Lanes<double, lanes>;

  // Node of a vertex.
  std::int32_t node(int lane, int vertex) const { return first_node(lane) + vertex; }

  // mass: of each vertex, 0 where its position is given or the lane has none.
  void set_masses(int vertices, std::span<const Real> mass);
  // Nodes beside the axis, too (nullptr: none); they stay where they are.
  void set_arms(const EdgeArms* arms) { arms_ = arms; }
  // M and f: matrix and side times a number each, as A and -residual are times dt^2 and dt. matrix: columns as in
  // band_ldl.h. False: M has a pivot that cannot be (positive == false: that is 0 or not finite).
  bool set(const Real* matrix, double times, const Real* side, double side_times, bool positive = true);

  int nodes() const override { return first_node(lanes); }
  void describe(std::span<NodeMetric> nodes) const override;
  bool measure(std::span<NodeMetric> nodes) const override;
  int pieces() const override { return lanes; }
  int first_node(int piece) const override {
    return piece * (arms_ == nullptr ? vertices_ : EdgeArms::per_lane(vertices_));
  }
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override { solve(m_.data(), x); }
  void solve_metric(NodeVector* x) override { solve(metric_.data(), x); }

  std::size_t memory() const { return (m_.size() + metric_.size() + side_.size() + mass_.size()) * sizeof(Real); }

 private:
  void measure_arms(const Real* inverse, std::span<NodeMetric> nodes) const;
  bool factor(std::vector<Real>& matrix) const;
  void solve(const Real* factor, NodeVector* x) const;

  int vertices_ = 0;
  bool positive_ = true;
  std::vector<Real> mass_, m_, metric_, side_;
  const EdgeArms* arms_ = nullptr;
};

extern template class BandBody<4, 10>;
extern template class BandBody<5, 12>;

}  // namespace ymir
