#include "ymir/data/shape_meshes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/check.h"

namespace ymir {

Surface sphere_mesh(Vec3d center, double radius, int rings) {
  YMIR_CHECK(rings >= 3);
  const int around = 2 * rings;
  Surface mesh;
  mesh.positions.push_back(center + Vec3d{0, radius, 0});
  for (int r = 1; r < rings; ++r)
    for (int a = 0; a < around; ++a) {
      const double polar = M_PI * r / rings, azimuth = 2 * M_PI * a / around;
      mesh.positions.push_back(
          center +
          Vec3d{std::sin(polar) * std::sin(azimuth), std::cos(polar), std::sin(polar) * std::cos(azimuth)} * radius);
    }
  mesh.positions.push_back(center - Vec3d{0, radius, 0});
  const auto at = [&](int r, int a) { return 1 + (r - 1) * around + a % around; };
  const int south = static_cast<int>(mesh.positions.size()) - 1;
  for (int a = 0; a < around; ++a) {
    mesh.triangles.push_back({0, at(1, a), at(1, a + 1)});
    for (int r = 1; r + 1 < rings; ++r) {
      mesh.triangles.push_back({at(r, a), at(r + 1, a), at(r + 1, a + 1)});
      mesh.triangles.push_back({at(r, a), at(r + 1, a + 1), at(r, a + 1)});
    }
    mesh.triangles.push_back({at(rings - 1, a), south, at(rings - 1, a + 1)});
  }
  mesh.vertices.resize(mesh.positions.size());
  mesh.faces.resize(mesh.triangles.size());
  return mesh;
}

Surface ring_mesh(Vec3d center, double width, double length, double thickness, int around, int across) {
  YMIR_CHECK(around >= 6 && across >= 3 && thickness > 0 && 2 * thickness < std::min(width, length));
  const double wire = 0.5 * thickness, bend = 0.5 * std::min(width, length) - wire;
  const Vec3d reach = width > length ? Vec3d{0.5 * (width - length), 0, 0} : Vec3d{0, 0.5 * (length - width), 0};
  Surface mesh;
  for (int a = 0; a < around; ++a) {
    // Half a step off the axes: no vertex is between the halves.
    const double angle = 2 * M_PI * (a + 0.5) / around;
    const Vec3d out{std::cos(angle), std::sin(angle), 0};
    const Vec3d middle = center + out * bend + reach * (dot(out, reach) > 0 ? 1 : -1);
    for (int c = 0; c < across; ++c) {
      const double turn = 2 * M_PI * c / across;
      mesh.positions.push_back(middle + (out * std::cos(turn) + Vec3d{0, 0, 1} * std::sin(turn)) * wire);
    }
  }
  const auto at = [&](int a, int c) { return a % around * across + c % across; };
  for (int a = 0; a < around; ++a)
    for (int c = 0; c < across; ++c) {
      mesh.triangles.push_back({at(a, c), at(a + 1, c), at(a + 1, c + 1)});
      mesh.triangles.push_back({at(a, c), at(a + 1, c + 1), at(a, c + 1)});
    }
  mesh.vertices.resize(mesh.positions.size());
  mesh.faces.resize(mesh.triangles.size());
  return mesh;
}

Surface capsule_mesh(Vec3d center, double radius, double length, int around) {
  YMIR_CHECK(around >= 6 && radius > 0 && length >= 2 * radius);
  const int quarter = std::max(2, around / 4);
  const double half = 0.5 * length - radius;
  const int rings = std::max(1, static_cast<int>(std::ceil(2 * half * around / (2 * M_PI * radius))));
  struct Ring {
    double height, radius;
  };
  std::vector<Ring> profile;  // from the top, without the poles
  for (int r = 1; r < quarter; ++r) {
    const double polar = 0.5 * M_PI * r / quarter;
    profile.push_back({half + radius * std::cos(polar), radius * std::sin(polar)});
  }
  for (int r = 0; r <= rings; ++r) profile.push_back({half - 2 * half * r / rings, radius});
  for (int r = quarter - 1; r > 0; --r) {
    const double polar = 0.5 * M_PI * r / quarter;
    profile.push_back({-half - radius * std::cos(polar), radius * std::sin(polar)});
  }
  Surface mesh;
  mesh.positions.push_back(center + Vec3d{0, half + radius, 0});
  for (const Ring& ring : profile)
    for (int a = 0; a < around; ++a) {
      const double azimuth = 2 * M_PI * a / around;
      mesh.positions.push_back(center +
                               Vec3d{ring.radius * std::sin(azimuth), ring.height, ring.radius * std::cos(azimuth)});
    }
  mesh.positions.push_back(center - Vec3d{0, half + radius, 0});
  const auto last = static_cast<int>(profile.size()) - 1;
  const auto at = [&](int r, int a) { return 1 + r * around + a % around; };
  const int south = static_cast<int>(mesh.positions.size()) - 1;
  for (int a = 0; a < around; ++a) {
    mesh.triangles.push_back({0, at(0, a), at(0, a + 1)});
    for (int r = 0; r < last; ++r) {
      mesh.triangles.push_back({at(r, a), at(r + 1, a), at(r + 1, a + 1)});
      mesh.triangles.push_back({at(r, a), at(r + 1, a + 1), at(r, a + 1)});
    }
    mesh.triangles.push_back({at(last, a), south, at(last, a + 1)});
  }
  mesh.vertices.resize(mesh.positions.size());
  mesh.faces.resize(mesh.triangles.size());
  return mesh;
}

Surface box_mesh(Vec3d center, Vec3d half_size, Vec3d axis_x, Vec3d axis_y, Vec3d axis_z) {
  Surface mesh;
  for (int corner = 0; corner < 8; ++corner)
    mesh.positions.push_back(center + axis_x * ((corner & 1) != 0 ? half_size.x : -half_size.x) +
                             axis_y * ((corner & 2) != 0 ? half_size.y : -half_size.y) +
                             axis_z * ((corner & 4) != 0 ? half_size.z : -half_size.z));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  mesh.vertices.resize(8);
  mesh.faces.resize(12);
  return mesh;
}

Surface rectangle_mesh(Vec3d center, double half_x, double half_z, Vec3d axis_x, Vec3d axis_z) {
  Surface mesh;
  for (int corner = 0; corner < 4; ++corner)
    mesh.positions.push_back(center + axis_x * ((corner & 1) != 0 ? half_x : -half_x) +
                             axis_z * ((corner & 2) != 0 ? half_z : -half_z));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}};
  mesh.vertices.resize(4);
  mesh.faces.resize(2);
  return mesh;
}

