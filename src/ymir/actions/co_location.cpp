#include "ymir/actions/co_location.h"

#include <algorithm>
#include <map>

#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

constexpr std::size_t few_strands = 1000;

}  // namespace

void co_locate(const SolidSystem& solids) {
  std::vector<CurvesObject*> members;
  for (SolidObject* member : solids.members())
    if (auto* curves = dynamic_cast<CurvesObject*>(member)) members.push_back(curves);
  const auto root = [&](std::ptrdiff_t member, std::int64_t strand) {
    const Curves& curves = members[static_cast<std::size_t>(member)]->curves();
    return curves.positions[static_cast<std::size_t>(curves.first[static_cast<std::size_t>(strand)])];
  };
  using Key = std::pair<std::ptrdiff_t, std::int64_t>;  // member and strand: the same order on every rank
  std::map<Key, Key> parent;
  const auto find = [&](Key k) {
    while (parent.try_emplace(k, k).first->second != k) k = parent.at(k);
    return k;
  };
  const auto connect = [&](Key a, Key b) {
    a = find(a);
    b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  };
  const auto key_of_point = [&](const MaterialPoint& p) {
    return Key{std::find(members.begin(), members.end(), p.object) - members.begin(), p.piece};
  };
  for (const auto& source : solids.couplings())
    for (std::size_t e = 0; e < source->size() && !source->changing(); ++e) {
      const Key a = key_of_point(source->point(e, 0)), b = key_of_point(source->point(e, 1));
      if (a.first < std::ssize(members) && b.first < std::ssize(members)) connect(a, b);
    }
  std::map<Key, std::size_t> together;
  for (const auto& [key, above] : parent) ++together[find(key)];
  for (const auto& [key, above] : parent) {
    const Key top = find(key);
    if (together.at(top) > few_strands) continue;
    members[static_cast<std::size_t>(key.first)]->set_home(key.second, root(top.first, top.second),
                                                           top.second * std::ssize(members) + top.first);
  }
}

}  // namespace ymir
