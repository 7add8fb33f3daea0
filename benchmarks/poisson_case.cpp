#include "poisson_case.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ymir/base/random.h"
#include "ymir/data/volume_accessor.h"

namespace ymir::bench {
namespace {

struct Ball {
  Vec3d centre;
  double radius;
};

// Balls of radius [low, high] n at random places.
std::vector<Ball> random_balls(int count, int n, double low, double high) {
  std::vector<Ball> balls;
  for (int i = 0; i < count; ++i) {
    Random random(7, static_cast<std::uint64_t>(i));
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    balls.push_back({Vec3d(x, y, z) * n, random.uniform(low, high) * n});
  }
  return balls;
}

double distance(const std::vector<Ball>& balls, Vec3d p) {
  double d = 1e30;
  for (const Ball& ball : balls) d = std::min(d, norm(p - ball.centre) - ball.radius);
  return d;
}

// Part of a unit square where a function with these values at its corners, in order around it, is positive: exact for
// planes.
double positive_part(std::array<double, 4> corners) {
  // Area of the polygon that is left when the square is cut at the zeros on its edges.
  constexpr double at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  double points[8][2];
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    const int next = (i + 1) % 4;
    const double a = corners[static_cast<std::size_t>(i)], b = corners[static_cast<std::size_t>(next)];
    const auto add = [&](double t) {
      for (int k = 0; k < 2; ++k) points[count][k] = at[i][k] + t * (at[next][k] - at[i][k]);
      ++count;
    };
    if (a > 0) add(0);
    if ((a > 0) != (b > 0)) add(a / (a - b));
  }
  double area = 0;
  for (int i = 0; i < count; ++i) {
    const int next = (i + 1) % count;
    area += points[i][0] * points[next][1] - points[next][0] * points[i][1];
  }
  return 0.5 * area;
}

// A problem as functions of place: which cells are unknowns, and c of the lower face of a cell along an axis.
class Builder {
 public:
  Builder(PoissonGeometry geometry, int n) : n_(n), open_top_(geometry != PoissonGeometry::closed_box) {
    switch (geometry) {
      case PoissonGeometry::box:
      case PoissonGeometry::closed_box: set_cells([](Vec3i) { return true; }); break;
      case PoissonGeometry::sphere: {
        const std::vector<Ball> ball{{Vec3d(0.5, 0.5, 0.5) * n, 0.25 * n}};
        set_cells([=](Vec3i v) { return distance(ball, centre(v)) > 0; });
        break;
      }
      case PoissonGeometry::cut_sphere: set_cut({{Vec3d(0.5, 0.45, 0.52) * n, 0.27 * n}}); break;
      case PoissonGeometry::balls: set_cut(random_balls(120, n, 0.03, 0.08)); break;
      case PoissonGeometry::blob: set_blob(); break;
      case PoissonGeometry::pockets: set_pockets(); break;
      case PoissonGeometry::drops: set_densities(1000); break;
      case PoissonGeometry::bubbles: set_densities(0.001); break;
      case PoissonGeometry::comb: set_cells([n](Vec3i v) { return v.x % 2 == 0 || v.y >= n - n / 8; }); break;
      case PoissonGeometry::serpentine:
        set_cells([n](Vec3i v) { return v.x % 2 == 0 || v.y == (v.x % 4 == 1 ? 0 : n - 1); });
        open_top_ = false;
        open_end_ = true;
        break;
      case PoissonGeometry::sheet: set_sheets(n / 2 + 1, n); break;
      case PoissonGeometry::sheets: set_sheets(3, 3); break;
      case PoissonGeometry::random:
        set_cells([](Vec3i) { return true; });
        weight_ = [this](Vec3i v, int axis) {
          return std::pow(10, Random(17 + static_cast<std::uint64_t>(axis), index(v)).uniform(-4, 0));
        };
        break;
    }
  }

