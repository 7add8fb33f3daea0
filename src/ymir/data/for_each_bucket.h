// Iteration over buckets with accessors that declare what is read and written. [Lesser2022, 5.4]
//
//   auto x = read(volume, pressure, Stencil::faces);
//   auto y = write(volume, divergence);
//   for_each_bucket(volume.buckets(), x, y, [&](int bucket) { ... });
//
// Exchanges of stale neighbour data start first, buckets that need none of it run while messages travel, the rest run
// after they arrived. One call may take accessors of several volumes and particle systems together.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/data/bucket_set.h"
#include "ymir/parallel/bytes.h"
#include "ymir/parallel/threads.h"

namespace ymir {

// Which buckets around the current one are read.
enum class Stencil : std::uint8_t { own, faces, box };

struct Access {
  const void* channel;  // identity of what is accessed
  Stencil reads;
  bool writes;
};

template <class A>
concept BucketAccessor = requires(A& accessor, BucketKey key) {
  { accessor.access() } -> std::convertible_to<Access>;
  accessor.begin_exchange();                              // start what is stale; collective
  { accessor.waits(key) } -> std::convertible_to<bool>;   // true: this bucket reads data still in flight
  { accessor.in_flight() } -> std::convertible_to<bool>;  // true: any bucket may have to wait
  accessor.end_exchange();
};

// body(i) for i in [0, count); contiguous ranges per thread, so that memory stays with the thread that touched it
// first.
// Buckets of uneven cost are handed out in short runs instead.
template <bool uneven = false, class F>
void for_each_in_order(std::ptrdiff_t count, F&& body) {
  ParallelFailure failure;
  const auto guarded = [&](std::ptrdiff_t i) { failure.guard([&] { body(static_cast<int>(i)); }); };
  if constexpr (uneven) {
    const std::ptrdiff_t run = count / (std::ptrdiff_t{32} * threads()) + 1;
#pragma omp parallel for schedule(dynamic, run) if (count > 1)
    for (std::ptrdiff_t i = 0; i < count; ++i) guarded(i);
  } else {
#pragma omp parallel for schedule(static) if (count > 8)
    for (std::ptrdiff_t i = 0; i < count; ++i) guarded(i);
  }
  failure.rethrow();
}

namespace detail {

// An accessor may say that buckets differ in cost (particles per bucket do, voxels do not).
template <class A>
constexpr bool is_uneven() {
  if constexpr (requires { A::uneven; }) return A::uneven;
  return false;
}

template <class Body, BucketAccessor... A>
void visit_buckets(const BucketSet& buckets, Body&& body, A&... accessors) {
  // A written channel is seen by its own accessor only: another thread may be writing the tile next door.
  if constexpr (sizeof...(A) > 0) {
    const std::array<Access, sizeof...(A)> all{accessors.access()...};
    for (std::size_t a = 0; a < all.size(); ++a) {
      YMIR_CHECK(!all[a].writes || all[a].reads == Stencil::own);
      for (std::size_t b = 0; b < all.size(); ++b)
        YMIR_CHECK(a == b || !all[a].writes || all[a].channel != all[b].channel);
    }
  }
  constexpr bool uneven = (is_uneven<A>() || ...);
  (accessors.begin_exchange(), ...);
  YMIR_CHECK(buckets.connected() || ((accessors.access().reads == Stencil::own) && ...));
  if (!(accessors.in_flight() || ...)) {
    (accessors.end_exchange(), ...);
    for_each_in_order<uneven>(buckets.local_count(), body);
    return;
  }
  std::vector<int> early, late;
  for (int i = 0; i < buckets.local_count(); ++i)
    ((accessors.waits(buckets.key(i)) || ...) ? late : early).push_back(i);
  const auto run = [&](const std::vector<int>& list) {
    for_each_in_order<uneven>(static_cast<std::ptrdiff_t>(list.size()),
                              [&](int n) { body(list[static_cast<std::size_t>(n)]); });
  };
  ParallelFailure failure;  // messages must be received even when a bucket failed
  failure.guard([&] { run(early); });
  (accessors.end_exchange(), ...);
  failure.rethrow();
  run(late);
}

template <class Arguments, std::size_t... I>
void visit_with_last(const BucketSet& buckets, Arguments&& arguments, std::index_sequence<I...>) {
  visit_buckets(buckets, std::get<sizeof...(I)>(arguments), std::get<I>(arguments)...);
}

}  // namespace detail

// for_each_bucket(buckets, accessors..., body): body(i) for every local bucket. Collective when an accessor reads
// neighbours.
template <class... Arguments>
void for_each_bucket(const BucketSet& buckets, Arguments&&... arguments) {
  detail::visit_with_last(buckets, std::forward_as_tuple(arguments...),
                          std::make_index_sequence<sizeof...(Arguments) - 1>{});
}

// Sum of map(i) over all buckets of all ranks, the same bits for any number of threads and ranks: partial sums per
// bucket are added in Morton order, which is rank order and then local order. Collective; every rank gets the sum.
template <class T, class Map>
T sum_over_buckets(const BucketSet& buckets, Map&& map) {
  std::vector<T> partial(static_cast<std::size_t>(buckets.local_count()));
  for_each_in_order(buckets.local_count(), [&](int i) { partial[static_cast<std::size_t>(i)] = map(i); });
  T total{};
  if (buckets.domain().communicator().size() == 1) {
    for (const T& p : partial) total += p;
    return total;
  }
  for (const Bytes& part : buckets.domain().communicator().all_gather(std::as_bytes(std::span<const T>(partial))))
    for (const T& p : from_bytes<T>(part)) total += p;
  return total;
}

}  // namespace ymir
