#include "ymir/fluid/gas_sheets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/random.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/fluid/gas_boundary.h"
#include "ymir/fluid/projection.h"

namespace ymir {
namespace {

constexpr double h = 0.1;
constexpr int side = 16;  // voxels
constexpr double edge = h * side;
constexpr auto now = sheet::When::now, before = sheet::When::before;

Surface tilted(Vec3d center, Vec3d angles, double half = 2 * edge) {
  const Quaternion turn = quaternion_from_angles(angles);
  return rectangle_mesh(center, half, half, rotate(turn, {1, 0, 0}), rotate(turn, {0, 0, 1}));
}
Surface horizontal(double height) { return tilted({0.5 * edge, height, 0.5 * edge}, {0, 0, 0}); }

// A closed box with sheets.
struct Room {
  Communicator alone;
  GasGrid grid{h, alone};
  GasBoundary boundary;

  explicit Room(std::vector<GasSheet> sheets, double dt = 0) {
    boundary.set_box({{{0, 0, 0}, {edge, edge, edge}}, {true, true, true, true, true, true}});
    for (GasSheet& s : sheets) boundary.add(std::move(s));
    grid.set_wanted(tiles_in(grid.domain(), {Vec3d{1, 1, 1} * (0.5 * h), Vec3d{1, 1, 1} * (edge - 0.5 * h)}));
    boundary.update(grid, 0, dt);
  }
  float open(Vec3i v, int axis) const { return VolumeView<float>(grid.volume(), grid.open, axis).value(0, v); }
  int marks(Vec3i v) const { return VolumeView<std::uint8_t>(grid.volume(), grid.sheets).value(0, v); }

