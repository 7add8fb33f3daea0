// A mesh as a block of the solid system: a sparse matrix of 3x3 blocks.
#pragma once

#include "ymir/objects/large_mesh.h"
#include "ymir/objects/mesh_contacts.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class MeshBlock final : public SolidBlock {
 public:
  explicit MeshBlock(MeshObject& object) : object_(&object), work_(&object.workspace()), large_(*work_) {}

  const NewtonSettings& settings() const override { return object_->description().newton; }
  int pieces() const override { return 1; }
  void begin(const Step& step) override;
  void place() override;
  std::size_t size() const override { return 3 * work_->step.position.size(); }
  Embedding embedded(int place, const MaterialPoint& at) const override;
  std::ptrdiff_t row(int place, const MaterialPoint& at, int local) const override;
  void assemble() override;
  void add_force(std::size_t row, double force, double stiffness) override;
  double residual(double violation) const override;
  bool factor() override;
  bool make_definite() override;
  void right_side(double* b) const override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override { work_->step.matrix.multiply(x, y); }
  bool indefinite() const override { return false; }
  LargeMatrix* large() const override { return work_->solver.iterative_with_others() ? &large_ : nullptr; }
  std::int32_t nodes() const override { return work_->step.matrix.nodes(); }
  void visit_blocks(const BlockVisitor& visit) const override {
    BlockMatrixPart(work_->step.matrix).visit_blocks(visit);
  }
  void set_step(const double* step) override;
  double step_size() const override;
  double reach() const override;
  void move(double share) override;
  bool keep() override;
  void go_back() override;
  void end() override;
  void consult() override;
  void assist() override;
  void dismiss() override { work_->solver.dismiss(); }
  ContactBlock* contacts() override;

 private:
  friend class MeshContacts;
  void add_inertia();
  void add_forces();
  void assemble_all();
  void project();
  bool iterate();

  MeshObject* object_;
  MeshObject::Workspace* work_;
  mutable LargeMesh large_;
  bool coupled_ = false;  // to others, in this iteration
  struct {
    std::vector<Vec3d> position;
    std::vector<double> state;  // of constraints
  } kept_;
  std::unique_ptr<MeshContacts> contacts_;
};

}  // namespace ymir
