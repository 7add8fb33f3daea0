#include "ymir/solvers/poisson/stage_order.h"

namespace ymir::poisson {

void StageOrder::build(std::span<const std::array<int, 6>> near, int stages, int parts) {
  const int count = static_cast<int>(near.size());
  std::vector<int> done(near.size(), 0);  // stages
  own_.assign(static_cast<std::size_t>(parts), {});
  shared_.assign(static_cast<std::size_t>(stages), {});
  for (int part = 0; part < parts; ++part) {
    const auto bound = [&](int p) { return static_cast<int>(std::int64_t{count} * p / parts); };
    const int begin = bound(part), end = bound(part + 1);
    std::vector<Work>& list = own_[static_cast<std::size_t>(part)];
    list.reserve(static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(stages));
    const auto ready = [&](int t) {
      const int stage = done[static_cast<std::size_t>(t)];
      if (stage == 0 || stage >= stages) return false;
      for (const int n : near[static_cast<std::size_t>(t)]) {
        if (n >= count) continue;
        if (n < begin || n >= end || done[static_cast<std::size_t>(n)] < stage) return false;
      }
      return true;
    };
    const auto advance = [&](int t) { list.push_back({t, done[static_cast<std::size_t>(t)]++}); };
    std::vector<int> changed;
    for (int t = begin; t < end; ++t) {
      advance(t);
      changed.push_back(t);
      while (!changed.empty()) {
        const int centre = changed.back();
        changed.pop_back();
        const auto visit = [&](int n) {
          if (n < begin || n >= end || !ready(n)) return;
          advance(n);
          changed.push_back(n);
        };
        visit(centre);
        for (const int n : near[static_cast<std::size_t>(centre)]) visit(n);
      }
    }
  }
  for (int t = 0; t < count; ++t)
    for (int stage = done[static_cast<std::size_t>(t)]; stage < stages; ++stage)
      shared_[static_cast<std::size_t>(stage)].push_back({t, stage});
  std::erase_if(shared_, [](const std::vector<Work>& list) { return list.empty(); });
}

}  // namespace ymir::poisson
