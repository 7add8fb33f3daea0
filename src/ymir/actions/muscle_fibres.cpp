#include "ymir/actions/muscle_fibres.h"

#include "ymir/actions/cell_assembly.h"
#include "ymir/data/mesh_values.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"
#include "ymir/physics/hyperelastic/fibre.h"

namespace ymir {
namespace {

template <class Element>
class FibreCells final : public MeshConstraint, public PullsFibres {
 public:
  FibreCells(const SolidMesh& mesh, std::string owner, const MuscleFibres& fibres)
      : owner_(std::move(owner)),
        cells_(mesh),
        share_(fibres.share),
        most_share_(fibres.most_share),
        passive_(mesh.cell_count(), 0) {
    const std::size_t count = mesh.cell_count();
    tension_ = cell_values(mesh, "activation").value_or(std::vector<double>(count, fibres.activation));
    const auto directions = cell_vectors(mesh, "fibre").value_or(std::vector<Vec3d>(count, fibres.direction));
    for (std::size_t c = 0; c < count; ++c) {
      const double length = norm(directions[c]);
      const Vec3d d = length > 0 ? directions[c] / length : Vec3d{1, 0, 0};
      for (int k = 0; k < 3; ++k) direction_.push_back(d[k]);
      if (length > 0)
        passive_[c] = fibres.stiffness;
      else
        tension_[c] = 0;
    }
  }

  std::string owner() const override { return owner_; }
  double most_tension(std::size_t cell) const override { return tension_[cell] * most_share_; }
  std::string what() const override { return "pull of fibres"; }
  BlockMatrix::Elements elements() const override { return cells_.elements(); }
  bool divisible() const override { return true; }
  void restrict_to(std::span<const std::int32_t> cells) override { cells_.restrict_to(cells); }
  void connect(const BlockMatrix& matrix) override { cells_.connect(matrix); }

  void assemble(MeshStep& s) override {
    const double share = share_(s.time);
    cells_.for_each_pack([&](std::size_t p) {
      if (s.curvature == MeshStep::Curvature::exact)
        assemble_pack<TangentKind::exact>(s, p, share);
      else
        assemble_pack<TangentKind::projected>(s, p, share);
    });
  }

 private:
  using Assembly = CellAssembly<Element>;
  using Real = typename Assembly::Real;
  static constexpr int dofs = Assembly::dofs;

  template <TangentKind kind>
  void assemble_pack(MeshStep& s, std::size_t p, double share) const {
    const typename Assembly::Pack pack = cells_.pack(p);
    Vec3<Real> x[Element::nodes];
    cells_.gather(pack, s.position, x);
    const Fibre::Parameters<Real> fibre{
        cells_.of_cells(pack, tension_) * share,
        cells_.of_cells(pack, passive_),
        {cells_.of_cells(pack, direction_, 3, 0), cells_.of_cells(pack, direction_, 3, 1),
         cells_.of_cells(pack, direction_, 3, 2)}};
    Real f[dofs] = {}, h[packed_size(dofs)] = {}, scale[dofs];
    assemble_element<Fibre, Element, kind>(x, pack.rest, fibre, f, h);
    for (int k = 0; k < dofs; ++k) scale[k] = max(h[packed(k, k)], Real::all(0));
    cells_.add_vector(pack, f, s.residual);
    cells_.add_vector(pack, scale, s.scale);
    cells_.add_matrix(pack, h, s.matrix);
  }

  std::string owner_;
  Assembly cells_;
  std::function<double(double)> share_;
  double most_share_;
  std::vector<double> tension_, passive_;  // of each cell [Pa]
  std::vector<double> direction_;          // of each cell, 3 each
};

}  // namespace

void add_muscle_fibres(MeshObject& object, const std::string& owner, const MuscleFibres& fibres) {
  const auto make = [&]() -> std::unique_ptr<MeshConstraint> {
    switch (object.mesh().shape) {
      case CellShape::hexahedron: return std::make_unique<FibreCells<Hexahedron>>(object.mesh(), owner, fibres);
      case CellShape::quadratic_tetrahedron:
        return std::make_unique<FibreCells<QuadraticTetrahedron>>(object.mesh(), owner, fibres);
      case CellShape::tetrahedron:
      case CellShape::triangle: break;
    }
    return std::make_unique<FibreCells<Tetrahedron>>(object.mesh(), owner, fibres);
  };
  object.add_constraint(make());
}

}  // namespace ymir
