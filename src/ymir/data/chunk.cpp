#include "ymir/data/chunk.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

namespace ymir {

// Head of a block; the data follow, 64-byte aligned.
struct alignas(64) Chunk::Block {
  std::atomic<int> owners{1};
  std::size_t size_class = 0;
};

namespace {

// Sizes in steps of an eighth of a power of two: at most 12.5 % is lost to rounding.
constexpr std::size_t steps = 8;
constexpr std::size_t smallest = 512;  // [B]
constexpr std::size_t classes = 40 * steps;

std::size_t class_of(std::size_t bytes) {
  const std::size_t n = bytes < smallest ? smallest : bytes;
  const auto power = static_cast<std::size_t>(std::bit_width(n - 1)) - 1;  // 2^power < n <= 2^(power + 1)
  const std::size_t step = (std::size_t{1} << power) / steps;
  const std::size_t above = (n - (std::size_t{1} << power) + step - 1) / step;  // 1..steps
  return (power - 8) * steps + above - 1;
}

std::size_t bytes_of(std::size_t size_class) {
  const std::size_t power = size_class / steps + 8;
  return (std::size_t{1} << power) + (size_class % steps + 1) * ((std::size_t{1} << power) / steps);
}

// Freed blocks of one size. Any thread may free what another allocated.
struct FreeList {
  std::mutex mutex;
  std::vector<void*> blocks;
};

// Never destroyed: chunks of static objects may outlive it.
std::array<FreeList, classes>& free_lists() {
  static auto* lists = new std::array<FreeList, classes>;
  return *lists;
}

// Idle blocks never outweigh those in use: a step that rewrites every chunk finds its blocks here, a scene that shrinks
// gives memory back.
std::atomic<std::size_t> idle_bytes{0}, used_bytes{0};

}  // namespace

std::byte* Chunk::data(Block* block) { return reinterpret_cast<std::byte*>(block + 1); }

Chunk::Block* Chunk::allocate(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes + sizeof(Block));
  void* memory = nullptr;
  {
    FreeList& list = free_lists()[size_class];
    const std::lock_guard lock(list.mutex);
    if (!list.blocks.empty()) {
      memory = list.blocks.back();
      list.blocks.pop_back();
      idle_bytes -= bytes_of(size_class);
    }
  }
  if (memory == nullptr) memory = std::aligned_alloc(64, (bytes_of(size_class) + 63) / 64 * 64);
  if (memory == nullptr) throw std::bad_alloc();
  used_bytes += bytes_of(size_class);
  auto* block = new (memory) Block;
  block->size_class = size_class;
#ifndef NDEBUG
  std::memset(data(block), 0xff, bytes);  // every floating-point pattern of all ones is a NaN: unwritten data shows
#endif
  return block;
}

void Chunk::share() const {
  if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
}

bool Chunk::shared() const { return block_->owners.load(std::memory_order_acquire) > 1; }

void Chunk::release() {
  if (block_ == nullptr || block_->owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const std::size_t size_class = block_->size_class;
  used_bytes -= bytes_of(size_class);
  if (idle_bytes.load(std::memory_order_relaxed) > used_bytes.load(std::memory_order_relaxed)) return std::free(block_);
  idle_bytes += bytes_of(size_class);
  FreeList& list = free_lists()[size_class];
  const std::lock_guard lock(list.mutex);
  list.blocks.push_back(block_);
}

void Chunk::reserve(int capacity, std::size_t scalar_bytes, int components, int keep) {
  if (capacity <= capacity_) return;
  const int grown = capacity_ + capacity_ / 8;
  int rounded = ((capacity > grown ? capacity : grown) + 15) / 16 * 16;
  if (rounded % 128 == 0) rounded += 16;  // planes a multiple of 4 KiB apart would share few cache sets
  Chunk larger;
  larger.block_ = allocate(static_cast<std::size_t>(rounded * components) * scalar_bytes);
  larger.capacity_ = rounded;
  for (int c = 0; c < components && keep > 0; ++c)
    std::memcpy(data(larger.block_) + static_cast<std::size_t>(c * rounded) * scalar_bytes,
                data(block_) + static_cast<std::size_t>(c * capacity_) * scalar_bytes,
                static_cast<std::size_t>(keep) * scalar_bytes);
  *this = std::move(larger);
}

std::byte* Chunk::modify(std::size_t stride) {
  if (shared()) {
    Chunk own;
    own.capacity_ = capacity_;
    own.block_ = allocate(static_cast<std::size_t>(capacity_) * stride);
    std::memcpy(data(own.block_), data(block_), static_cast<std::size_t>(capacity_) * stride);
    *this = std::move(own);
  }
  return data(block_);
}

std::byte* Chunk::overwrite(std::size_t stride) {
  if (shared()) {
    Chunk own;
    own.capacity_ = capacity_;
    own.block_ = allocate(static_cast<std::size_t>(capacity_) * stride);
    *this = std::move(own);
  }
  return data(block_);
}

}  // namespace ymir
