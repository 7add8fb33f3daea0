// One channel of the particles of one bucket: component planes in one aligned block, shared on copy.
//
// A Vec3 channel of capacity c is x[c], y[c], z[c]. Copies share the block; writing through modify() or overwrite()
// first gives this chunk a block of its own. That makes a snapshot of a whole Particle System cost one pointer per
// chunk, and a kernel that rewrites a channel keeps the old values without copying them.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "ymir/data/array.h"
#include "ymir/physics/planes.h"

namespace ymir {

// Pointers to the planes of a chunk: a plain pointer for scalars, three for vectors.
template <class T>
struct Planes {
  using Type = T*;
};
template <class S>
struct Planes<const Vec3<S>> {
  struct Type {
    const S *x, *y, *z;
    Vec3<S> operator[](std::ptrdiff_t i) const { return {x[i], y[i], z[i]}; }
    operator ConstVec3Planes() const requires std::same_as<S, double> { return {x, y, z}; }
  };
};

template <class S>
struct Planes<Vec3<S>> {
  struct Type {
    S *x, *y, *z;
    Vec3<S> operator[](std::ptrdiff_t i) const { return {x[i], y[i], z[i]}; }
    void set(std::ptrdiff_t i, Vec3<S> v) const { x[i] = v.x, y[i] = v.y, z[i] = v.z; }
    operator typename Planes<const Vec3<S>>::Type() const { return {x, y, z}; }
    operator Vec3Planes() const requires std::same_as<S, double> { return {x, y, z}; }
    operator ConstVec3Planes() const requires std::same_as<S, double> { return {x, y, z}; }
  };
};
class Chunk {
 public:
  Chunk() = default;
  Chunk(const Chunk& other) : block_(other.block_), capacity_(other.capacity_) { share(); }
  Chunk(Chunk&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  Chunk& operator=(Chunk other) noexcept {
    std::swap(block_, other.block_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Chunk() { release(); }

  int capacity() const { return capacity_; }

  // Room for `capacity` elements in `components` planes of `scalar_bytes`; keeps the first `keep` elements of every
  // plane.
  void reserve(int capacity, std::size_t scalar_bytes, int components, int keep);
  // Own block, contents kept. stride: bytes of one element, all planes together.
  std::byte* modify(std::size_t stride);
  // Own block, contents unspecified: for kernels that write every element.
  std::byte* overwrite(std::size_t stride);
  const std::byte* read() const { return block_ == nullptr ? nullptr : data(block_); }

 private:
  // Blocks come from lists of freed ones by size, so that a step that rewrites all chunks allocates nothing.
  struct Block;
  static std::byte* data(Block* block);
  static Block* allocate(std::size_t bytes);
  void share() const;
  bool shared() const;
  void release();

  Block* block_ = nullptr;
  int capacity_ = 0;  // elements; a multiple of 16, so that planes of 4- and 8-byte scalars are 64-byte aligned
};

}  // namespace ymir
