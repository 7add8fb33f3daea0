// Threads. Loops are over independent items (buckets, tiles, blocks); reductions are ordered by item, never by
// arrival, so that results do not depend on the thread count.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>

namespace ymir {

int threads();                // threads that parallel loops use
int thread_index();           // of the calling thread in a parallel loop, below threads()
void set_threads(int count);  // 0: as many as the machine offers

// First exception of a parallel loop, rethrown on the calling thread (OpenMP would terminate).
class ParallelFailure {
 public:
  template <class F>
  void guard(F&& body) noexcept {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

// body(i) for i in [0, count); items may differ in cost.
template <class F>
void parallel_for(std::ptrdiff_t count, F&& body) {
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (std::ptrdiff_t i = 0; i < count; ++i) failure.guard([&] { body(i); });
  failure.rethrow();
}

// body(begin, end) over fixed blocks of [0, count); the blocks do not depend on the thread count.
template <class F>
void parallel_blocks(std::ptrdiff_t count, std::ptrdiff_t block, F&& body) {
  const std::ptrdiff_t blocks = (count + block - 1) / block;
  parallel_for(blocks, [&](std::ptrdiff_t b) {
    const std::ptrdiff_t begin = b * block;
    body(begin, begin + block < count ? begin + block : count);
  });
}

// combine(...combine(identity, map(0))..., map(count-1)), mapped in parallel and combined in item order.
template <class T, class Map, class Combine>
T ordered_reduce(std::ptrdiff_t count, T identity, Map&& map, Combine&& combine) {
  // Not a std::vector: neighbours in a vector<bool> share a byte.
  const auto partial = std::make_unique<T[]>(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::ptrdiff_t i) { partial[static_cast<std::size_t>(i)] = map(i); });
  for (std::ptrdiff_t i = 0; i < count; ++i) identity = combine(identity, partial[static_cast<std::size_t>(i)]);
  return identity;
}

}  // namespace ymir
