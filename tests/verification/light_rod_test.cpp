// Rods lighter than the gas around them: they carry gas across, not along. [method notes C, light bodies, 3]
#include <fmt/format.h>

#include "light_body.h"
#include "ymir/actions/coupled_drag.h"
#include "ymir/physics/particles/point_newton.h"

namespace ymir {
namespace {

using namespace verification;

// A straight rod that moves without turning, in pieces.
class RigidRod final : public Object, public ForceTarget {
 public:
  RigidRod(Vec3d middle, Vec3d direction, double length, int pieces, double radius, double density)
      : Object("rod", 0), count_(pieces) {
    const double piece = length / pieces;
    for (int i = 0; i < pieces; ++i) {
      const Vec3d x = middle + direction * ((i + 0.5) * piece - 0.5 * length);
      for (int k = 0; k < 3; ++k) {
        place_[k].push_back(x[k]);
        tangent_[k].push_back(direction[k]);
        velocity_[k].push_back(0);
      }
      length_.push_back(piece);
      radius_.push_back(radius);
      mass_.push_back(M_PI * radius * radius * piece * density);
    }
  }
  Vec3d velocity() const { return {velocity_[0][0], velocity_[1][0], velocity_[2][0]}; }

  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void solve_every_iteration() override {}
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override { visit(block()); }
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }

  void schedule(Timeline& timeline) override {
    timeline.add({Stage::solid_update, group(), Role::object, path(), "motion", {}, {}, [this](const Step& step) {
                    move(step.dt);
                  }});
  }
  std::int64_t element_count() const override { return count_; }
  void save() override { start_ = velocity(); }
  void rollback() override { set_velocity(start_); }
  std::optional<std::string> non_finite() const override { return std::nullopt; }
  ObjectState frame_state() const override { return {}; }
  ObjectState checkpoint() const override { return {}; }
  void restore(const ObjectState*) override {}
  std::uint64_t hash() const override { return 0; }
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}

 private:
  using Lists = std::vector<double>[3];
  static Planes<const Vec3d>::Type planes(const Lists& v) { return {v[0].data(), v[1].data(), v[2].data()}; }
  PointBlock block() const {
    return {nullptr,
            0,
            count_,
            0,
            0,
            planes(place_),
            planes(velocity_),
            mass_.data(),
            radius_.data(),
            0,
            planes(tangent_),
            length_.data()};
  }
  void set_velocity(Vec3d v) {
    for (int k = 0; k < 3; ++k) std::fill(velocity_[k].begin(), velocity_[k].end(), v[k]);
  }
  void move(double dt) {
    const auto n = static_cast<std::size_t>(count_);
    Vec3d v = start_;
    for (int iteration = 0; iteration < 20; ++iteration) {
      set_velocity(v);
      std::vector<double> planes(9 * n, 0.0);
      const auto p = [&](std::size_t i) { return planes.data() + i * n; };
      for (const PointForce& force : forces_)
        force.accumulate(block(), {}, {{p(0), p(1), p(2)}, {p(3), p(4), p(5), p(6), p(7), p(8)}});
      double sum[9] = {}, mass = 0;
      for (std::size_t i = 0; i < n; ++i) mass += mass_[i];
      for (std::size_t c = 0; c < 9; ++c)
        for (std::size_t i = 0; i < n; ++i) sum[c] += p(c)[i];
      v = newton_update<double>(mass / dt, 1e-9, start_, {sum[0], sum[1], sum[2]},
                                {sum[3], sum[4], sum[5], sum[6], sum[7], sum[8]}, v)
              .v;
    }
    set_velocity(v);
  }

  int count_;
  Lists place_, velocity_, tangent_;
  std::vector<double> length_, radius_, mass_;
  std::vector<PointForce> forces_;
  Vec3d start_{0, 0, 0};
};

// C of the direction of gravity, from the acceleration of a rod of s = 0.1 from rest; lengths in voxels.
double added(const GasCase& c, Vec3d middle, Vec3d direction, double length, double radius, Vec3d up,
             bool added_mass = true) {
  const double s = 0.1, h = c.voxel;
  GasRun run(c);
  auto& rod = run.simulation().add(std::make_unique<RigidRod>(
      middle * h, direction, length * h, static_cast<int>(std::lround(2 * length)), radius * h, s * gas_density));
  rod.add_force(gravity_force("gravity", up * -free_fall, {}));
  couple_buoyancy(run.gas(), {&rod}, "buoyancy", {up * -free_fall, true, true, added_mass});
  run.begin();
  newton_loop(run, c.dt);
  EXPECT_TRUE(run.gas().projection_report().solve.converged);
  EXPECT_LT(run.gas().projection_report().divergence, 1e-6);
  return (1 - s) * free_fall * c.dt / dot(rod.velocity(), up) - s;
}

// From wall to wall: 1 across, so that s = 0.1 gives 0.9/1.1 g.
TEST(LightRod, CarriesItsOwnVolumeAcross) {
  GasCase c = cube(32);
  c.box = {{-0.2, -0.8, -0.8}, {0.2, 0.8, 0.8}};  // 8 x 32 x 32
  for (const double radius : {0.05, 0.2, 0.5, 1.0, 2.0})
    for (const Vec3d place : {Vec3d{0, 0.5, 0.5}, Vec3d{0, 0.3, 0.1}}) {
      // Walls of a square around a dipole add 2.19 of its share of the square to C.
      const double walls = 2.19 * M_PI * radius * radius / (32 * 32);
      const double found = added(c, place, {1, 0, 0}, 8, radius, {0, 1, 0}) - walls;
      fmt::print("rod of radius {} voxels: C across {:.4f}, {:.3f} m/s^2\n", radius, found,
                 0.9 / (0.1 + found) * free_fall);
      EXPECT_NEAR(found, 1, 0.04) << radius;
    }
}

// Slender and free, in any direction. A spheroid 14 times as long as it is thick has 0.976 across and 0.012 along.
TEST(LightRod, CarriesNothingAlong) {
  const Vec3d along{0.6, 0.48, 0.64}, across = normalized(cross(along, {0.3, 0.1, 0.9}), {1, 0, 0});
  const GasCase c = cube(32);
  const double n = added(c, {0.2, 0.2, 0.2}, along, 14, 0.5, across);
  const double t = added(c, {0.2, 0.2, 0.2}, along, 14, 0.5, along);
  fmt::print("free rod, aspect 14: C across {:.4f}, along {:.4f}; without added mass {:.4f}\n", n, t,
             added(c, {0.2, 0.2, 0.2}, along, 14, 0.5, across, false));
  EXPECT_NEAR(n, 0.976, 0.03);
  EXPECT_NEAR(t, 0.012, 0.012);
}

}  // namespace
}  // namespace ymir
