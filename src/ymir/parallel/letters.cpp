#include "ymir/parallel/letters.h"

#include <utility>

#include "ymir/base/check.h"

namespace ymir {

// Its size goes ahead.
Letter::Letter(Communicator& communicator, int to, Bytes bytes) : size_(bytes.size()), bytes_(std::move(bytes)) {
  YMIR_CHECK(to != communicator.rank());
  const Communicator::Message parts[] = {{to, std::as_writable_bytes(std::span(&size_, 1))}, {to, bytes_}};
  way_ = communicator.start_exchange(parts, {});
}

Bytes receive_letter(Communicator& communicator, int from) {
  std::uint64_t size = 0;
  const Communicator::Message head[] = {{from, std::as_writable_bytes(std::span(&size, 1))}};
  communicator.start_exchange({}, head)->finish();
  Bytes bytes(size);
  const Communicator::Message body[] = {{from, bytes}};
  communicator.start_exchange({}, body)->finish();
  return bytes;
}

}  // namespace ymir
