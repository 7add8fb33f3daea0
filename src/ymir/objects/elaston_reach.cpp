#include "ymir/objects/elaston_reach.h"

#include <algorithm>
#include <map>
#include <queue>

namespace ymir {
namespace {

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ElastonReach::ElastonReach(const ElastonCloud& cloud)
    : cloud_(&cloud), radius_(radius_in_spacings * cloud.spacing), first_(cloud.nodes.size() + 1, 0) {
  for (const auto& link : cloud.links)
    for (const std::int32_t i : link) ++first_[index(i) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  next_.resize(index(first_.back()));
  std::vector<std::int32_t> place(first_.begin(), first_.end() - 1);
  for (const auto& [a, b] : cloud.links) {
    next_[index(place[index(a)]++)] = b;
    next_[index(place[index(b)]++)] = a;
  }
}

int ElastonReach::nearest(std::int32_t node, Vec3d x, std::int32_t (&nodes)[few]) const {
  int count = 0;
  double away[few];
  const auto offer = [&](std::int32_t i) {
    const double distance = norm(cloud_->nodes[index(i)] - x);
    int place = count;
    for (int k = 0; k < count; ++k)
      if (nodes[k] == i) return;
    while (place > 0 && distance < away[place - 1]) --place;
    if (place == few) return;
    for (int k = std::min(count, few - 1); k > place; --k) nodes[k] = nodes[k - 1], away[k] = away[k - 1];
    nodes[place] = i;
    away[place] = distance;
    count = std::min(count + 1, few);
  };
  offer(node);
  for (std::int32_t k = first_[index(node)]; k < first_[index(node) + 1]; ++k) {
    const std::int32_t next = next_[index(k)];
    offer(next);
    for (std::int32_t l = first_[index(next)]; l < first_[index(next) + 1]; ++l) offer(next_[index(l)]);
  }
  return count;
}

// Shortest ways from the point, by Dijkstra's algorithm.
ElastonPoint ElastonReach::at(Vec3d x, std::int32_t near) const {
  const std::vector<Vec3d>& nodes = cloud_->nodes;
  std::map<std::int32_t, double> way{{near, norm(nodes[index(near)] - x)}};
  std::priority_queue<std::pair<double, std::int32_t>, std::vector<std::pair<double, std::int32_t>>, std::greater<>>
      open;
  open.emplace(way[near], near);
  while (!open.empty()) {
    const auto [length, i] = open.top();
    open.pop();
    if (length > way[i]) continue;
    for (std::int32_t k = first_[index(i)]; k < first_[index(i) + 1]; ++k) {
      const std::int32_t j = next_[index(k)];
      const double farther = length + norm(nodes[index(j)] - nodes[index(i)]);
      if (farther > longest_way * radius_) continue;
      const auto [known, is_new] = way.try_emplace(j, farther);
      if (!is_new && known->second <= farther) continue;
      known->second = farther;
      open.emplace(farther, j);
    }
  }
  ElastonPoint point;
  std::vector<Vec3d> places;
  for (const auto& [i, length] : way) {
    if (!(norm(nodes[index(i)] - x) < radius_ * (1 - 1e-9))) continue;
    point.nodes.push_back(i);
    places.push_back(nodes[index(i)]);
  }
  point.shapes.resize(places.size());
  gmls_shapes(places, x, radius_, point.shapes);
  return point;
}

}  // namespace ymir