  bool inside(Vec3i v) const { return v.x >= 0 && v.y >= 0 && v.z >= 0 && v.x < n_ && v.y < n_ && v.z < n_; }
  bool fluid(Vec3i v) const { return inside(v) && fluid_(v); }
  double face(Vec3i v, int axis) const {
    Vec3i low = v;
    --low[axis];
    if (everywhere_) return fluid(v) || fluid(low) ? 1 : 0;
    const bool top = open_top_ && axis == 1 && v.y == n_ && inside(low);
    const bool end = open_end_ && axis == 1 && v.y == n_ && low.x == n_ - 2 && inside(low);
    if (top || end) return fluid(low) ? weight_(v, axis) : 0;
    if (!inside(v) || !inside(low)) return 0;
    return (cut_ || (fluid_(v) && fluid_(low))) ? weight_(v, axis) : 0;
  }
  std::uint64_t index(Vec3i v) const {
    const auto n = static_cast<std::uint64_t>(n_ + 1);
    return static_cast<std::uint64_t>(v.x) +
           n * (static_cast<std::uint64_t>(v.y) + n * static_cast<std::uint64_t>(v.z));
  }

 private:
  static Vec3d centre(Vec3i v) { return {v.x + 0.5, v.y + 0.5, v.z + 0.5}; }

  void set_cells(std::function<bool(Vec3i)> fluid) { fluid_ = std::move(fluid); }

  // Faces are cut by balls whose distance is known at the corners of cells.
  void set_cut(const std::vector<Ball>& balls) {
    cut_ = true;
    corners_.resize(index({n_, n_, n_}) + 1);
    parallel_for(n_ + 1, [&](std::ptrdiff_t z) {
      for (int y = 0; y <= n_; ++y)
        for (int x = 0; x <= n_; ++x)
          corners_[index({x, y, static_cast<int>(z)})] =
              static_cast<float>(distance(balls, Vec3d(x, y, static_cast<double>(z))));
    });
    weight_ = [this](Vec3i v, int axis) {
      Vec3i a{0, 0, 0}, b{0, 0, 0};
      a[(axis + 1) % 3] = b[(axis + 2) % 3] = 1;
      const auto at = [&](Vec3i p) { return static_cast<double>(corners_[index(p)]); };
      const double part = positive_part({at(v), at(v + a), at(v + a + b), at(v + b)});
      return part < 1e-6 ? 0 : part;
    };
    fluid_ = [this](Vec3i v) {
      for (int axis = 0; axis < 3; ++axis) {
        Vec3i high = v;
        ++high[axis];
        if (weight_(v, axis) > 0 || weight_(high, axis) > 0) return true;
      }
      return false;
    };
  }

  void set_blob() {
    everywhere_ = true;
    const double tiles = n_ / 8;
    fluid_ = [tiles](Vec3i v) {
      const Vec3d t(v.x / 8 + 0.5, v.y / 8 + 0.5, v.z / 8 + 0.5);
      const Vec3d d = (t - Vec3d(0.5, 0.5, 0.5) * tiles) * (1 / tiles);
      return norm(d) < 0.36 + 0.08 * std::sin(9 * d.x + 1) * std::sin(8 * d.y) + 0.06 * std::sin(11 * d.z);
    };
  }

  void set_pockets() {
    std::vector<Ball> balls;
    for (int i = 0; i < 30; ++i) {
      const Vec3d low(i % 4, i / 4 % 4, i / 16);
      Random random(3, static_cast<std::uint64_t>(i));
      const auto near_middle = [&] { return random.uniform(0.45, 0.55); };
      const double x = near_middle(), y = near_middle(), z = near_middle();
      balls.push_back({(low + Vec3d(x, y, z)) * (n_ / 4.0), random.uniform(0.28, 0.44) * n_ / 4});
    }
    set_cells([balls](Vec3i v) {
      const double d = distance(balls, centre(v));
      return d > 0 || d < -2;
    });
  }

  void set_densities(double ratio) {
    const std::vector<Ball> balls = random_balls(20, n_, 0.06, 0.12);
    set_cells([](Vec3i) { return true; });
    weight_ = [balls, ratio](Vec3i v, int axis) {
      const auto density = [&](Vec3i p) { return distance(balls, centre(p)) < 0 ? ratio : 1; };
      Vec3i low = v;
      --low[axis];
      return 2 / (density(v) + density(low));
    };
  }

  // Walls between cells at z = first, first + every, ...
  void set_sheets(int first, int every) {
    set_cells([](Vec3i) { return true; });
    weight_ = [this, first, every](Vec3i v, int axis) -> double {
      if (axis != 2 || v.z < first || (v.z - first) % every != 0) return 1;
      Random random(23, static_cast<std::uint64_t>(v.z));
      const int x = static_cast<int>(random.uniform(0, n_ - 1)), y = static_cast<int>(random.uniform(0, n_ - 1));
      return v.x >= x && v.x < x + 2 && v.y >= y && v.y < y + 2 ? 1 : 0;
    };
  }

