// Sets of things that are joined pair by pair; each is known by one of them. [Union-find with path halving]
#pragma once

#include <cstddef>
#include <vector>

namespace ymir {

class Unions {
 public:
  explicit Unions(std::size_t count = 0) {
    while (parent_.size() < count) add();
  }
  int add() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }
  std::size_t size() const { return parent_.size(); }
  int find(int a) {
    while (at(a) != a) a = at(a) = at(at(a));
    return a;
  }
  void join(int a, int b) { at(find(b)) = find(a); }

 private:
  int& at(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

}  // namespace ymir
