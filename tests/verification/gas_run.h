// A gas in a box, with whatever is put into it, advanced as the program does it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "ymir/objects/volume_object.h"
#include "ymir/pipeline/simulation.h"

namespace ymir::verification {

struct GasCase {
  double voxel = 0.1;  // [m]
  Box box{{0, 0, 0}, {1.6, 1.6, 1.6}};
  bool closed = true;
  std::array<Wall, 6> wall{};
  std::array<Vec3d, 6> wall_velocity{};
  double density = 1.2;         // [kg/m^3]
  double temperature = 293.15;  // [K]
  AdvectionOptions advection;
  bool reflection = false;
  double tolerance = 1e-8;
  double dt = 0.01;  // [s]
};

class GasRun {
 public:
  explicit GasRun(const GasCase& c) : case_(c) {
    TimeParams time;
    time.fps = 1 / c.dt;
    time.frames = {1, 1000000};
    simulation_ = std::make_unique<Simulation>(time, 1.0, alone_);
    VolumeObject::Description d;
    d.voxel = c.voxel;
    d.box = GasBox{c.box, {}};
    d.box->closed.fill(c.closed);
    d.box->wall = c.wall;
    d.box->velocity = c.wall_velocity;
    d.density = c.density;
    d.temperature = c.temperature;
    d.everywhere = true;
    d.advection = c.advection;
    d.reflection = c.reflection;
    gas_ = &simulation_->add(std::make_unique<VolumeObject>("gas", 0, d, alone_));
    VolumeObject::Pressure pressure;
    pressure.enabled = true;
    pressure.options = {c.tolerance, 500};
    gas_->set_pressure(pressure);
  }

  Simulation& simulation() { return *simulation_; }
  VolumeObject& gas() { return *gas_; }
  GasGrid& grid() { return gas_->grid(); }

  // After everything was added.
  void begin(const std::function<Vec3d(Vec3d)>& velocity = {}) {
    simulation_->ingest();
    if (velocity) set_velocity(velocity);
  }
  void set_velocity(const std::function<Vec3d(Vec3d)>& velocity) {
    fill(grid().volume(), grid().velocity, [&](int, Vec3i v, int c) {
      return static_cast<float>(velocity(grid().volume().position(grid().velocity.index, 0, v, c))[c]);
    });
  }
  void advance(int steps) {
    for (int i = 0; i < steps; ++i) simulation_->advance_frame(++frame_);
  }

  // body(position, velocity component, axis) for all faces between two cells of gas.
  template <class F>
  void for_faces(F&& body) {
    const DiscreteVolume& volume = grid().volume();
    const VolumeView<std::uint8_t> cell(volume, grid().cell);
    for (int t = 0; t < volume.buckets().local_count(); ++t) {
      if (!grid().holds_gas(t)) continue;
      const BucketCoord b = volume.buckets().coord(t);
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) {
          const Vec3i v{b.x * 8 + i % 8, b.y * 8 + i / 8 % 8, b.z * 8 + i / 64};
          Vec3i low = v;
          --low[c];
          if (cell.value(0, v) != 1 || cell.value(0, low) != 1) continue;
          body(volume.position(grid().velocity.index, 0, v, c),
               static_cast<double>(volume.tiles(grid().velocity, c)[t * GasGrid::voxels + i]), c);
        }
    }
  }
  // Momentum of the gas [kg m/s].
  Vec3d momentum() {
    Vec3d sum{0, 0, 0};
    const double mass = gas_->description().density * std::pow(case_.voxel, 3);
    for_faces([&](Vec3d, double u, int c) { sum[c] += mass * u; });
    return sum;
  }

 private:
  GasCase case_;
  Communicator alone_;
  std::unique_ptr<Simulation> simulation_;
  VolumeObject* gas_ = nullptr;
  std::int64_t frame_ = 0;
};

}  // namespace ymir::verification
