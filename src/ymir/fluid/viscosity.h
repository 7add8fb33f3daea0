// Viscosity of a gas of constant viscosity: one implicit solve per component of the velocity. [method notes C, 8]
//
//   (1 - dt nu L) u = u*,   nu = mu/rho [m^2/s]
//
// no_slip walls have a velocity that the gas takes on: linear from a face to the wall, wherever that is between two
// faces, which is second order [Gibou 2002]. Along free_slip walls, sheets and open sides there is no shear: links
// count with the open share of the area between two faces. Across walls gas always moves as the wall does.
#pragma once

#include "ymir/fluid/diffusion_solver.h"
#include "ymir/fluid/diffusion_tiles.h"
#include "ymir/fluid/gas_boundary.h"

namespace ymir {

class Viscosity {
 public:
  explicit Viscosity(GasGrid& grid);

  // open, solid_velocity and cell are new, or tiles changed. Collective.
  void boundary_changed(const GasBoundary& boundary, double time, double dt);

  // amount = nu dt [m^2]. Collective.
  DiffusionReport apply(ChannelId<float> velocity, double amount, const DiffusionOptions& options = {});

  // Gives faces behind no_slip walls, which advection reads, the values that the profile towards the wall continues
  // with. Collective.
  void extend(ChannelId<float> velocity);

 private:
  // A face behind a wall takes `share` of: wall + factor (wall - velocity beside it).
  struct Ghost {
    std::uint16_t voxel;
    std::uint8_t axis, beside;  // of face_directions
    float wall, factor, share;
  };
  struct TileWalls;
  void classify(const GasBoundary& boundary);
  void build(const GasBoundary& boundary);
  void fill(const TileWalls& walls, int tile, int axis);
  void find_ghosts(const TileWalls& walls, int tile, int axis);

  GasGrid* grid_;
  DiffusionTiles tiles_;
  DiffusionSolver solver_;
  DiffusionStencils stencils_[3];
  ChannelId<std::uint8_t> kind_;            // of faces
  ChannelId<float> wall_distance_;          // made when there are no_slip solids [voxels]
  std::vector<std::vector<Ghost>> ghosts_;  // per tile
  std::vector<std::vector<float>> ghost_values_;
};

}  // namespace ymir
