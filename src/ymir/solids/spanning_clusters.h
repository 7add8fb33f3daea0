// Clusters whose blocks are on several ranks.
//
// Each has a home, the rank that evaluates its couplings and solves its whole system. Blocks stay with their owners,
// which assemble them, condense them to the points that couplings act on (or send their matrix, where these are many)
// and move them; points, forces, matrices and steps travel. All clusters go through the parts of their Newton loops
// together, with one exchange of messages between two parts.
//
// A block that all ranks share has its cluster at home with the rank that leads it; the shares of the others are lent
// to that one, and they assist it in the solve.
#pragma once

#include <memory>
#include <vector>

#include "ymir/parallel/communicator.h"
#include "ymir/solids/cluster.h"
#include "ymir/solids/lead_member.h"
#include "ymir/solids/lent_member.h"
#include "ymir/solids/remote_member.h"

namespace ymir {

class SpanningClusters {
 public:
  explicit SpanningClusters(Communicator& communicator) : communicator_(&communicator) {}

  // In the same order on every rank: clusters, in each its blocks, in each its ports.
  void clear();
  // A cluster whose home is here.
  Cluster& add_home();
  // Block of another rank, to the last cluster added here; for Cluster::add.
  std::unique_ptr<ClusterMember> add_remote(int rank);
  // Block that this rank leads, likewise.
  std::unique_ptr<LocalMember> add_lead(std::unique_ptr<SolidBlock> block);
  // Block of this rank for a cluster of another; its number.
  int lend(int home, std::unique_ptr<SolidBlock> block);
  // This rank's share of a block that `home` leads; its number.
  int lend_share(int home, std::unique_ptr<SolidBlock> block);
  LocalMember& lent(int number) { return lent_[static_cast<std::size_t>(number)].member.member(); }

  // Collective. Results are those of the clusters at home here.
  void advance(const Step& step);
  std::vector<Cluster::Outcome> outcomes() const;

 private:
  struct Home {
    std::unique_ptr<Cluster> cluster = std::make_unique<Cluster>();
    std::vector<std::pair<int, Correspondent*>> remote;  // rank, block
    bool active = true;
    Cluster::Solved solved = Cluster::Solved::yes;
  };
  struct Lent {
    int home;
    LentMember member;
    bool active = true, wanted = true;
    double violation = 0, share = 0;  // of its cluster: of hard rows; of the step
  };

  enum class Who : std::uint8_t { all, active };
  // A block that ranks share: in one of the clusters at home here, or lent. In the same order on all ranks.
  struct Shared {
    LeadMember* lead;
    std::size_t index;  // of the home or of what is lent
  };

  template <class Write, class Read>  // write(Lent&, MessageWriter&), read(Home&, Correspondent&, MessageReader&)
  void to_home(Who who, Write&& write, Read&& read);
  template <class Write, class Read>  // write(Home&, Correspondent&, MessageWriter&), read(Lent&, MessageReader&)
  void to_owners(Write&& write, Read&& read);
  template <class F>
  void for_each_lent(F&& f);
  void exchange_points(Who who);
  void judge();
  void tell_active();
  void solve();
  void try_solve(bool definite);
  void solve_home(Home& home, bool definite);
  void step();

  Communicator* communicator_;
  std::vector<Home> homes_;
  std::vector<Lent> lent_;
  std::vector<Shared> shared_;
};

}  // namespace ymir
