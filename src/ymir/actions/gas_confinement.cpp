#include "ymir/actions/gas_confinement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ymir/fluid/damped_energy.h"
#include "ymir/fluid/faces_of_cells.h"
#include "ymir/fluid/padded_tile.h"
#include "ymir/physics/fluid/vorticity.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
// Of the energy that advection takes from the gas. With a share s it loses 1/(1 - s) times as slowly as without.
constexpr double returned_share = 0.5;
// Of the speed |omega| h of the smallest eddies: the most that a substep adds to it.
constexpr float most_of_an_eddy = 0.5f;

class Confinement {
 public:
  Confinement(VolumeObject& gas, double strength)
      : gas_(&gas), strength_(static_cast<float>(strength)), damped_(gas.damped_energy()) {
    DiscreteVolume& volume = gas.grid().volume();
    omega_ = volume.add_channel<float>("vorticity", {n, Sampling::cell, 0.0f, 3, true});
    push_ = volume.add_channel<float>("confinement", {n, Sampling::cell, 0.0f, 3, true});
  }

  void accumulate(const Step& step, ChannelId<float> to) {
    find_vorticity();
    find_push(static_cast<float>(step.dt));
    const float share = within_budget(step.dt);
    if (share == 0) return;
    DiscreteVolume& volume = gas_->grid().volume();
    auto in = read(volume, push_, Stencil::faces);
    auto out = read_write(volume, to);
    for_each_bucket(volume.buckets(), in, out, [&](int t) {
      for (int axis = 0; axis < 3; ++axis) add_to_faces(in.rows<n>(t, axis), axis, share, out.tile(t, axis));
    });
  }

 private:
  void find_vorticity() {
    GasGrid& grid = gas_->grid();
    DiscreteVolume& volume = grid.volume();
    const auto h = static_cast<float>(grid.voxel());
    auto u = read(volume, grid.velocity, Stencil::box);
    auto out = write(volume, omega_);
    for_each_bucket(volume.buckets(), u, out, [&](int t) {
      PaddedTile<float> c[3];
      for (int a = 0; a < 3; ++a) c[a].load(u, volume.buckets().neighbours(t), a);
      // Derivatives across a voxel between faces, averaged to the centre where they lie beside it.
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const int x = i % n, y = i / n % n, z = i / (n * n);
        const auto centre = [&](int dx, int dy, int dz) {
          const int px = x + dx, py = y + dy, pz = z + dz;
          // Upper faces beyond the padding are those of its last voxel.
          return Vec3f{0.5f * (c[0](px, py, pz) + c[0](std::min(px + 1, n), py, pz)),
                       0.5f * (c[1](px, py, pz) + c[1](px, std::min(py + 1, n), pz)),
                       0.5f * (c[2](px, py, pz) + c[2](px, py, std::min(pz + 1, n)))};
        };
        const Vec3f w = curl(centre(-1, 0, 0), centre(1, 0, 0), centre(0, -1, 0), centre(0, 1, 0), centre(0, 0, -1),
                             centre(0, 0, 1), h);
        for (int a = 0; a < 3; ++a) out.tile(t, a)[i] = w[a];
      }
    });
  }

  void find_push(float dt) {
    GasGrid& grid = gas_->grid();
    DiscreteVolume& volume = grid.volume();
    const auto h = static_cast<float>(grid.voxel());
    auto w = read(volume, omega_, Stencil::box);
    auto kind = read(volume, grid.cell);
    auto out = write(volume, push_);
    for_each_bucket(volume.buckets(), w, kind, out, [&](int t) {
      PaddedTile<float> c[3];
      for (int a = 0; a < 3; ++a) c[a].load(w, volume.buckets().neighbours(t), a);
      const auto size = [&](int x, int y, int z) {
        return std::sqrt(c[0](x, y, z) * c[0](x, y, z) + c[1](x, y, z) * c[1](x, y, z) + c[2](x, y, z) * c[2](x, y, z));
      };
      for (int i = 0; i < GasGrid::voxels; ++i) {
        Vec3f a{0, 0, 0};
        if (kind.tile(t)[i] == static_cast<std::uint8_t>(CellKind::fluid)) {
          const int x = i % n, y = i / n % n, z = i / (n * n);
          const Vec3f w0{c[0](x, y, z), c[1](x, y, z), c[2](x, y, z)};
          const Vec3f gradient = Vec3f{size(x + 1, y, z) - size(x - 1, y, z), size(x, y + 1, z) - size(x, y - 1, z),
                                       size(x, y, z + 1) - size(x, y, z - 1)} *
                                 (0.5f / h);
          const float turn = norm(w0);
          a = confinement(strength_, h, w0, gradient, 1e-6f * turn / h + 1e-20f);
          if (strength_ * turn * dt > most_of_an_eddy) a = a * (most_of_an_eddy / (strength_ * turn * dt));
        }
        for (int k = 0; k < 3; ++k) out.tile(t, k)[i] = a[k];
      }
    });
  }

  // The share of the push whose work is at most `returned_share` of what the grid has taken. One number for all of the
  // gas: pushes cut cell by cell are rough, and what is rough the next advection takes again.
  float within_budget(double dt) {
    struct Sums {
      double work = 0, square = 0, damped = 0;
      Sums& operator+=(const Sums& other) {
        work += other.work, square += other.square, damped += other.damped;
        return *this;
      }
    };
    DiscreteVolume& volume = gas_->grid().volume();
    auto u = read(volume, gas_->grid().velocity, Stencil::faces);
    auto push = read(volume, push_);
    auto damped = read(volume, damped_);
    std::vector<Sums> tiles(static_cast<std::size_t>(volume.buckets().local_count()));
    for_each_bucket(volume.buckets(), u, push, damped, [&](int t) {
      float v[3][GasGrid::voxels];
      centre_velocity(u, t, v[0], v[1], v[2]);
      Sums& sums = tiles[static_cast<std::size_t>(t)];
      for (int i = 0; i < GasGrid::voxels; ++i) {
        sums.damped += static_cast<double>(damped.tile(t)[i]);
        for (int k = 0; k < 3; ++k) {
          const double dv = static_cast<double>(push.tile(t, k)[i]) * dt;
          sums.work += static_cast<double>(v[k][i]) * dv;
          sums.square += dv * dv;
        }
      }
    });
    const Sums all =
        sum_over_buckets<Sums>(volume.buckets(), [&](int t) { return tiles[static_cast<std::size_t>(t)]; });
    if (!(all.damped > 0) || !(all.square > 0)) return 0;
    return static_cast<float>(within_work(all.work, all.square, returned_share * all.damped));
  }

  VolumeObject* gas_;
  float strength_;
  ChannelId<float> damped_, omega_, push_;
};

}  // namespace

void add_vorticity_confinement(VolumeObject& gas, const std::string& owner, double strength) {
  const auto action = std::make_shared<Confinement>(gas, strength);
  gas.add_force({owner, "vorticity confinement",
                 [action](const Step& step, ChannelId<float> to) { action->accumulate(step, to); }});
}

}  // namespace ymir
