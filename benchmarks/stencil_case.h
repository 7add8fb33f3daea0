// One stencil problem and the ways to solve it, all on the same data: y = d x - sum of c_f x_f over n^3 voxels in
// buckets of 8^3, some of which may be left out.
#pragma once

#include <cstdint>
#include <memory>

#include "ymir/base/hash.h"
#include "ymir/base/random.h"
#include "ymir/math/vec3.h"

namespace ymir::bench {

struct StencilCase {
  int n;             // voxels along an edge
  double occupancy;  // share of buckets present, chosen at random

  int buckets() const { return n / 8; }
  bool present(int x, int y, int z) const {
    const auto b = static_cast<std::uint64_t>(buckets());
    const auto at = (static_cast<std::uint64_t>(z) * b + static_cast<std::uint64_t>(y)) * b;
    return occupancy >= 1 || Random(5, at + static_cast<std::uint64_t>(x)).uniform() < occupancy;
  }
  std::uint64_t index(Vec3i v) const {
    const auto edge = static_cast<std::uint64_t>(n);
    return (static_cast<std::uint64_t>(v.z) * edge + static_cast<std::uint64_t>(v.y)) * edge +
           static_cast<std::uint64_t>(v.x);
  }
  // Values in [0, 1) from the place alone.
  float x(Vec3i v) const { return unit(index(v)); }
  float face(Vec3i v, int axis) const { return unit(index(v) ^ static_cast<std::uint64_t>(axis + 1) << 60); }
  float diagonal(Vec3i v) const { return 6 + unit(index(v) ^ std::uint64_t{9} << 60); }
  // Contribution of one result to the hash; the sum over all voxels does not depend on their order.
  std::uint64_t hash(Vec3i v, float y) const { return hash_combine(index(v), hash_bits(static_cast<double>(y))); }

 private:
  static float unit(std::uint64_t key) { return static_cast<float>(mix64(key + 1) >> 40) * 0x1p-24f; }
};

class StencilSolver {
 public:
  virtual ~StencilSolver() = default;
  virtual const char* name() const = 0;
  virtual void apply() = 0;
  virtual std::uint64_t hash() const = 0;
};

std::unique_ptr<StencilSolver> make_tile_stencil(const StencilCase&);
std::unique_ptr<StencilSolver> make_dense_stencil(const StencilCase&);
std::unique_ptr<StencilSolver> make_openvdb_stencil(const StencilCase&);  // null without OpenVDB

}  // namespace ymir::bench
