#include "ymir/objects/shared_mesh_solver.h"

#include <algorithm>

#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

SharedMeshSolver::SharedMeshSolver(const MeshShare& share, const BlockMatrix& a) : share_(&share) {
  std::vector<Index> row_of(share.order.size());
  for (std::size_t k = 0; k < share.order.size(); ++k) row_of[at(share.order[k])] = static_cast<Index>(k);
  struct Entry {
    Index column;
    Slot slot;
  };
  const Index begin = share.first[at(share.ranks->rank())];
  const auto nodes = share.nodes();
  std::vector<std::vector<Entry>> entries(nodes.size());
  amg::GhostNumbers numbers(share.first, share.ranks->rank());
  const auto add = [&](Index row, Index column, Slot slot) {
    if (row - begin >= 0 && at(row - begin) < nodes.size())
      entries[at(row - begin)].push_back({numbers.local(column), slot});
  };
  for (Index j = 0; j < a.nodes(); ++j)
    for (Index e = a.starts()[at(j)]; e < a.starts()[at(j) + 1]; ++e) {
      const Index i = a.rows()[at(e)];
      add(row_of[at(i)], row_of[at(j)], {e, false});
      if (i != j) add(row_of[at(j)], row_of[at(i)], {e, true});
    }
  std::vector<Index> starts{0}, columns;
  for (std::vector<Entry>& row : entries) {
    std::sort(row.begin(), row.end(), [](const Entry& p, const Entry& q) { return p.column < q.column; });
    for (const Entry& entry : row) {
      columns.push_back(entry.column);
      slots_.push_back(entry.slot);
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  rows_ = std::make_unique<elastic_amg::SharedRows>(*share.ranks, std::move(starts), std::move(columns), numbers);
  hierarchy_.analyze(*rows_);
  positions_.resize(nodes.size());
  b_.resize(3 * nodes.size());
  x_.resize(b_.size());
  workspace_.resize(b_.size());
}

bool SharedMeshSolver::refresh(const BlockMatrix& a, std::span<const Vec3d> positions) {
  elastic_amg::each_row(rows_->rows(), [&](Index i) {
    positions_[at(i)] = positions[at(share_->nodes()[at(i)])];
    for (Index k = rows_->starts()[at(i)]; k < rows_->starts()[at(i) + 1]; ++k) {
      const double* from = a.block(slots_[at(k)].block);
      double* to = rows_->block(k);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) to[3 * r + c] = slots_[at(k)].turned ? from[3 * c + r] : from[3 * r + c];
    }
  });
  return hierarchy_.refresh(*rows_, positions_);
}

CgReport SharedMeshSolver::solve(std::span<const double> b, std::span<double> x, const CgOptions& options) {
  const auto nodes = share_->nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k) std::copy_n(b.data() + 3 * at(nodes[k]), 3, b_.data() + 3 * k);
  std::fill(x_.begin(), x_.end(), 0.0);
  const CgReport report =
      conjugate_gradient([&](std::span<const double> p, std::span<double> q) { rows_->multiply(p, q); },
                         [&](std::span<const double> r, std::span<double> z) { hierarchy_.apply(r, z); }, b_, x_,
                         workspace_, options,
                         [&](std::span<const double> p, std::span<const double> q) { return rows_->inner(p, q); });
  std::size_t k = 0;
  for (const Bytes& bytes : share_->ranks->all_gather(std::as_bytes(std::span<const double>(x_)))) {
    const auto part = from_bytes<double>(bytes);
    for (std::size_t i = 0; i < part.size(); i += 3) std::copy_n(part.data() + i, 3, x.data() + 3 * at(share_->order[k++]));
  }
  return report;
}

}  // namespace ymir
