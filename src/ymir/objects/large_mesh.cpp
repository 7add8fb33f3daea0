#include "ymir/objects/large_mesh.h"

namespace ymir {

void LargeMesh::complete(std::span<double> b) { work_->solver.complete(b); }

bool LargeMesh::refresh() {
  const MeshStep& s = work_->step;
  return work_->solver.refresh(s.matrix, std::span(s.position).first(work_->begin_velocity.size()));
}

CgReport LargeMesh::solve(std::span<const double> b, std::span<double> x, std::span<const std::int32_t> nodes,
                          const Addition& addition) {
  return work_->solver.solve_with(work_->step.matrix, b, x, nodes, addition);
}

void LargeMesh::multiply(std::span<const double> x, std::span<double> y) {
  work_->solver.multiply(work_->step.matrix, x, y);
}

double LargeMesh::diagonal(std::size_t row) const {
  return work_->step.matrix.diagonal(static_cast<std::int32_t>(row / 3))[4 * (row % 3)];
}

bool LargeMesh::factorable() const { return !work_->solver.shared(); }

}  // namespace ymir
