// The rank that solves for a cluster and those that have its blocks write to each other; this is one of them, as the
// former sees it. What is read was written by lent_member.h, in the order in which it is asked.
#pragma once

#include "ymir/parallel/message.h"

namespace ymir {

class Correspondent {
 public:
  virtual ~Correspondent() = default;
  virtual void read_structure(MessageReader& in) = 0;
  virtual void read_points(MessageReader& in) = 0;
  virtual void read_residual(MessageReader& in) = 0;
  virtual void read_matrix(MessageReader& in) = 0;
  virtual void read_step(MessageReader& in) = 0;
  // What the owner is to know.
  virtual void write_forces(MessageWriter& out) const = 0;
  virtual void write_solution(MessageWriter& out) const = 0;
};

}  // namespace ymir
