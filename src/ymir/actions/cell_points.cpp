#include "ymir/actions/cell_points.h"

#include <algorithm>

#include "ymir/data/mesh_values.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr std::ptrdiff_t chunk = 1024;  // points that a thread takes at once

}  // namespace

CellPoints::CellPoints(MeshObject& object, std::string owner, std::string what, const std::vector<CellPoint>& points,
                       PanelPlanes::Of kind)
    : object_(&object),
      planes_(points.size(), kind),
      owner_(std::move(owner)),
      what_(std::move(what)),
      each_(static_cast<std::size_t>(nodes_of(object.mesh().shape))) {
  const SolidMesh& mesh = object.mesh();
  for (const CellPoint& at : points) {
    cells_.push_back(at.cell);
    own_.push_back(own_.size());
    const auto first = mesh.cells.begin() + static_cast<std::ptrdiff_t>(each_) * at.cell;
    nodes_.insert(nodes_.end(), first, first + static_cast<std::ptrdiff_t>(each_));
    weight_.resize(nodes_.size());
    weights_in(mesh, at, weight_.data() + weight_.size() - each_);
  }
  own_nodes_ = nodes_;
}

void CellPoints::restrict_to(std::span<const std::int32_t> cells) {
  own_.clear();
  own_nodes_.clear();
  for (std::size_t i = 0; i < count(); ++i) {
    if (!std::binary_search(cells.begin(), cells.end(), cells_[i])) continue;
    own_.push_back(i);
    for (std::size_t a = 0; a < each_; ++a) own_nodes_.push_back(node(i, a));
  }
}

void CellPoints::connect(const BlockMatrix& matrix) {
  slots_.clear();
  for (const std::size_t i : own_)
    for (std::size_t a = 0; a < each_; ++a)
      for (std::size_t b = 0; b < each_; ++b)
        if (node(i, b) <= node(i, a)) slots_.push_back(matrix.slot(node(i, a), node(i, b)));
}

void CellPoints::begin(const MeshStep& s) {
  if (!object_->here()) return;
  place(planes_, s.begin);
  const PointBlock all = planes_.block(0, 0, 0, count(), s.time, s.dt);
  samples_.resize(forces_.size());
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    samples_[k].resize(3 * count());
    if (forces_[k].sample) forces_[k].sample(all, sampled(k, 0));
  }
}

void CellPoints::evaluate(const MeshStep& s) {
  parallel_blocks(static_cast<std::ptrdiff_t>(count()), chunk, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    const auto first = static_cast<std::size_t>(from), last = static_cast<std::size_t>(to);
    for (std::size_t i = first; i < last; ++i) {
      Vec3d moved{0, 0, 0};
      for (std::size_t a = 0; a < each_; ++a) {
        const auto n = static_cast<std::size_t>(node(i, a));
        moved += (s.position[n] - s.begin[n]) * weight_[each_ * i + a];
      }
      planes_.set_velocity(i, moved / s.dt);
    }
    const PointBlock block = planes_.block(0, 0, first, last, s.time, s.dt);
    const ForceBlock out = planes_.cleared_forces(first, last);
    for (std::size_t k = 0; k < forces_.size(); ++k) forces_[k].accumulate(block, sampled(k, first), out);
  });
}

void CellPoints::assemble(MeshStep& s) {
  const std::int32_t* slot = slots_.data();
  for (const std::size_t i : own_) slot = add(s, i, slot);
}

void CellPoints::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  if (count() == 0 || !object_->here() || object_->positions().empty()) return;
  PanelPlanes now = planes_;
  place(now, object_->positions());
  for (std::size_t i = 0; i < count(); ++i) now.set_velocity(i, point(i, object_->velocities()));
  visit(now.block(0, 0, 0, count(), 0, 0));
}

PointField<double> CellPoints::scalar_field(std::string_view name) {
  const auto values = node_values(object_->mesh(), name);
  if (!values) return {};
  // Between the values of the cell: weights of quadratic cells may be negative, and of points outside.
  std::vector<double> at(count(), 0.0);
  for (std::size_t i = 0; i < count(); ++i) {
    double sum = 0;
    for (std::size_t a = 0; a < each_; ++a) {
      const double w = std::max(weight_[each_ * i + a], 0.0);
      at[i] += w * (*values)[static_cast<std::size_t>(node(i, a))];
      sum += w;
    }
    at[i] /= sum;
  }
  return [at = std::move(at)](const PointBlock& block) { return at.data() + block.first; };
}

const std::int32_t* CellPoints::add(MeshStep& s, std::size_t i, const std::int32_t* slot) {
  const Vec3d force = planes_.force_on(i);
  double k[9];
  for (int e = 0; e < 9; ++e) k[e] = planes_.stiffness(i, e / 3, e % 3) / s.dt;
  for (std::size_t a = 0; a < each_; ++a) {
    const auto n = static_cast<std::size_t>(node(i, a));
    const double w = weight_[each_ * i + a];
    s.residual[n] -= force * w;
    for (int r = 0; r < 3; ++r) s.scale[n][r] += w * w * k[4 * r];
    for (std::size_t b = 0; b < each_; ++b) {
      if (node(i, b) > node(i, a)) continue;
      double* block = s.matrix.block(*slot++);
      for (int e = 0; e < 9; ++e) block[e] += w * weight_[each_ * i + b] * k[e];
    }
  }
  return slot;
}

}  // namespace ymir
