// How deep a place lies inside of a body that deforms, by the distance of its shape at rest. [McAdams2011;
// Lesser2022, 6.3, lattice detection]
//
//   x in a cell now -> X in the same cell at rest, phi(X) < 0 -> X' = X - phi grad phi on the surface -> x' in the cell
//   that has X', as it is now;  e = (x' - x)/|x' - x|, distance -|x' - x|
//
// phi was computed once, and is as good deep inside as near the surface, where meshes know only what is near. x' is a
// point of the surface, not always the nearest one of the deformed body.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ymir/data/signed_distance_grid.h"
#include "ymir/data/solid_mesh.h"
#include "ymir/solids/detection/box_tree.h"

namespace ymir {

struct RestHit {
  CellPoint inside;   // the place
  CellPoint surface;  // where it would be pushed out
  Vec3d nearest;      // that point now [m]
  Vec3d normal;       // unit, outwards
  double distance;    // <= 0 [m]
};

class RestDistance {
 public:
  // Of a mesh with cells that have a volume; it must stay. `rest`: distance of its skin at rest.
  RestDistance(const SolidMesh& mesh, std::shared_ptr<const SignedDistanceGrid> rest);
  // Where the nodes are now.
  void fit(std::span<const Vec3d> nodes);
  // None where x is in no cell, or in a part of one that is not inside of the skin. From any thread.
  std::optional<RestHit> find(Vec3d x) const;

 private:
  Vec3d place(const CellPoint& point, std::span<const Vec3d> nodes) const;
  // The cell that x is in, or least outside of by at most `most`, of those in a tree.
  template <class Element>
  std::optional<CellPoint> cell_of(const BoxTree& tree, std::span<const Vec3d> nodes, Vec3d x, double most,
                                   double room) const;
  std::optional<CellPoint> cell_of(const BoxTree& tree, std::span<const Vec3d> nodes, Vec3d x, double most,
                                   double room) const;
  void fit(BoxTree& tree, std::span<const Vec3d> nodes) const;

  const SolidMesh* mesh_;
  std::shared_ptr<const SignedDistanceGrid> rest_;
  std::vector<std::int32_t> cells_;
  std::vector<Vec3d> now_;
  BoxTree rest_tree_, tree_;
  Vec3d origin_{0, 0, 0};
};

}  // namespace ymir
