// Implicit diffusion of one value per voxel on tiles of 8^3, by conjugate gradients with Jacobi. [method notes C, 8]
//
//   m (x - x*) + k [sum over the six neighbours f of c_f (x - x_f) + d (x - g)] = 0,    k = diffusivity dt / h^2
//
//   m share of a sample's volume that is gas, c share of the area between two samples, d pull of walls of value g
//
// Without walls m = c = 1 and d = 0. Vectors and sums are in double precision; results are the same bits for any number
// of threads and ranks. Suited to k below about 10: iterations grow as the root of k.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/fluid/gas_grid.h"

namespace ymir {

struct DiffusionOptions {
  double tolerance = 1e-8;  // on the residual, relative to the right side
  int max_iterations = 2000;
};

struct DiffusionReport {
  bool converged = true;
  int iterations = 0;
  double residual = 0;  // relative
};

// The stencil of a tile at walls, where m, c and d differ from 1, 1 and 0.
struct DiffusionTile {
  float link[3][GasGrid::voxels] = {};  // c to the lower neighbour along each axis
  float mass[GasGrid::voxels] = {};     // m
  float wall[GasGrid::voxels] = {};     // d
  float pull[GasGrid::voxels] = {};     // d g
};

// The stencils of all local tiles. A sample without m and d is no unknown and must not be linked to.
class DiffusionStencils {
 public:
  void resize(int tiles);
  void set_plain(int tile) { of_tile_[static_cast<std::size_t>(tile)] = plain; }
  void set_idle(int tile) { of_tile_[static_cast<std::size_t>(tile)] = idle; }
  void add_cut(int tile);  // zeros, to be filled
  bool is_idle(int tile) const { return of_tile_[static_cast<std::size_t>(tile)] == idle; }
  // Null: no walls near, or idle.
  const DiffusionTile* cut(int tile) const { return const_cast<DiffusionStencils*>(this)->cut(tile); }
  DiffusionTile* cut(int tile) {
    const int at = of_tile_[static_cast<std::size_t>(tile)];
    return at < 0 ? nullptr : &cut_[static_cast<std::size_t>(at)];
  }
  std::size_t cut_tiles() const { return used_; }

 private:
  static constexpr int plain = -1, idle = -2;
  std::vector<int> of_tile_;  // index into cut_, or one of these
  std::vector<DiffusionTile> cut_;
  std::size_t used_ = 0;
};

class DiffusionSolver {
 public:
  // All solvers of a volume share their vectors.
  explicit DiffusionSolver(DiscreteVolume& volume);

  // Replaces x* in one component of a channel by x; samples that are no unknowns stay. Collective.
  DiffusionReport solve(const DiffusionStencils& stencils, double k, ChannelId<float> values, int component,
                        const DiffusionOptions& options = {});

 private:
  struct Sums {
    double b = 0, r = 0, z = 0;  // b b, r r, r z
    Sums& operator+=(const Sums& o) { return b += o.b, r += o.r, z += o.z, *this; }
  };
  void assemble(const DiffusionStencils& stencils, double k, ChannelId<float> values, int component);
  Sums start(const DiffusionStencils& stencils, double k);
  double multiply(const DiffusionStencils& stencils, double k);
  Sums advance(const DiffusionStencils& stencils, double alpha);
  void turn(const DiffusionStencils& stencils, double beta);
  template <class T>
  T total(const std::vector<T>& partial) const;

  DiscreteVolume* volume_;
  ChannelId<float> link_, own_, inverse_;  // c; m + k d; 1 / (m + k (sum of c + d)), 0 where there is no unknown
  ChannelId<double> x_, r_, p_, q_;
  std::vector<Sums> sums_;
  std::vector<double> products_;
};

}  // namespace ymir
