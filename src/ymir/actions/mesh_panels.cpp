// Panels of cloth and of the skin of soft bodies.
#include "ymir/actions/cell_points.h"
#include "ymir/actions/surface_panels.h"

namespace ymir {
namespace {

std::vector<CellPoint> centres_of(MeshObject& object, const std::vector<Panel>& panels) {
  std::vector<CellPoint> points;
  for (const Panel& panel : panels) points.push_back(object.skin_point(panel.triangle, panel.barycentric));
  return points;
}

class MeshPanels final : public CellPoints {
 public:
  MeshPanels(MeshObject& object, std::string owner, std::string what, std::vector<Panel> panels)
      : CellPoints(object, std::move(owner), std::move(what), centres_of(object, panels), PanelPlanes::Of::surface),
        panels_(std::move(panels)) {
    set_masses();
  }

 private:
  void place(PanelPlanes& planes, const std::vector<Vec3d>& nodes) const override {
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

  std::vector<Panel> panels_;
};

}  // namespace

ForceTarget& add_panels(MeshObject& object, const std::string& owner, const std::string& what, double longest) {
  auto panels = std::make_unique<MeshPanels>(
      object, owner, what, cut_into_panels(object.mesh().skin.positions, object.mesh().skin.triangles, longest));
  ForceTarget& target = *panels;
  object.add_constraint(std::move(panels));
  return target;
}

}  // namespace ymir
