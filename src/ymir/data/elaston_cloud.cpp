#include "ymir/data/elaston_cloud.h"

#include <algorithm>
#include <numeric>

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The plant of each node, plants in the order of their first node.
std::vector<std::int32_t> plants_of(const ElastonCloud& cloud, std::int32_t& count) {
  std::vector<std::int32_t> parent(cloud.nodes.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](std::int32_t a) {
    while (parent[at(a)] != a) a = parent[at(a)] = parent[at(parent[at(a)])];
    return a;
  };
  for (const auto& [a, b] : cloud.links) {
    const std::int32_t one = find(a), other = find(b);
    parent[at(std::max(one, other))] = std::min(one, other);
  }
  std::vector<std::int32_t> plant(parent.size(), -1);
  count = 0;
  for (std::int32_t i = 0; i < std::ssize(parent); ++i) {
    std::int32_t& of = plant[at(find(i))];
    if (of < 0) of = count++;
    plant[at(i)] = of;
  }
  return plant;
}

template <class T, class PlantOf>
void sort_by_plant(std::vector<T>& items, PlantOf&& plant_of) {
  std::stable_sort(items.begin(), items.end(), [&](const T& a, const T& b) { return plant_of(a) < plant_of(b); });
}

}  // namespace

std::vector<ElastonCloud::Piece> ElastonCloud::sort_pieces() {
  std::int32_t count = 0;
  const std::vector<std::int32_t> plant = plants_of(*this, count);
  const auto plant_of = [&](const auto& item) { return plant[at(item.node)]; };
  sort_by_plant(elastons, plant_of);
  sort_by_plant(held, plant_of);
  const auto plant_of_part = [&](const Part& part) { return plant[at(part.nodes[0])]; };
  sort_by_plant(parts, plant_of_part);
  std::vector<Piece> pieces(at(count) + 1, Piece{0, 0, 0, 0});
  for (const std::int32_t p : plant) ++pieces[at(p) + 1].nodes;
  for (const ElastonSample& e : elastons) ++pieces[at(plant_of(e)) + 1].elastons;
  for (const Held& h : held) ++pieces[at(plant_of(h)) + 1].held;
  for (const Part& part : parts) ++pieces[at(plant_of_part(part)) + 1].parts;
  for (std::size_t p = 1; p < pieces.size(); ++p) {
    pieces[p].nodes += pieces[p - 1].nodes;
    pieces[p].elastons += pieces[p - 1].elastons;
    pieces[p].held += pieces[p - 1].held;
    pieces[p].parts += pieces[p - 1].parts;
  }
  std::vector<std::int32_t> order(nodes.size()), number(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  sort_by_plant(order, [&](std::int32_t i) { return plant[at(i)]; });
  std::vector<Vec3d> sorted;
  for (std::size_t k = 0; k < order.size(); ++k) {
    number[at(order[k])] = static_cast<std::int32_t>(k);
    sorted.push_back(nodes[at(order[k])]);
  }
  nodes = std::move(sorted);
  for (auto& [a, b] : links) a = number[at(a)], b = number[at(b)];
  for (ElastonSample& e : elastons) e.node = number[at(e.node)];
  for (Held& h : held) h.node = number[at(h.node)];
  for (std::int32_t& node : skin_nodes) node = number[at(node)];
  for (Part& part : parts)
    for (std::int32_t& node : part.nodes) node = number[at(node)];
  return pieces;
}

}  // namespace ymir