Surface sheet_mesh(Vec3d center, double width, double height, double edge) {
  const int columns = std::max(1, static_cast<int>(std::lround(width / edge)));
  const int rows = std::max(1, static_cast<int>(std::lround(height / (edge * std::sqrt(0.75)))));
  Surface mesh;
  std::vector<std::vector<std::int32_t>> line(static_cast<std::size_t>(rows) + 1);
  for (int j = 0; j <= rows; ++j) {
    const auto add = [&](double share) {
      line[static_cast<std::size_t>(j)].push_back(static_cast<std::int32_t>(mesh.positions.size()));
      mesh.positions.push_back(center + Vec3d{(share - 0.5) * width, (1.0 * j / rows - 0.5) * height, 0});
    };
    if (j % 2 == 0) {
      for (int i = 0; i <= columns; ++i) add(1.0 * i / columns);
    } else {  // straight ends: half a triangle at either
      add(0);
      for (int i = 0; i < columns; ++i) add((i + 0.5) / columns);
      add(1);
    }
  }
  // Between two lines, the one that is behind gains a vertex.
  for (std::size_t j = 0; j < static_cast<std::size_t>(rows); ++j) {
    const auto &low = line[j], &high = line[j + 1];
    const auto place = [&](const std::vector<std::int32_t>& of, std::size_t i) {
      return i < of.size() ? mesh.positions[static_cast<std::size_t>(of[i])].x
                           : std::numeric_limits<double>::infinity();
    };
    for (std::size_t i = 0, k = 0; i + 1 < low.size() || k + 1 < high.size();) {
      const double a = place(low, i + 1), b = place(high, k + 1);
      if (a < b || (a == b && (j % 2 == 0))) {
        mesh.triangles.push_back({low[i], low[i + 1], high[k]});
        ++i;
      } else {
        mesh.triangles.push_back({low[i], high[k + 1], high[k]});
        ++k;
      }
    }
  }
  return mesh;
}

}  // namespace ymir
