#include "ymir/data/chunk.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace ymir {

std::shared_ptr<std::byte> Chunk::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + 63) / 64 * 64;
  void* block = std::aligned_alloc(64, rounded == 0 ? 64 : rounded);
  if (block == nullptr) throw std::bad_alloc();
#ifndef NDEBUG
  std::memset(block, 0xff, rounded);  // every floating-point pattern of all ones is a NaN: unwritten data shows
#endif
  return {static_cast<std::byte*>(block), [](std::byte* p) { std::free(p); }};
}

void Chunk::reserve(int capacity, std::size_t plane_bytes, int components, int keep) {
  if (capacity <= capacity_) return;
  const int grown = capacity_ + capacity_ / 4;
  int rounded = ((capacity > grown ? capacity : grown) + 15) / 16 * 16;
  if (rounded % 128 == 0) rounded += 16;  // planes a multiple of 4 KiB apart would share few cache sets
  const auto old = std::move(block_);
  block_ = allocate(static_cast<std::size_t>(rounded * components) * plane_bytes);
  for (int c = 0; c < components && keep > 0; ++c)
    std::memcpy(block_.get() + static_cast<std::size_t>(c * rounded) * plane_bytes,
                old.get() + static_cast<std::size_t>(c * capacity_) * plane_bytes,
                static_cast<std::size_t>(keep) * plane_bytes);
  capacity_ = rounded;
}

std::byte* Chunk::modify(std::size_t stride) {
  if (block_.use_count() > 1) {
    const auto old = std::move(block_);
    block_ = allocate(static_cast<std::size_t>(capacity_) * stride);
    std::memcpy(block_.get(), old.get(), static_cast<std::size_t>(capacity_) * stride);
  }
  return block_.get();
}

std::byte* Chunk::overwrite(std::size_t stride) {
  if (block_.use_count() > 1) block_ = allocate(static_cast<std::size_t>(capacity_) * stride);
  return block_.get();
}

}  // namespace ymir
