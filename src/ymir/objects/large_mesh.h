// A mesh that is solved by iterations, as part of the system of all that is coupled to it.
#pragma once

#include "ymir/objects/mesh_object.h"
#include "ymir/solids/large_matrix.h"

namespace ymir {

class LargeMesh final : public LargeMatrix {
 public:
  explicit LargeMesh(MeshObject::Workspace& work) : work_(&work) {}

  void complete(std::span<double> b) override;
  bool refresh() override;
  CgReport solve(std::span<const double> b, std::span<double> x, std::span<const std::int32_t> nodes,
                 const Addition& addition) override;
  void multiply(std::span<const double> x, std::span<double> y) override;
  double diagonal(std::size_t row) const override;
  bool factorable() const override;

 private:
  MeshObject::Workspace* work_;
};

}  // namespace ymir
