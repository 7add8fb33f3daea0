// A gas in a box, with whatever is put into it, advanced as the program does it; and the gas of a setup.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>

#include "ymir/behaviors/register.h"
#include "ymir/objects/volume_object.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/setup/build.h"

namespace ymir::verification {

// body(voxel, offset of its values) for all cells of gas.
template <class F>
void for_gas(const GasGrid& grid, F&& body) {
  const DiscreteVolume& volume = grid.volume();
  for (int t = 0; t < volume.buckets().local_count(); ++t) {
    if (!grid.holds_gas(t)) continue;
    const BucketCoord b = volume.buckets().coord(t);
    for (int i = 0; i < GasGrid::voxels; ++i)
      if (const int at = t * GasGrid::voxels + i; volume.tiles(grid.cell)[at] == 1)
        body(Vec3i{b.x * 8 + i % 8, b.y * 8 + i / 8 % 8, b.z * 8 + i / 64}, at);
  }
}
// body(position, value) of a material in all cells of gas.
template <class F>
void for_cells(const GasGrid& grid, ChannelId<float> material, F&& body) {
  const DiscreteVolume& volume = grid.volume();
  for_gas(grid, [&](Vec3i v, int at) {
    body(volume.position(material.index, 0, v), static_cast<double>(volume.tiles(material)[at]));
  });
}
// body(position, velocity component, axis) for all faces between two cells of gas.
template <class F>
void for_faces(const GasGrid& grid, F&& body) {
  const DiscreteVolume& volume = grid.volume();
  const VolumeView<std::uint8_t> cell(volume, grid.cell);
  for_gas(grid, [&](Vec3i v, int at) {
    for (int c = 0; c < 3; ++c) {
      Vec3i low = v;
      --low[c];
      if (cell.value(0, low) == 1)
        body(volume.position(grid.velocity.index, 0, v, c), static_cast<double>(volume.tiles(grid.velocity, c)[at]), c);
    }
  });
}
inline void set_velocity(GasGrid& grid, const std::function<Vec3d(Vec3d)>& velocity) {
  DiscreteVolume& volume = grid.volume();
  fill(volume, grid.velocity, [&](int, Vec3i v, int c) {
    return static_cast<float>(velocity(volume.position(grid.velocity.index, 0, v, c))[c]);
  });
}
inline void set_material(GasGrid& grid, ChannelId<float> material, const std::function<double(Vec3d)>& value) {
  DiscreteVolume& volume = grid.volume();
  fill(volume, material,
       [&](int, Vec3i v, int) { return static_cast<float>(value(volume.position(material.index, 0, v))); });
}

struct GasCase {
  double voxel = 0.1;  // [m]
  Box box{{0, 0, 0}, {1.6, 1.6, 1.6}};
  bool closed = true;
  std::vector<int> open{};  // sides that are open all the same
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
    for (const int side : c.open) d.box->closed[static_cast<std::size_t>(side)] = false;
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
  void set_velocity(const std::function<Vec3d(Vec3d)>& velocity) { verification::set_velocity(grid(), velocity); }
  void advance(int steps) {
    for (int i = 0; i < steps; ++i) simulation_->advance_frame(++frame_);
  }

  // body(position, velocity component, axis) for all faces between two cells of gas.
  template <class F>
  void for_faces(F&& body) {
    verification::for_faces(grid(), body);
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

// The gas of a setup, read and built as the program does it. `time` and `behaviors` are those sections of the file.
class GasSetup {
 public:
  GasSetup(const std::string& time, const std::string& behaviors, const std::string& inputs = "{}") {
    const std::string text = "ymir: 1\ntime: " + time + "\ninputs: " + inputs + "\nsetup:\n" + behaviors;
    const ReadResult read = read_setup_text(text, "verification.yaml", registry_);
    if (!read.setup) throw std::runtime_error(to_string(read.diagnostics));
    built_ = build(*read.setup, alone_);
    for (const auto& object : built_.simulation->objects())
      if (auto* gas = dynamic_cast<VolumeObject*>(object.get())) gas_ = gas;
    if (gas_ == nullptr) throw std::runtime_error("the setup has no gas");
    built_.simulation->ingest();
  }

  Simulation& simulation() { return *built_.simulation; }
  const std::vector<Diagnostic>& warnings() const { return built_.warnings; }
  VolumeObject& gas() { return *gas_; }
  GasGrid& grid() { return gas_->grid(); }
  void advance(int frames) {
    for (int i = 0; i < frames; ++i) built_.simulation->advance_frame(++frame_);
  }

  template <class F>
  void for_faces(F&& body) {
    verification::for_faces(grid(), body);
  }
  template <class F>
  void for_cells(const std::string& material, F&& body) {
    verification::for_cells(grid(), gas_->material(material), body);
  }
  double value(const std::string& material, Vec3d x) {
    return VolumeView<float>(grid().volume(), gas_->material(material)).sample(x);
  }
  // Of what a material has beyond its ambient value, over the gas: sum of value h^3.
  double amount(const std::string& material) {
    double sum = 0;
    for_cells(material, [&](Vec3d, double f) { sum += f - gas_->ambient(material); });
    return sum * std::pow(grid().voxel(), 3);
  }

 private:
  Registry registry_ = all_behaviors();
  Communicator alone_;
  BuiltSimulation built_;
  VolumeObject* gas_ = nullptr;
  std::int64_t frame_ = 0;
};

}  // namespace ymir::verification
