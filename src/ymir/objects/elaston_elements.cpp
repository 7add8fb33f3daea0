#include "ymir/objects/elaston_elements.h"

#include <algorithm>
#include <map>

#include "ymir/physics/elastons/elaston.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ElastonElements::ElastonElements(const std::vector<ElastonPoint>& points, const std::vector<Mat3d>& axes,
                                 std::int32_t first_node, std::int32_t node_count, double unit)
    : node_count_(node_count) {
  std::map<std::size_t, std::vector<std::int32_t>> by_reach;
  for (std::size_t e = 0; e < points.size(); ++e)
    by_reach[points[e].nodes.size()].push_back(static_cast<std::int32_t>(e));
  for (auto& [reach, members] : by_reach) {
    Group& group = groups_.emplace_back();
    group.reach = static_cast<int>(reach);
    group.members = std::move(members);
    for (const std::int32_t e : group.members)
      for (const std::int32_t node : points[at(e)].nodes) group.nodes.push_back(node - first_node);
    group.order = order_elements(group.nodes, group.reach, node_count);
    const std::size_t slots = 4 * reach;
    group.shapes.resize(group.order.packs() * slots * vectors, Real::all(0));
    for (std::size_t k = 0; k < group.order.elements.size(); ++k) {
      const std::size_t pack = k / lanes;
      const int lane = static_cast<int>(k % lanes);
      const std::int32_t member = std::max(group.order.elements[k], group.order.elements[pack * lanes]);
      const std::int32_t e = group.members[at(member)];
      group.elements.push_back(group.order.elements[k] < 0 ? -1 : e);
      const Mat3d& r = axes[at(e)];
      for (std::size_t s = 0; s < slots; ++s) {
        const GmlsShape& shape = points[at(e)].shapes[s / 4];
        const double factor = s % 4 == 0 ? 1 : 1 / unit;
        const Vec3d first = transposed(r) * shape.first[s % 4];
        const Mat3d second = transposed(r) * shape.second[s % 4] * r;
        Real* to = group.shapes.data() + (pack * slots + s) * vectors;
        to[0].set(lane, shape.value[s % 4] * factor);
        for (int a = 0; a < 3; ++a) to[1 + a].set(lane, first[a] * factor);
        for (int p = 0; p < 6; ++p) to[4 + p].set(lane, second(Elaston::pair[p][0], Elaston::pair[p][1]) * factor);
      }
    }
  }
}

BlockMatrix ElastonElements::pattern(std::span<const std::vector<std::int32_t>> more) const {
  std::vector<std::vector<std::int32_t>> slots;
  std::vector<BlockMatrix::Elements> lists;
  for (const Group& group : groups_) {
    std::vector<std::int32_t>& all = slots.emplace_back();
    for (const std::int32_t node : group.nodes)
      for (std::int32_t s = 0; s < 4; ++s) all.push_back(4 * node + s);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) lists.push_back({slots[g], 4 * groups_[g].reach});
  for (const std::vector<std::int32_t>& all : more)
    if (!all.empty()) lists.push_back({all, static_cast<int>(all.size())});
  return {4 * node_count_, lists};
}

void ElastonElements::connect(const BlockMatrix& matrix) {
  for (Group& group : groups_) {
    const std::size_t reach = at(group.reach);
    group.blocks.clear();
    for (std::size_t m = 0; m < group.members.size(); ++m)
      for (std::size_t a = 0; a < reach; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
          const std::int32_t i = 4 * group.nodes[m * reach + a], j = 4 * group.nodes[m * reach + b];
          group.blocks.push_back(matrix.slot(i, j) - matrix.starts()[at(j)]);
        }
  }
}

void ElastonElements::for_each_pack(const std::function<void(const Pack&)>& f) const {
  for (const Group& group : groups_) {
    const std::size_t reach = at(group.reach), pairs = packed_size(group.reach);
    group.order.for_each_pack([&](std::size_t p) {
      Pack pack;
      pack.element = group.elements.data() + p * lanes;
      pack.slots = 4 * group.reach;
      pack.shape = group.shapes.data() + p * at(pack.slots) * vectors;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t member =
            at(std::max(group.order.elements[p * lanes + lane], group.order.elements[p * lanes]));
        pack.nodes[lane] = group.nodes.data() + member * reach;
        pack.blocks[lane] = group.blocks.data() + member * pairs;
      }
      f(pack);
    });
  }
}

void ElastonElements::gather(const Pack& pack, std::span<const Vec3d> slots, Field& field) {
  for (Vec3<Real>& v : field) v = {Real::all(0), Real::all(0), Real::all(0)};
  for (int s = 0; s < pack.slots; ++s) {
    Vec3<Real> q;
    for (int lane = 0; lane < lanes; ++lane) {
      const Vec3d& from = slots[at(4 * pack.nodes[lane][s / 4] + s % 4)];
      for (int k = 0; k < 3; ++k) q[k].set(lane, from[k]);
    }
    const Real* shape = pack.shape + s * vectors;
    for (int p = 0; p < vectors; ++p)
      for (int k = 0; k < 3; ++k) field[p][k] = mul_add(shape[p], q[k], field[p][k]);
  }
}

void ElastonElements::scatter(const Pack& pack, const Local& local, std::span<Vec3d> residual, BlockMatrix& matrix) {
  for (int j = 0; j < pack.slots; ++j) {
    const Real* from = pack.shape + j * vectors;
    // H S of this slot, and its share of the gradient.
    Real column[vectors][9];
    Vec3<Real> gradient{Real::all(0), Real::all(0), Real::all(0)};
    for (int p = 0; p < vectors; ++p) {
      for (int k = 0; k < 3; ++k) gradient[k] = mul_add(from[p], local.gradient[p][k], gradient[k]);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          Real sum = Real::all(0);
          for (int q = 0; q < vectors; ++q) sum = mul_add(local.matrix[3 * p + r][3 * q + c], from[q], sum);
          column[p][3 * r + c] = sum;
        }
    }
    for (int lane = 0; lane < lanes; ++lane)
      if (pack.element[lane] >= 0)
        residual[at(4 * pack.nodes[lane][j / 4] + j % 4)] +=
            Vec3d{gradient.x[lane], gradient.y[lane], gradient.z[lane]};
    for (int i = j; i < pack.slots; ++i) {
      const Real* to = pack.shape + i * vectors;
      Real block[9];
      for (Real& value : block) value = Real::all(0);
      for (int p = 0; p < vectors; ++p)
        for (int k = 0; k < 9; ++k) block[k] = mul_add(to[p], column[p][k], block[k]);
      for (int lane = 0; lane < lanes; ++lane) {
        if (pack.element[lane] < 0) continue;
        const std::int32_t b = 4 * pack.nodes[lane][j / 4] + j % 4;
        // Columns of a node have the same rows; each begins with its own diagonal.
        double* target = matrix.block(matrix.starts()[at(b)] + pack.blocks[lane][packed(i / 4, j / 4)] + i % 4 - j % 4);
        for (int k = 0; k < 9; ++k) target[k] += block[k][lane];
      }
    }
  }
}

}  // namespace ymir
