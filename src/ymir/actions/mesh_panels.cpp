// Panels of cloth and of the skin of soft bodies.
#include <algorithm>

#include "ymir/actions/panel_planes.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/data/embed_skin.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr std::ptrdiff_t chunk = 1024;  // panels that a thread takes at once

class MeshPanels final : public MeshConstraint, public ForceTarget {
 public:
  MeshPanels(MeshObject& object, std::string owner, std::string what, double longest)
      : object_(&object),
        owner_(std::move(owner)),
        what_(std::move(what)),
        each_(static_cast<std::size_t>(nodes_of(object.mesh().shape))),
        panels_(cut_into_panels(object.mesh().skin.positions, object.mesh().skin.triangles, longest)),
        planes_(panels_.size()) {
    const SolidMesh& mesh = object.mesh();
    for (const Panel& panel : panels_) {
      const CellPoint at = skin_point(mesh, panel.triangle, panel.barycentric);
      const auto first = mesh.cells.begin() + static_cast<std::ptrdiff_t>(each_) * at.cell;
      nodes_.insert(nodes_.end(), first, first + static_cast<std::ptrdiff_t>(each_));
      weight_.resize(nodes_.size());
      weights_in(mesh, at, weight_.data() + weight_.size() - each_);
    }
    set_masses();
  }

  std::string owner() const override { return owner_; }
  std::string what() const override { return what_; }
  BlockMatrix::Elements elements() const override { return {object_->mesh().cells, static_cast<int>(each_)}; }
  void connect(const BlockMatrix& matrix) override {
    slots_.clear();
    for (std::size_t i = 0; i < panels_.size(); ++i)
      for (std::size_t a = 0; a < each_; ++a)
        for (std::size_t b = 0; b < each_; ++b)
          if (node(i, b) <= node(i, a)) slots_.push_back(matrix.slot(node(i, a), node(i, b)));
  }

  void begin(const MeshStep& s) override {
    place(planes_, s.begin);
    const PointBlock all = planes_.block(0, 0, 0, panels_.size(), s.time, s.dt);
    samples_.resize(forces_.size());
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      samples_[k].resize(3 * panels_.size());
      if (forces_[k].sample) forces_[k].sample(all, sampled(k, 0));
    }
  }

  void assemble(MeshStep& s) override {
    parallel_blocks(std::ssize(panels_), chunk, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
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
    const std::int32_t* slot = slots_.data();
    for (std::size_t i = 0; i < panels_.size(); ++i) slot = add(s, i, slot);
  }

  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void solve_every_iteration() override { object_->solve_every_iteration(); }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override {
    if (panels_.empty() || object_->positions().empty()) return;
    PanelPlanes now = planes_;
    place(now, object_->positions());
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      Vec3d v{0, 0, 0};
      for (std::size_t a = 0; a < each_; ++a)
        v += object_->velocities()[static_cast<std::size_t>(node(i, a))] * weight_[each_ * i + a];
      now.set_velocity(i, v);
    }
    visit(now.block(0, 0, 0, panels_.size(), 0, 0));
  }
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }

 private:
  std::int32_t node(std::size_t i, std::size_t a) const { return nodes_[each_ * i + a]; }
  Planes<Vec3d>::Type sampled(std::size_t force, std::size_t first) {
    double* p = samples_[force].data();
    return {p + first, p + panels_.size() + first, p + 2 * panels_.size() + first};
  }

  void place(PanelPlanes& planes, const std::vector<Vec3d>& nodes) const {
    const std::vector<Vec3d> x = object_->skin(nodes);
    const double sides = object_->cloth() ? 1 : 0.5;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const auto& t = object_->mesh().skin.triangles[static_cast<std::size_t>(panels_[i].triangle)];
      const Vec3d a = x[static_cast<std::size_t>(t[0])], b = x[static_cast<std::size_t>(t[1])],
                  c = x[static_cast<std::size_t>(t[2])];
      const Vec3d at = panels_[i].barycentric;
      planes.place(i, a * at.x + b * at.y + c * at.z, cross(b - a, c - a) * (0.5 * sides * panels_[i].share));
    }
  }

  // The whole, by area.
  void set_masses() {
    double mass = 0, area = 0;
    for (const double m : object_->mass()) mass += m;
    place(planes_, object_->mesh().positions);
    const PointBlock all = planes_.block(0, 0, 0, panels_.size(), 0, 0);
    for (std::size_t i = 0; i < panels_.size(); ++i) area += all.area[i];
    for (std::size_t i = 0; i < panels_.size(); ++i) planes_.set_mass(i, mass * all.area[i] / area);
  }

  const std::int32_t* add(MeshStep& s, std::size_t i, const std::int32_t* slot) {
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

  MeshObject* object_;
  std::string owner_, what_;
  std::size_t each_;  // nodes of a cell
  std::vector<Panel> panels_;
  std::vector<std::int32_t> nodes_;  // of the cell that each panel is in
  std::vector<double> weight_;       // of these nodes
  std::vector<std::int32_t> slots_;  // of pairs of these nodes, row not before column
  PanelPlanes planes_;
  std::vector<PointForce> forces_;
  std::vector<std::vector<double>> samples_;  // of each force
};

}  // namespace

ForceTarget& add_panels(MeshObject& object, const std::string& owner, const std::string& what, double longest) {
  auto panels = std::make_unique<MeshPanels>(object, owner, what, longest);
  ForceTarget& target = *panels;
  object.add_constraint(std::move(panels));
  return target;
}

}  // namespace ymir
