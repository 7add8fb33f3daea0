// A block of this rank that another rank solves for: the other side of remote_member.h. Or the share of this rank in a
// block that another leads: the other side of lead_member.h.
#pragma once

#include "ymir/parallel/message.h"
#include "ymir/solids/cluster_member.h"

namespace ymir {

class LentMember {
 public:
  LentMember(std::unique_ptr<SolidBlock> block, bool share) : member_(std::move(block)), share_(share) {}

  LocalMember& member() { return member_; }
  void write_structure(MessageWriter& out) const;
  void write_points(MessageWriter& out) const;
  void write_matrix(MessageWriter& out, bool prepared);
  void write_step(MessageWriter& out) const;
  void read_forces(MessageReader& in);
  void read_solution(MessageReader& in);

 private:
  LocalMember member_;
  bool share_;
  std::vector<double> slots_;
};

}  // namespace ymir
