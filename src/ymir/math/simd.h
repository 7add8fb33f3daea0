// Lanes: N values handled as one, on the vector extensions of GCC and clang. A row of a voxel tile is one Lanes.
// Every operation is the scalar one in each lane (no fusing but in mul_add, no reassociation), so results equal scalar
// code bit for bit, whatever the other lanes hold. Functions of Lanes exist for double too (scalar.h): kernels are
// templates over both.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace ymir {

template <class T, int N>
struct Lanes {
  // Lanes per machine vector: 32 bytes (AVX) at most.
  static constexpr int width = N * static_cast<int>(sizeof(T)) <= 32 ? N : 32 / static_cast<int>(sizeof(T));
  static constexpr int chunks = N / width;
  static_assert(chunks * width == N);
  typedef T Native __attribute__((vector_size(sizeof(T) * static_cast<unsigned>(width))));
  using Integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  typedef Integer NativeMask __attribute__((vector_size(sizeof(T) * static_cast<unsigned>(width))));

  Native v[chunks];

  // True (all bits) or false per lane.
  struct Mask {
    NativeMask m[chunks];
    bool operator[](int lane) const { return m[lane / width][lane % width] != 0; }
    friend Mask operator&(Mask a, const Mask& b) {
      for (int c = 0; c < chunks; ++c) a.m[c] = a.m[c] & b.m[c];
      return a;
    }
    friend Mask operator|(Mask a, const Mask& b) {
      for (int c = 0; c < chunks; ++c) a.m[c] = a.m[c] | b.m[c];
      return a;
    }
    friend Mask operator!(Mask a) {
      for (int c = 0; c < chunks; ++c) a.m[c] = ~a.m[c];
      return a;
    }
  };

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
  void set(int lane, T value) { v[lane / width][lane % width] = value; }

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
  friend Lanes operator/(Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = a.v[c] / b.v[c];
    return a;
  }
  friend Lanes operator-(Lanes a) {
    for (int c = 0; c < chunks; ++c) a.v[c] = -a.v[c];
    return a;
  }
  friend Lanes operator+(const Lanes& a, T b) { return a + all(b); }
  friend Lanes operator+(T a, const Lanes& b) { return all(a) + b; }
  friend Lanes operator-(const Lanes& a, T b) { return a - all(b); }
  friend Lanes operator-(T a, const Lanes& b) { return all(a) - b; }
  friend Lanes operator*(const Lanes& a, T b) { return a * all(b); }
  friend Lanes operator*(T a, const Lanes& b) { return all(a) * b; }
  friend Lanes operator/(T a, const Lanes& b) { return all(a) / b; }
  Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
  Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
  Lanes& operator*=(const Lanes& b) { return *this = *this * b; }

  friend Mask operator<(const Lanes& a, const Lanes& b) {
    Mask r;
    for (int c = 0; c < chunks; ++c) r.m[c] = a.v[c] < b.v[c];
    return r;
  }
  friend Mask operator<=(const Lanes& a, const Lanes& b) {
    Mask r;
    for (int c = 0; c < chunks; ++c) r.m[c] = a.v[c] <= b.v[c];
    return r;
  }
  friend Mask operator>(const Lanes& a, const Lanes& b) { return b < a; }
  friend Mask operator>=(const Lanes& a, const Lanes& b) { return b <= a; }
  friend Mask operator<(const Lanes& a, T b) { return a < all(b); }
  friend Mask operator>(const Lanes& a, T b) { return a > all(b); }
  friend Mask operator<=(const Lanes& a, T b) { return a <= all(b); }
  friend Mask operator>=(const Lanes& a, T b) { return a >= all(b); }

  // Lane by lane: where the mask is true a, elsewhere b.
  friend Lanes select(const Mask& mask, Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = mask.m[c] ? a.v[c] : b.v[c];
    return a;
  }
  friend Lanes select(const Mask& mask, const Lanes& a, T b) { return select(mask, a, all(b)); }
  friend Lanes select(const Mask& mask, T a, const Lanes& b) { return select(mask, all(a), b); }
  // b where a is NaN: a comparison with NaN is false.
  friend Lanes max(Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = larger(a.v[c], b.v[c]);
    return a;
  }
  friend Lanes min(Lanes a, const Lanes& b) {
    for (int c = 0; c < chunks; ++c) a.v[c] = smaller(a.v[c], b.v[c]);
    return a;
  }
  friend Lanes abs(const Lanes& a) { return select(a < T(0), -a, a); }
  friend Lanes sqrt(Lanes a) {
    for (int c = 0; c < chunks; ++c) a.v[c] = root(a.v[c]);
    return a;
  }
  // Largest integer not above a.
  friend Lanes floor(Lanes a) {
    for (int c = 0; c < chunks; ++c) a.v[c] = rounded_down(a.v[c]);
    return a;
  }
  // a b + c with one rounding.
  friend Lanes mul_add(const Lanes& a, const Lanes& b, Lanes c) {
    for (int k = 0; k < chunks; ++k) c.v[k] = fused(a.v[k], b.v[k], c.v[k]);
    return c;
  }
  friend bool any(const Mask& mask) {
#if defined(__AVX2__)
    if constexpr (sizeof(T) * static_cast<unsigned>(width) == 32) {
      int set = 0;
      for (int c = 0; c < chunks; ++c) set |= _mm256_movemask_epi8(reinterpret_cast<__m256i>(mask.m[c]));
      return set != 0;
    }
#endif
    for (int i = 0; i < N; ++i)
      if (mask[i]) return true;
    return false;
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
  // The instructions answer as the comparisons do, also for NaN and signed zeros.
  static Native larger(Native a, Native b) {
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, double> && width == 4) return _mm256_max_pd(a, b);
    if constexpr (std::is_same_v<T, float> && width == 8) return _mm256_max_ps(a, b);
#endif
    return a > b ? a : b;
  }
  static Native smaller(Native a, Native b) {
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, double> && width == 4) return _mm256_min_pd(a, b);
    if constexpr (std::is_same_v<T, float> && width == 8) return _mm256_min_ps(a, b);
#endif
    return a < b ? a : b;
  }
  static Native rounded_down(Native a) {
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, double> && width == 4) return _mm256_floor_pd(a);
    if constexpr (std::is_same_v<T, float> && width == 8) return _mm256_floor_ps(a);
#endif
    for (int i = 0; i < width; ++i) a[i] = std::floor(a[i]);
    return a;
  }
  static Native root(Native a) {
#if defined(__AVX__)
    if constexpr (sizeof(T) == 8 && width == 4) return _mm256_sqrt_pd(a);
#endif
    for (int i = 0; i < width; ++i) a[i] = std::sqrt(a[i]);
    return a;
  }
  static Native fused(Native a, Native b, Native c) {
#if defined(__FMA__)
    if constexpr (sizeof(T) == 8 && width == 4) return _mm256_fmadd_pd(a, b, c);
    if constexpr (std::is_same_v<T, float> && width == 8) return _mm256_fmadd_ps(a, b, c);
#endif
    for (int i = 0; i < width; ++i) c[i] = std::fma(a[i], b[i], c[i]);
    return c;
  }
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
