// A soft body: a closed surface filled with cells that deform, or a volume mesh. [Lesser2022, 6.1 and 7.3]
#pragma once

#include <cstdint>
#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/data/solid_mesh.h"
#include "ymir/objects/mesh_solver.h"
#include "ymir/param/schema.h"

namespace ymir {

struct SolidObjectBehavior final : Behavior {
  struct Params {
    InputRef surface, body;      // one of them
    std::optional<double> cell;  // [m]
    std::optional<std::int64_t> order;
    InputRef skin, rest;
    Varying<double> density{1000};  // [kg/m^3]
    Vec3d velocity{0, 0, 0};        // [m/s]
    Vec3d spin{0, 0, 0};            // [rad/s]
    double tolerance = 1e-4;
    std::int64_t newton_iterations = 100;
    LinearSolver solver = LinearSolver::automatic;
    MeshRanks ranks = MeshRanks::automatic;
  };
  static Schema<Params> schema();

  explicit SolidObjectBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;

 private:
  SolidMesh lattice(Scope& scope) const;
  SolidMesh volume_mesh(Scope& scope, std::vector<Vec3d>& start) const;
  void show_skin(Scope& scope, SolidMesh& mesh, const std::vector<Vec3d>& start) const;

  Params params_;
};

}  // namespace ymir
