// Named channels over one kind of primitive (vertices, edges, faces, elements): all of one length.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ymir/data/array.h"

namespace ymir {

class Channels {
 public:
  std::size_t count() const { return count_; }
  void resize(std::size_t count) {
    count_ = count;
    for (auto& [name, array] : arrays_) array.resize(count);
  }

  bool has(std::string_view name) const { return arrays_.find(name) != arrays_.end(); }
  const Array* find(std::string_view name) const {
    const auto it = arrays_.find(name);
    return it == arrays_.end() ? nullptr : &it->second;
  }
  void set(std::string name, Array array) {
    YMIR_CHECK(array.count() == count_);
    arrays_.insert_or_assign(std::move(name), std::move(array));
  }
  template <class T>
  std::span<T> add(std::string name) {
    auto [it, added] =
        arrays_.insert_or_assign(std::move(name), Array(ElementOf<T>::type, ElementOf<T>::components, count_));
    return it->second.template as<T>();
  }
  template <class T>
  std::span<const T> get(std::string_view name) const {
    const Array* array = find(name);
    YMIR_CHECK(array != nullptr);
    return array->as<T>();
  }

  const std::map<std::string, Array, std::less<>>& all() const { return arrays_; }

 private:
  std::size_t count_ = 0;
  std::map<std::string, Array, std::less<>> arrays_;
};

}  // namespace ymir
