#include "ymir/data/mesh_values.h"

#include <algorithm>

namespace ymir {
namespace {

template <class Stored, class T>
std::vector<T> converted(const Array& array) {
  std::vector<T> values;
  for (const Stored& v : array.as<Stored>()) values.push_back(static_cast<T>(v));
  return values;
}

template <class Double, class Single>
std::optional<std::vector<Double>> channel(const Channels& channels, std::string_view name) {
  const Array* array = channels.find(name);
  if (array == nullptr) return std::nullopt;
  if (array->holds<Double>()) return converted<Double, Double>(*array);
  if (array->holds<Single>()) return converted<Single, Double>(*array);
  return std::nullopt;
}

template <class Double, class Single>
std::optional<std::vector<Double>> per_cell(const SolidMesh& mesh, std::string_view name) {
  if (auto of_cells = channel<Double, Single>(mesh.elements, name)) return of_cells;
  const auto of_nodes = channel<Double, Single>(mesh.vertices, name);
  if (!of_nodes) return std::nullopt;
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  std::vector<Double> means(mesh.cell_count(), Double{});
  for (std::size_t i = 0; i < mesh.cells.size(); ++i)
    means[i / each] += (*of_nodes)[static_cast<std::size_t>(mesh.cells[i])] * (1.0 / static_cast<double>(each));
  return means;
}

}  // namespace

bool painted(const SolidMesh& mesh, std::string_view name) {
  return mesh.elements.has(name) || mesh.vertices.has(name);
}

std::optional<std::vector<double>> cell_values(const SolidMesh& mesh, std::string_view name) {
  return per_cell<double, float>(mesh, name);
}

std::optional<std::vector<Vec3d>> cell_vectors(const SolidMesh& mesh, std::string_view name) {
  return per_cell<Vec3d, Vec3f>(mesh, name);
}

std::optional<std::vector<double>> node_values(const SolidMesh& mesh, std::string_view name) {
  if (auto of_nodes = channel<double, float>(mesh.vertices, name)) return of_nodes;
  const auto of_cells = channel<double, float>(mesh.elements, name);
  if (!of_cells) return std::nullopt;
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  std::vector<double> sum(mesh.positions.size(), 0), count(mesh.positions.size(), 0);
  for (std::size_t i = 0; i < mesh.cells.size(); ++i) {
    sum[static_cast<std::size_t>(mesh.cells[i])] += (*of_cells)[i / each];
    count[static_cast<std::size_t>(mesh.cells[i])] += 1;
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] /= std::max(count[i], 1.0);
  return sum;
}

}  // namespace ymir
