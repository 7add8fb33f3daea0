#include "ymir/objects/shared_mesh_solver.h"

#include <algorithm>

#include "ymir/parallel/bytes.h"
#include "ymir/parallel/message.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

struct SharedMeshSolver::Task {
  Order order;
  CgOptions options;
  std::vector<double> values;  // of all nodes
  std::vector<std::int32_t> nodes;
};

SharedMeshSolver::SharedMeshSolver(const MeshShare& share, const BlockMatrix& a)
    : share_(&share), row_of_(share.order.size()) {
  for (std::size_t k = 0; k < share.order.size(); ++k) row_of_[at(share.order[k])] = static_cast<Index>(k);
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
      add(row_of_[at(i)], row_of_[at(j)], {e, false});
      if (i != j) add(row_of_[at(j)], row_of_[at(i)], {e, true});
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

bool SharedMeshSolver::refresh_share(const BlockMatrix& a, std::span<const Vec3d> positions) {
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

Bytes SharedMeshSolver::tell(Order order, std::span<const double> values, std::span<const std::int32_t> nodes,
                             const CgOptions& options) {
  Bytes bytes;
  MessageWriter out(bytes);
  out.put(order);
  out.put(options);
  out.put(values.size());
  out.put(values);
  out.put(nodes.size());
  out.put(nodes);
  share_->ranks->broadcast(bytes, share_->lead);
  return bytes;
}

SharedMeshSolver::Task SharedMeshSolver::read(const Bytes& bytes) const {
  MessageReader in(bytes);
  Task task{in.get<Order>(), in.get<CgOptions>(), {}, {}};
  task.values = in.get_list<double>();
  task.nodes = in.get_list<std::int32_t>();
  return task;
}

void SharedMeshSolver::complete(std::span<double> b) {
  tell(Order::complete, {}, {}, {});
  take_own(b, x_);
  collect(b);
}

bool SharedMeshSolver::refresh(const BlockMatrix& a, std::span<const Vec3d> positions) {
  tell(Order::refresh, {}, {}, {});
  return refresh_share(a, positions);
}

CgReport SharedMeshSolver::solve(std::span<const double> b, std::span<double> x, std::span<const std::int32_t> nodes,
                                 const LargeMatrix::Addition& addition, const CgOptions& options) {
  const CgReport report = solve_share(read(tell(Order::solve, b, nodes, options)), addition);
  collect(x);
  return report;
}

void SharedMeshSolver::multiply(std::span<const double> x, std::span<double> y) {
  multiply_share(read(tell(Order::multiply, x, {}, {})));
  collect(y);
}

void SharedMeshSolver::dismiss() { tell(Order::dismiss, {}, {}, {}); }

void SharedMeshSolver::assist(const BlockMatrix& a, std::span<const Vec3d> positions, std::span<const double> b) {
  for (;;) {
    Bytes bytes;
    share_->ranks->broadcast(bytes, share_->lead);
    const Task task = read(bytes);
    if (task.order == Order::dismiss) return;
    if (task.order == Order::refresh) {
      refresh_share(a, positions);
      continue;
    }
    if (task.order == Order::complete) take_own(b, x_);
    if (task.order == Order::solve) solve_share(task, {});
    if (task.order == Order::multiply) multiply_share(task);
    collect({});
  }
}

// The lead knows what others add; it is told where the nodes are, and tells all.
void SharedMeshSolver::add_others(std::span<const double> p, std::span<double> q,
                                  const std::vector<std::int32_t>& nodes, const LargeMatrix::Addition& addition) {
  const auto& first = share_->first;
  const auto here = at(share_->ranks->rank());
  const auto of_rank = [&](std::int32_t node, std::size_t rank) {
    return row_of_[at(node)] >= first[rank] && row_of_[at(node)] < first[rank + 1];
  };
  std::vector<double> own;
  for (const std::int32_t node : nodes)
    if (of_rank(node, here)) {
      const double* from = p.data() + 3 * at(row_of_[at(node)] - first[here]);
      own.insert(own.end(), from, from + 3);
    }
  const std::vector<Bytes> all = share_->ranks->gather(std::as_bytes(std::span<const double>(own)), share_->lead);
  Bytes told;
  if (leads()) {
    at_.resize(3 * nodes.size());
    added_.resize(at_.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto values = from_bytes<double>(all[rank]);
      auto from = values.begin();
      for (std::size_t k = 0; k < nodes.size(); ++k)
        if (of_rank(nodes[k], rank)) {
          std::copy_n(from, 3, at_.data() + 3 * k);
          from += 3;
        }
    }
    addition(at_, added_);
    told = to_bytes(added_);
  }
  share_->ranks->broadcast(told, share_->lead);
  const auto added = from_bytes<double>(told);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (of_rank(nodes[k], here))
      for (std::size_t c = 0; c < 3; ++c) q[3 * at(row_of_[at(nodes[k])] - first[here]) + c] += added[3 * k + c];
}

void SharedMeshSolver::take_own(std::span<const double> all, std::vector<double>& own) const {
  const auto nodes = share_->nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k) std::copy_n(all.data() + 3 * at(nodes[k]), 3, own.data() + 3 * k);
}

CgReport SharedMeshSolver::solve_share(const Task& task, const LargeMatrix::Addition& addition) {
  take_own(task.values, b_);
  std::fill(x_.begin(), x_.end(), 0.0);
  return conjugate_gradient(
      [&](std::span<const double> p, std::span<double> q) {
        rows_->multiply(p, q);
        if (!task.nodes.empty()) add_others(p, q, task.nodes, addition);
      },
      [&](std::span<const double> r, std::span<double> z) { hierarchy_.apply(r, z); }, b_, x_, workspace_, task.options,
      [&](std::span<const double> p, std::span<const double> q) { return rows_->inner(p, q); });
}

void SharedMeshSolver::multiply_share(const Task& task) {
  take_own(task.values, b_);
  rows_->multiply(b_, x_);
}

void SharedMeshSolver::collect(std::span<double> all) const {
  const std::vector<Bytes> parts = share_->ranks->gather(std::as_bytes(std::span<const double>(x_)), share_->lead);
  if (!leads()) return;
  std::size_t k = 0;
  for (const Bytes& bytes : parts) {
    const auto part = from_bytes<double>(bytes);
    for (std::size_t i = 0; i < part.size(); i += 3)
      std::copy_n(part.data() + i, 3, all.data() + 3 * at(share_->order[k++]));
  }
}

}  // namespace ymir
