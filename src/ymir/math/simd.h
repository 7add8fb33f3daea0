// Lanes: N values handled as one, on the vector extensions of GCC and clang. A row of a voxel tile is one Lanes.
// Every operation is the scalar one in each lane (no fusing, no reassociation), so results equal scalar code bit for
// bit.
#pragma once

#include <cstring>
#include <utility>

namespace ymir {

template <class T, int N>
struct Lanes {
  // Lanes per machine vector: 32 bytes (AVX) at most.
  static constexpr int width = N * static_cast<int>(sizeof(T)) <= 32 ? N : 32 / static_cast<int>(sizeof(T));
  static constexpr int chunks = N / width;
  static_assert(chunks * width == N);
  typedef T Native __attribute__((vector_size(sizeof(T) * static_cast<unsigned>(width))));

  Native v[chunks];

  static Lanes load(const T* from) {
    Lanes a;
    std::memcpy(a.v, from, sizeof(a.v));
    return a;
  }
  static Lanes all(T value) {
    Lanes a;
    for (int c = 0; c < chunks; ++c) a.v[c] = broadcast(value);
    return a;
  }
  void store(T* to) const { std::memcpy(to, v, sizeof(v)); }
  T operator[](int lane) const { return v[lane / width][lane % width]; }

  friend Lanes operator+(Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = a.v[c] + b.v[c];
    return a;
  }
  friend Lanes operator-(Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = a.v[c] - b.v[c];
    return a;
  }
  friend Lanes operator*(Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = a.v[c] * b.v[c];
    return a;
  }

  // Lane i takes lane i - 1; lane 0 takes `first`.
  Lanes shifted_up(T first) const {
    Lanes a;
    for (int c = 0; c < chunks; ++c) a.v[c] = joined<width - 1>(c == 0 ? broadcast(first) : v[c - 1], v[c], Sequence{});
    return a;
  }
  // Lane i takes lane i + 1; the last lane takes `last`.
  Lanes shifted_down(T last) const {
    Lanes a;
    for (int c = 0; c < chunks; ++c)
      a.v[c] = joined<1>(v[c], c + 1 == chunks ? broadcast(last) : v[c + 1 < chunks ? c + 1 : c], Sequence{});
    return a;
  }

 private:
  using Sequence = std::make_integer_sequence<int, width>;

  static Native broadcast(T value) { return repeated(Native{value}, Sequence{}); }
  template <int... I>
  static Native repeated(Native a, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, a, (0 * I)...);
  }
  // `width` consecutive lanes of the two vectors laid end to end, from lane `From` on.
  template <int From, int... I>
  static Native joined(Native a, Native b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (From + I)...);
  }
};

}  // namespace ymir
