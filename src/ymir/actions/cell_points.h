// Points inside the cells of a mesh that Forces act on: the force on one is handed to the nodes of its cell.
#pragma once

#include <string>
#include <vector>

#include "ymir/actions/panel_planes.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/objects/mesh_object.h"

namespace ymir {

class CellPoints : public MeshConstraint, public ForceTarget {
 public:
  std::string owner() const override { return owner_; }
  std::string what() const override { return what_; }
  BlockMatrix::Elements elements() const override { return {own_nodes_, static_cast<int>(each_)}; }
  void connect(const BlockMatrix& matrix) override;
  bool divisible() const override { return true; }
  void restrict_to(std::span<const std::int32_t> cells) override;
  void begin(const MeshStep& s) override;
  // The rank that leads knows the air at all points.
  void evaluate(const MeshStep& s) override;
  std::span<double> evaluated() override { return planes_.made(); }
  void assemble(MeshStep& s) override;

  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void solve_every_iteration() override { object_->solve_every_iteration(); }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view name) override;

 protected:
  CellPoints(MeshObject& object, std::string owner, std::string what, const std::vector<CellPoint>& points,
             PanelPlanes::Of kind);
  // Where the points are for nodes at `nodes`, with what of them touches the air or takes room.
  virtual void place(PanelPlanes& planes, const std::vector<Vec3d>& nodes) const = 0;
  std::size_t count() const { return planes_.size(); }
  Vec3d point(std::size_t i, const std::vector<Vec3d>& nodes) const {
    Vec3d x{0, 0, 0};
    for (std::size_t a = 0; a < each_; ++a) x += nodes[static_cast<std::size_t>(node(i, a))] * weight_[each_ * i + a];
    return x;
  }

  MeshObject* object_;
  PanelPlanes planes_;

 private:
  std::int32_t node(std::size_t i, std::size_t a) const { return nodes_[each_ * i + a]; }
  Planes<Vec3d>::Type sampled(std::size_t force, std::size_t first) {
    double* p = samples_[force].data();
    return {p + first, p + count() + first, p + 2 * count() + first};
  }
  const std::int32_t* add(MeshStep& s, std::size_t i, const std::int32_t* slot);

  std::string owner_, what_;
  std::size_t each_;                 // nodes of a cell
  std::vector<std::int32_t> cells_;  // that the points are in
  std::vector<std::int32_t> nodes_;  // of these cells
  std::vector<std::size_t> own_;     // points in cells of this rank
  std::vector<std::int32_t> own_nodes_;
  std::vector<double> weight_;       // of these nodes
  std::vector<std::int32_t> slots_;  // of pairs of these nodes, row not before column
  std::vector<PointForce> forces_;
  std::vector<std::vector<double>> samples_;  // of each force
};

}  // namespace ymir