  static int index(Vec3i v) { return (v.z * side + v.y) * side + v.x; }
  // Number of each cell's component, joined by open faces.
  std::vector<int> components(int& count) const {
    std::vector<int> label(side * side * side, -1);
    count = 0;
    for (int start = 0; start < side * side * side; ++start) {
      if (label[static_cast<std::size_t>(start)] >= 0) continue;
      std::vector<Vec3i> queue{{start % side, start / side % side, start / (side * side)}};
      label[static_cast<std::size_t>(start)] = count;
      while (!queue.empty()) {
        const Vec3i v = queue.back();
        queue.pop_back();
        for (int axis = 0; axis < 3; ++axis)
          for (const int step : {-1, 1}) {
            Vec3i next = v;
            next[axis] += step;
            if (next[axis] < 0 || next[axis] >= side || open(step > 0 ? next : v, axis) == 0) continue;
            int& at = label[static_cast<std::size_t>(index(next))];
            if (at < 0) at = count, queue.push_back(next);
          }
      }
      ++count;
    }
    return label;
  }
};

TEST(GasSheets, CloseOneLayerOfFacesWhereverAmongTheVoxelsTheyLie) {
  for (const double height : {0.8, 0.82, 0.85, 0.8 + 1e-12, 0.8 - 1e-12, 0.85 + 1e-12, 0.899}) {
    const Room room({{horizontal(height), {}}});
    int closed = 0;
    for (int z = 0; z < side; ++z)
      for (int y = 1; y < side; ++y)
        for (int x = 0; x < side; ++x)
          for (int axis = 0; axis < 3; ++axis) {
            const Vec3i v{x, y, z};
            if (v[axis] == 0 || room.open(v, axis) > 0) continue;
            ++closed;
            EXPECT_EQ(axis, 1);
            EXPECT_NEAR(y * h, height, 0.51 * h);
            EXPECT_EQ(room.marks(v), sheet::closes(1, now) | sheet::closes(1, before));
          }
    EXPECT_EQ(closed, side * side) << "at " << height;
  }
}

TEST(GasSheets, PartABoxInTwoHoweverTheyAreTilted) {
  std::vector<Surface> sheets;
  for (std::uint64_t k = 0; k < 40; ++k) {
    Random random(7, k);
    const Vec3d angles{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)};
    const Vec3d center = Vec3d{random.uniform(0.4, 0.6), random.uniform(0.4, 0.6), random.uniform(0.4, 0.6)} * edge;
    sheets.push_back(tilted(center, angles));
  }
  // Diagonals through centres, corners and edges of voxels.
  for (const double shift : {0.0, 0.5 * h, 0.25 * h})
    for (const Vec3d angles : {Vec3d{M_PI / 4, 0, 0}, Vec3d{0, 0, -M_PI / 4}, Vec3d{M_PI / 2, 0, 0},
                               Vec3d{M_PI / 4, 0, std::atan(std::sqrt(0.5))}})
      sheets.push_back(tilted(Vec3d{1, 1, 1} * (0.5 * edge + shift), angles));
  for (const Surface& surface : sheets) {
    const Room room({{surface, {}}});
    int count = 0;
    const std::vector<int> label = room.components(count);
    ASSERT_EQ(count, 2);
    const Vec3d normal =
        cross(surface.positions[1] - surface.positions[0], surface.positions[2] - surface.positions[0]);
    double sign = 0;
    for (int i = 0; i < side * side * side; ++i) {
      const Vec3d x = Vec3d{i % side + 0.5, i / side % side + 0.5, i / (side * side) + 0.5} * h;
      const double d = dot(normal, x - surface.positions[0]) / norm(normal);
      if (std::abs(d) < 1e-4 * h) continue;
      const double is = (d > 0) == (label[static_cast<std::size_t>(i)] == 0) ? 1 : -1;
      if (sign == 0) sign = is;
      ASSERT_EQ(is, sign) << "cell " << i << " is on the wrong side";
    }
  }
}

TEST(GasSheets, AreTightWhereTwoMeetAtAnEdge) {
  for (std::uint64_t k = 0; k < 20; ++k) {
    Random random(11, k);
    // A gutter: two rectangles from one line, up to the sides of the box.
    const Vec3d low = Vec3d{-1, random.uniform(0.4, 0.6), random.uniform(0.4, 0.6)} * edge, along{3 * edge, 0, 0};
    const double slopes[] = {random.uniform(0.8, 1.8), random.uniform(1.9, 2.9)};
    Surface gutter;
    gutter.positions = {low, low + along};
    for (const double slope : slopes)
      for (const double x : {0.0, 1.0})
        gutter.positions.push_back(low + along * x + Vec3d{0, std::sin(slope), std::cos(slope)} * (2 * edge));
    gutter.triangles = {{0, 1, 3}, {0, 3, 2}, {0, 4, 5}, {0, 5, 1}};
    int count = 0;
    const std::vector<int> label = Room({{gutter, {}}}).components(count);
    // In a narrow gutter, cells at the bottom may be on their own; none may be joined to the other side.
    std::vector<int> inside(static_cast<std::size_t>(count), -1);
    for (int i = 0; i < side * side * side; ++i) {
      const Vec3d x = Vec3d{i % side + 0.5, i / side % side + 0.5, i / (side * side) + 0.5} * h - low;
      const double angle = std::atan2(x.y, x.z);
      int& is = inside[static_cast<std::size_t>(label[static_cast<std::size_t>(i)])];
      const int here_ = angle > slopes[0] && angle < slopes[1] ? 1 : 0;
      if (is < 0) is = here_;
      ASSERT_EQ(is, here_) << k;
    }
    EXPECT_GE(count, 2);
  }
}

TEST(GasSheets, EndWhereTheyEnd) {
  const Surface half = rectangle_mesh({0.4, 0.8, 0.8}, 0.4, 2, {1, 0, 0}, {0, 0, 1});
  const Room room({{half, {}}});
  EXPECT_EQ(room.open({7, 8, 8}, 1), 0);
  EXPECT_EQ(room.open({8, 8, 8}, 1), 1);
  int count = 0;
  room.components(count);
  EXPECT_EQ(count, 1);
}

TEST(GasSheets, MoveGasAndTellWhichCellsTheyHavePassed) {
  const double dt = 0.1, speed = 0.7;
  const auto pose = [&](double time) { return RigidTransform{{}, {0, speed * time, 0}}; };
  const Room room({{horizontal(0.88), pose}}, dt);  // from 0.81 at -dt to 0.88
  EXPECT_EQ(room.open({3, 9, 3}, 1), 0);
  EXPECT_EQ(room.open({3, 8, 3}, 1), 1);
  EXPECT_NEAR(VolumeView<float>(room.grid.volume(), room.grid.solid_velocity, 1).value(0, {3, 9, 3}), speed, 1e-6);
  EXPECT_EQ(room.marks({3, 9, 3}), sheet::closes(1, now));
  EXPECT_EQ(room.marks({3, 8, 3}), sheet::closes(1, before) | sheet::passed);
  EXPECT_EQ(room.marks({3, 7, 3}), 0);
}

// A pocket of sheets only: no side of the domain near, no opening.
TEST(GasSheets, SealPocketsThatThePressureCopesWith) {
  const Quaternion turn = quaternion_from_angles({0.3, 0.2, 0.5});
  const auto axis = [&](Vec3d d) { return rotate(turn, d); };
  Room room({{box_mesh({0.8, 0.8, 0.8}, {0.35, 0.3, 0.25}, axis({1, 0, 0}), axis({0, 1, 0}), axis({0, 0, 1})), {}}});
  int count = 0;
  const std::vector<int> label = room.components(count);
  ASSERT_EQ(count, 2);
  // Inflow in both: the mean of each is removed.
  const auto source = room.grid.volume().add_channel<float>("source");
  fill(room.grid.volume(), source, [](int, Vec3i v, int) { return v.x == 7 ? 1.0f : 0.5f; });
  Projection projection(room.grid);
  projection.set_source(source);
  const ProjectionReport report = projection.project(room.grid.velocity, 0.01, {1e-8, 200});
  EXPECT_TRUE(report.solve.converged);
  std::printf("pocket: %d iterations, residual %.1e\n", report.solve.iterations, report.solve.residual);
  double mean[2] = {}, cells[2] = {};
  const VolumeView<double> q(room.grid.volume(), projection.potential());
  for (int i = 0; i < side * side * side; ++i) {
    const auto c = static_cast<std::size_t>(label[static_cast<std::size_t>(i)]);
    const double value = q.value(0, {i % side, i / side % side, i / (side * side)});
    EXPECT_TRUE(std::isfinite(value));
    mean[c] += value, ++cells[c];
  }
  for (int c = 0; c < 2; ++c) EXPECT_LT(std::abs(mean[c] / cells[c]), 1e-8);
  EXPECT_GT(std::min(cells[0], cells[1]), 100);
}

}  // namespace
}  // namespace ymir
