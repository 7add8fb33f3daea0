// A plant as contacts see it: its parts (branches, leaves, trunks) end in points that follow slots of its nodes.
//
//   x_v = sum N_vs q_s,   q: x_i and l F_i e_k of the nodes [m]
//
// Points of branches follow the field itself; of leaves and trunks, where the field has very many nodes in reach, the
// few nearest to it, by the same least squares (embedded_at).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/data/elaston_cloud.h"
#include "ymir/objects/elaston_reach.h"

namespace ymir {

class ElastonBoundary {
 public:
  struct Share {
    std::int32_t slot;  // of the plant
    double weight;
  };

  ElastonBoundary() = default;
  // parts: of one plant, whose nodes count from first_node.
  ElastonBoundary(std::span<const ElastonCloud::Part> parts, const ElastonCloud& cloud, const ElastonReach& reach,
                  std::int32_t first_node);

  std::int32_t points() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  std::int32_t first_point(std::size_t part) const { return first_of_part_[part]; }
  std::span<const Share> shares(std::int32_t point) const {
    return {shares_.data() + first_[static_cast<std::size_t>(point)],
            shares_.data() + first_[static_cast<std::size_t>(point) + 1]};
  }
  // slots: those of the plant.
  Vec3d place(std::int32_t point, std::span<const Vec3d> slots) const;
  // Slots of each point, for the pattern of a matrix.
  std::vector<std::vector<std::int32_t>> slots() const;

 private:
  std::vector<std::int32_t> first_of_part_{0};
  std::vector<std::size_t> first_{0};
  std::vector<Share> shares_;
};

}  // namespace ymir
