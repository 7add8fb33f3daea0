#include "ymir/data/surface_values.h"

#include "ymir/data/triangle_bvh.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

std::vector<ClosestPoint> nearest(const TriangleBvh& bvh, const std::vector<Vec3d>& points) {
  std::vector<ClosestPoint> found(points.size());
  parallel_for(static_cast<std::ptrdiff_t>(points.size()), [&](std::ptrdiff_t i) {
    const auto k = static_cast<std::size_t>(i);
    found[k] = bvh.closest(points[k]);
  });
  return found;
}

std::vector<Vec3d> middles(const SolidMesh& mesh) {
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  std::vector<Vec3d> sum(mesh.cell_count(), Vec3d{0, 0, 0});
  for (std::size_t i = 0; i < mesh.cells.size(); ++i)
    sum[i / each] += mesh.positions[static_cast<std::size_t>(mesh.cells[i])] * (1.0 / static_cast<double>(each));
  return sum;
}

// Texture coordinates are of triangles, and say nothing inside.
bool is_texture(std::string_view name) { return name == "uv0" || name == "uv1" || name == "uv2"; }

template <class Double, class Single, class Make>
bool convert(Channels& to, const std::string& name, const Array& from, const Make& make) {
  if (from.holds<Double>()) to.set(name, Array::of(make([&](std::size_t i) { return from.as<Double>()[i]; })));
  if (from.holds<Single>()) to.set(name, Array::of(make([&](std::size_t i) { return Double(from.as<Single>()[i]); })));
  return from.holds<Double>() || from.holds<Single>();
}

// Adds every real channel; value(of, k) makes that of item k from those of the skin, of(i).
template <class Value>
void convert_all(Channels& to, const Channels& from, const Value& value) {
  const auto all = [&](auto of) {
    std::vector<decltype(of(0))> values(to.count());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = value(of, k);
    return values;
  };
  for (const auto& [name, array] : from.all())
    if (!is_texture(name) && !convert<double, float>(to, name, array, all)) convert<Vec3d, Vec3f>(to, name, array, all);
}

}  // namespace

void take_skin_channels(SolidMesh& mesh) {
  const Surface& skin = mesh.skin;
  const auto same = [](auto of, std::size_t k) { return of(k); };
  mesh.vertices.resize(mesh.positions.size());
  mesh.elements.resize(mesh.cell_count());
  if (mesh.shape == CellShape::triangle) {
    convert_all(mesh.vertices, skin.vertices, same);
    convert_all(mesh.elements, skin.faces, same);
    return;
  }
  if (skin.vertices.all().empty() && skin.faces.all().empty()) return;
  const TriangleBvh bvh(skin);
  if (!skin.vertices.all().empty()) {
    const std::vector<ClosestPoint> of_nodes = nearest(bvh, mesh.positions);
    convert_all(mesh.vertices, skin.vertices, [&](auto of, std::size_t k) {
      const ClosestPoint& near = of_nodes[k];
      const auto& corner = skin.triangles[static_cast<std::size_t>(near.triangle)];
      auto sum = of(static_cast<std::size_t>(corner[0])) * near.barycentric[0];
      for (int v = 1; v < 3; ++v)
        sum += of(static_cast<std::size_t>(corner[static_cast<std::size_t>(v)])) * near.barycentric[v];
      return sum;
    });
  }
  if (!skin.faces.all().empty()) {
    const std::vector<ClosestPoint> of_cells = nearest(bvh, middles(mesh));
    convert_all(mesh.elements, skin.faces,
                [&](auto of, std::size_t k) { return of(static_cast<std::size_t>(of_cells[k].triangle)); });
  }
}

}  // namespace ymir
