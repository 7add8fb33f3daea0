#include "ymir/objects/constraint_state.h"

#include "ymir/base/check.h"
#include "ymir/base/hash.h"

namespace ymir {

std::vector<double> ConstraintState::values() const {
  std::vector<double> all;
  for (const auto& part : parts_) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::size_t ConstraintState::size() const {
  std::size_t size = 0;
  for (const auto& part : parts_) size += part.size();
  return size;
}

void ConstraintState::set(std::span<const double> values) {
  YMIR_CHECK(values.size() == size());
  for (const auto& part : parts_) {
    std::copy_n(values.begin(), part.size(), part.begin());
    values = values.subspan(part.size());
  }
}

std::uint64_t ConstraintState::hash(std::uint64_t seed) const {
  for (const auto& part : parts_) seed = hash_bytes(std::as_bytes(part), seed);
  return seed;
}

Channel constraint_channel(std::function<ConstraintState()> state) {
  return {described<double>("constraints", Place::object, "", "What constraints remember: friction, folds that stay.",
                            Use::kept),
          [state] { return Array::of(state().values()); },
          [state](const Array& from) {
            if (from.count() != state().size()) return false;
            state().set(from.as<double>());
            return true;
          },
          [state](std::uint64_t seed) { return state().hash(seed); }};
}

}  // namespace ymir
