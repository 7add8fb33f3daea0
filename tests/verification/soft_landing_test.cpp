// Soft bodies that land on a corner: far into large strains within a substep, with all of their weight on a few cells.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "ymir/behaviors/register.h"
#include "ymir/data/closed_surface.h"
#include "ymir/objects/mesh_cells.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/setup/build.h"

namespace ymir {
namespace {

struct Landing {
  std::string response = "penalty";
  std::string shape = "{shape: box, center: [0, 0.35, 0.2], size: [0.3, 0.3, 0.3], turn: [30 deg, 20 deg, 0]}";
  double cell = 0.05, youngs = 15e3, poisson = 0.49, speed = 0;
  int substeps = 2, frames = 60;
};

class Fall {
 public:
  explicit Fall(const Landing& c) {
    const ReadResult read =
        read_setup_text(fmt::format(R"(ymir: 1
time: {{frames: [1, 1000], fps: 24, substeps: {}}}
inputs: {{body: {}}}
setup:
  - gravity
  - collider: {{shape: plane, friction: 0.5, response: {}}}
  - solid_object: {{surface: body, cell: {}, velocity: [0, {}, 0]}}
  - elastic_solid: {{youngs_modulus: {}, poisson_ratio: {}, relaxation_time: 0.05}}
)",
                                    c.substeps, c.shape, c.response, c.cell, -c.speed, c.youngs, c.poisson),
                        "landing.yaml", registry_);
    if (!read.setup) throw std::runtime_error(to_string(read.diagnostics));
    built_ = build(*read.setup, alone_);
    for (const auto& object : built_.simulation->objects())
      if (auto* mesh = dynamic_cast<MeshObject*>(object.get())) mesh_ = mesh;
    built_.simulation->ingest();
  }
  void advance() { built_.simulation->advance_frame(++frame_); }
  const FrameReport& report() const { return built_.simulation->frame_report(); }
  // Of motion and height; what is elastic comes on top, and is never below 0.
  double energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < mesh_->mass().size(); ++i)
      sum += mesh_->mass()[i] *
             (0.5 * dot(mesh_->velocities()[i], mesh_->velocities()[i]) + 9.80665 * mesh_->positions()[i].y);
    return sum;
  }
  double speed() const {
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < mesh_->mass().size(); ++i) {
      sum += mesh_->mass()[i] * dot(mesh_->velocities()[i], mesh_->velocities()[i]);
      mass += mesh_->mass()[i];
    }
    return std::sqrt(sum / mass);
  }
  // Within the surface, as fine as the cells, by what it was.
  double volume() const { return volume_at(mesh_->positions()) / volume_at(mesh_->start()); }
  double lowest() const {
    double low = 1e9;
    for (const Vec3d& x : mesh_->skin(mesh_->positions())) low = std::min(low, x.y);
    return low;
  }
  std::size_t crushed() const { return crushed_cells(mesh_->mesh(), mesh_->positions()); }

 private:
  double volume_at(const std::vector<Vec3d>& nodes) const {
    Surface skin;
    skin.triangles = mesh_->touching().triangles;
    for (const CellPoint& at : mesh_->touching().points) skin.positions.push_back(point_in(mesh_->mesh(), at, nodes));
    return enclosed_volume(skin);
  }

  Registry registry_ = all_behaviors();
  Communicator alone_;
  BuiltSimulation built_;
  MeshObject* mesh_ = nullptr;
  std::int64_t frame_ = 0;
};

void lands(const Landing& c, const std::string& name) {
  Fall fall(c);
  double most = fall.energy();
  const double start = most;
  std::int64_t undone = 0;
  std::size_t crushed = 0;
  for (int k = 0; k < c.frames; ++k) {
    fall.advance();
    most = std::max(most, fall.energy());
    undone += fall.report().undone;
    crushed = std::max(crushed, fall.crushed());
  }
  fmt::print(
      "{}: {} substeps undone, at most {} cells crushed, {} in the end; energy {:.2f} of {:.2f} J, at most {:.2f}; "
      "volume "
      "{:.4f}, speed {:.2g} m/s, lowest {:.2g} m\n",
      name, undone, crushed, fall.crushed(), fall.energy(), start, most, fall.volume(), fall.speed(), fall.lowest());
  EXPECT_EQ(undone, 0) << name;
  EXPECT_EQ(fall.crushed(), 0U) << name;
  EXPECT_LT(most, start * (1 + 1e-6)) << name;
  EXPECT_LT(fall.speed(), 0.05) << name;
  // By its weight, K = E/(3 (1 - 2 nu)), and by how far the flat facets of the surface are off its cells.
  EXPECT_NEAR(fall.volume(), 1, 0.02) << name;
  EXPECT_GT(fall.lowest(), -2e-3) << name;
}

TEST(SoftLanding, OnACornerComesToRest) {
  for (const char* response : {"penalty", "exact"}) lands({.response = response}, response);
}

}  // namespace
}  // namespace ymir
