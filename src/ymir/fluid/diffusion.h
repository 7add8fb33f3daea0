// Diffusion of a material of a gas: implicit, (1 - dt D L) f = f*. [method notes C, 8]
//
// Walls are insulated, unless a side of the domain has a value; beyond open sides is the channel's ambient value.
#pragma once

#include <functional>
#include <optional>

#include "ymir/fluid/diffusion_solver.h"
#include "ymir/fluid/diffusion_tiles.h"
#include "ymir/fluid/gas_boundary.h"

namespace ymir {

// What the material is at a place x of a closed side of the domain (in the order of GasBox); none: insulated.
using WallValue = std::function<std::optional<double>(int side, Vec3d x)>;

class Diffusion {
 public:
  explicit Diffusion(GasGrid& grid) : grid_(&grid), tiles_(grid), solver_(grid.volume()) {}

  // Faces opened or closed, or tiles changed.
  void boundary_changed() { stale_ = true; }
  void set_wall_value(WallValue value) { wall_value_ = std::move(value); }

  // amount = diffusivity dt [m^2]. Collective.
  DiffusionReport diffuse(ChannelId<float> values, double amount, const GasBoundary& boundary,
                          const DiffusionOptions& options = {});

 private:
  void build(ChannelId<float> values, const GasBoundary& boundary);

  GasGrid* grid_;
  DiffusionTiles tiles_;
  DiffusionSolver solver_;
  DiffusionStencils stencils_;
  WallValue wall_value_;
  bool stale_ = true;
};

}  // namespace ymir
