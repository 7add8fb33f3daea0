// One contiguous, aligned allocation for all tiles of one channel component.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace ymir {

class TileBuffer {
 public:
  // Memory is not initialised: whoever fills it in parallel places its pages (first touch). `stagger` tells apart
  // buffers that are streamed together: it moves their starts by 448 bytes each within a page, because buffers that
  // start at the same page offset compete for the same cache sets.
  TileBuffer(std::size_t bytes, int stagger) : bytes_(bytes) {
    const std::size_t offset = static_cast<std::size_t>(stagger) * 448 % 4096;
    const std::size_t alignment = bytes >= large ? large : 64;
    const std::size_t size = (bytes + offset + alignment - 1) / alignment * alignment;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, size > 0 ? size : alignment)));
    if (!memory_) throw std::bad_alloc();
    if (bytes >= large) madvise(memory_.get(), size, MADV_HUGEPAGE);  // a hint: neighbours lie pages apart
    data_ = memory_.get() + offset;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  static constexpr std::size_t large = std::size_t{2} << 20;  // a huge page
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace ymir
