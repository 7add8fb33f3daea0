// Messages of any size from one rank to another, which receives them in the order in which they were sent.
#pragma once

#include <memory>

#include "ymir/parallel/communicator.h"

namespace ymir {

// It is on its way until it is destroyed; then it has been received.
class Letter {
 public:
  Letter(Communicator& communicator, int to, Bytes bytes);

 private:
  std::uint64_t size_;
  Bytes bytes_;
  std::unique_ptr<Communicator::Exchange> way_;  // ends before what is on it
};

Bytes receive_letter(Communicator& communicator, int from);

}  // namespace ymir
