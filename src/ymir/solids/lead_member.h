// A block that ranks share, as the rank sees it that leads the work on it: its own share, and what the messages of the
// others said of theirs.
#pragma once

#include <memory>
#include <vector>

#include "ymir/parallel/message.h"
#include "ymir/solids/cluster_member.h"
#include "ymir/solids/correspondent.h"

namespace ymir {

class LeadMember final : public LocalMember {
 public:
  explicit LeadMember(std::unique_ptr<SolidBlock> block) : LocalMember(std::move(block)) {}

  // The share of another rank.
  Correspondent& add_share();

  void forget_forces() override;
  void add_force(int port, int local, double force, double stiffness) override;
  void add_lever(int port, Vec3d pull) override;
  double residual(double violation) override;
  double reach() const override;

 private:
  // It knows where all is; asked for are the parts of it that this rank goes through.
  class Share final : public Correspondent {
   public:
    explicit Share(const LeadMember& lead) : lead_(&lead) {}
    void read_structure(MessageReader&) override {}
    void read_points(MessageReader&) override {}
    void read_residual(MessageReader& in) override { residual = in.get<double>(); }
    void read_matrix(MessageReader& in) override { in.get<bool>(); }
    void read_step(MessageReader& in) override;
    void write_forces(MessageWriter& out) const override;
    void write_solution(MessageWriter& out) const override;

    double residual = 0, reach = 1;

   private:
    const LeadMember* lead_;
  };
  struct PortForces {
    std::vector<double> rows;  // force and stiffness of each degree of freedom
    Vec3d pull{0, 0, 0};
  };
  PortForces& forces(int port);

  std::vector<std::unique_ptr<Share>> shares_;
  std::vector<PortForces> forces_;
};

}  // namespace ymir
