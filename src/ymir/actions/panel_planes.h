// Panels of a surface, or balls inside a body, as planes of doubles, as Forces want them, and what Forces make of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "ymir/objects/force_target.h"

namespace ymir {

class PanelPlanes {
 public:
  enum class Of : std::uint8_t { surface, inside };
  explicit PanelPlanes(std::size_t panels, Of what = Of::surface)
      : n_(panels), what_(what), values_(count * panels, 0.0) {}

  std::size_t size() const { return n_; }
  // `area`: the panel's normal, as long as half of what air touches of it [m^2].
  void place(std::size_t i, Vec3d centre, Vec3d area) {
    const double size = norm(area);
    set(position, i, centre);
    set(normal, i, size > 0 ? area / size : Vec3d{0, 0, 0});
    plane(area_plane)[i] = size;
    plane(radius)[i] = std::sqrt(size / M_PI);
  }
  void place_ball(std::size_t i, Vec3d centre, double volume) {
    set(position, i, centre);
    plane(radius)[i] = std::cbrt(volume * (3 / (4 * M_PI)));
  }
  void set_velocity(std::size_t i, Vec3d v) { set(velocity, i, v); }
  void set_mass(std::size_t i, double m) { plane(mass)[i] = m; }

  PointBlock block(int bucket, std::size_t first_of_bucket, std::size_t begin, std::size_t end, double time,
                   double dt) const {
    PointBlock b{nullptr,
                 bucket,
                 static_cast<int>(end - begin),
                 time,
                 dt,
                 read(position, begin),
                 read(velocity, begin),
                 plane(mass) + begin,
                 plane(radius) + begin};
    b.first = static_cast<int>(begin - first_of_bucket);
    if (what_ == Of::inside) return b;
    b.tangent = read(normal, begin);
    b.area = plane(area_plane) + begin;
    return b;
  }
  ForceBlock cleared_forces(std::size_t begin, std::size_t end) {
    for (std::size_t p = force; p < derivative + 6; ++p) std::fill(plane(p) + begin, plane(p) + end, 0.0);
    return {{plane(force) + begin, plane(force + 1) + begin, plane(force + 2) + begin},
            {plane(derivative) + begin, plane(derivative + 1) + begin, plane(derivative + 2) + begin,
             plane(derivative + 3) + begin, plane(derivative + 4) + begin, plane(derivative + 5) + begin}};
  }
  // What Forces made of all of them.
  std::span<double> made() { return {plane(force), (derivative + 6 - force) * n_}; }
  Vec3d force_on(std::size_t i) const { return {plane(force)[i], plane(force + 1)[i], plane(force + 2)[i]}; }
  // -df/dv [kg/s] at row r, column c.
  double stiffness(std::size_t i, int r, int c) const {
    // In the order of SymmetricPlanes.
    constexpr std::size_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return -plane(derivative + at[r][c])[i];
  }

 private:
  static constexpr std::size_t position = 0, velocity = 3, normal = 6, force = 9, derivative = 12, mass = 18,
                               radius = 19, area_plane = 20, count = 21;
  double* plane(std::size_t p) { return values_.data() + p * n_; }
  const double* plane(std::size_t p) const { return values_.data() + p * n_; }
  void set(std::size_t first, std::size_t i, Vec3d v) {
    for (int k = 0; k < 3; ++k) plane(first + static_cast<std::size_t>(k))[i] = v[k];
  }
  Planes<const Vec3d>::Type read(std::size_t first, std::size_t begin) const {
    return {plane(first) + begin, plane(first + 1) + begin, plane(first + 2) + begin};
  }

  std::size_t n_;
  Of what_;
  std::vector<double> values_;
};

}  // namespace ymir