  int n_;
  bool open_top_ = true, open_end_ = false, everywhere_ = false, cut_ = false;
  std::function<bool(Vec3i)> fluid_;
  std::function<double(Vec3i, int)> weight_ = [](Vec3i, int) { return 1.0; };
  std::vector<float> corners_;
};

}  // namespace

const std::vector<PoissonGeometryName>& poisson_geometries() {
  static const std::vector<PoissonGeometryName> all{
      {PoissonGeometry::box, "box"},
      {PoissonGeometry::closed_box, "closed box"},
      {PoissonGeometry::sphere, "sphere"},
      {PoissonGeometry::cut_sphere, "cut sphere"},
      {PoissonGeometry::balls, "120 cut balls"},
      {PoissonGeometry::blob, "blob of tiles"},
      {PoissonGeometry::pockets, "30 sealed pockets"},
      {PoissonGeometry::drops, "heavy drops 1000:1"},
      {PoissonGeometry::bubbles, "light bubbles 1:1000"},
      {PoissonGeometry::comb, "comb"},
      {PoissonGeometry::serpentine, "serpentine"},
      {PoissonGeometry::sheet, "one sheet with a slot"},
      {PoissonGeometry::sheets, "sheets with slots"},
      {PoissonGeometry::random, "random coefficients"},
  };
  return all;
}

PoissonCase::PoissonCase(PoissonGeometry geometry, int n, Communicator& communicator)
    : domain(8.0 / n, 1, communicator), volume(domain), n_(n) {
  YMIR_CHECK(n % 8 == 0);
  const Builder builder(geometry, n);
  std::vector<BucketKey> keys;
  if (communicator.root()) {
    const int tiles = n / 8;
    const auto held = [&](Vec3i t) { return geometry != PoissonGeometry::blob || builder.fluid(t * 8); };
    for (int i = 0; i < tiles * tiles * tiles; ++i) {
      const Vec3i t{i % tiles, i / tiles % tiles, i / tiles / tiles};
      if (!held(t)) continue;
      for (const Vec3i d : {Vec3i{0, 0, 0}, Vec3i{1, 0, 0}, Vec3i{0, 1, 0}, Vec3i{0, 0, 1}})
        keys.push_back(key_of({t.x + d.x, t.y + d.y, t.z + d.z, 0}));
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  domain.rebalance(keys, std::vector<double>(keys.size(), 1.0));
  volume.set_buckets(keys);
  coefficient = volume.add_channel<float>("coefficient", {.sampling = Sampling::face});
  cell = volume.add_channel<std::uint8_t>("cell");
  b = volume.add_channel<double>("b");
  x = volume.add_channel<double>("x");
  fill(volume, cell, [&](int, Vec3i v, int) -> std::uint8_t { return builder.fluid(v) ? 1 : 0; });
  fill(volume, coefficient, [&](int, Vec3i v, int axis) { return static_cast<float>(builder.face(v, axis)); });
  const std::uint8_t* cells = volume.tiles(cell);
  const auto local = static_cast<std::ptrdiff_t>(volume.buckets().local_count()) * 512;
  unknowns_ = communicator.sum(static_cast<std::int64_t>(std::count(cells, cells + local, 1)));
  set_random_right_side();
}

void PoissonCase::set_random_right_side(std::uint64_t seed) {
  fill(volume, b, [&](int, Vec3i v, int) {
    const auto n = static_cast<std::uint64_t>(n_ + 8);
    const auto at =
        static_cast<std::uint64_t>(v.x) + n * (static_cast<std::uint64_t>(v.y) + n * static_cast<std::uint64_t>(v.z));
    return Random(seed, at).uniform(-1, 1);
  });
  auto flags = read(volume, cell);
  auto values = read_write(volume, b);
  for_each_bucket(volume.buckets(), flags, values, [&](int t) {
    for (int i = 0; i < 512; ++i)
      if (flags.tile(t)[i] == 0) values.tile(t)[i] = 0;
  });
}

void PoissonCase::clear_solution() {
  fill(volume, x, [](int, Vec3i, int) { return 0.0; });
}

}  // namespace ymir::bench
