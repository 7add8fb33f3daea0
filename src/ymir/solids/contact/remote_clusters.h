// Clusters of an island that are on one other rank, as the rank sees them that solves the island (its home).
//
// They are assembled, factored and moved where they are, while the home does the same with its own; what travels are
// vectors of nodes. Each is a body of the contact problem (nodal_body.h), and answers as it would here: results are
// those of one rank, to the bit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/parallel/letters.h"
#include "ymir/parallel/message.h"
#include "ymir/solids/cluster.h"
#include "ymir/solids/contact/contact_block.h"
#include "ymir/solids/contact/island_request.h"

namespace ymir {

class RemoteClusters;

class RemoteCluster final : public NodalBody {
 public:
  RemoteCluster(RemoteClusters& all, std::uint32_t number) : all_(&all), number_(number) {}

  RemoteClusters& all() const { return *all_; }
  Vec3d way(std::int32_t node) const { return ways_[static_cast<std::size_t>(node)]; }
  const Cluster::Outcome& outcome() const { return outcome_; }
  bool running() const { return running_; }

  int nodes() const override { return static_cast<int>(metric_.size()); }
  void describe(std::span<NodeMetric> nodes) const override;
  bool measure(std::span<NodeMetric> nodes) const override;
  int pieces() const override { return static_cast<int>(first_node_.size()) - 1; }
  int first_node(int piece) const override { return first_node_[static_cast<std::size_t>(piece)]; }
  Adapt adapt() const override { return adapt_; }
  bool exact() const override { return exact_; }
  bool threaded() const override { return threaded_; }
  bool elsewhere() const override { return true; }
  void announce(Question question, const double* values) override;
  void send() override;
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override;
  void solve_metric(NodeVector* x) override;
  void solve_many(NodeVector* x, int count) override;

 private:
  friend class RemoteClusters;
  void take(NodeVector* x);

  RemoteClusters* all_;
  std::uint32_t number_;
  std::vector<NodeMetric> metric_, measured_;
  std::vector<std::int32_t> first_node_{0};
  Adapt adapt_ = Adapt::seldom;
  bool exact_ = false, threaded_ = false, measures_ = false;
  std::vector<Vec3d> ways_;
  Cluster::Outcome outcome_;
  bool running_ = true;
  bool announced_ = false;
  std::size_t answer_ = 0;  // where it stands in what came back [B]
};

class RemoteClusters {
 public:
  RemoteClusters(Communicator& communicator, int rank) : communicator_(&communicator), rank_(rank) {}
  int rank() const { return rank_; }
  RemoteCluster& add();

  // Asks, and goes on; what it has asked is answered by the function below.
  void ask(IslandRequest request);
  void read_structure();
  // Of the next side of a contact on one of these clusters, in the order of contacts. Appended.
  void follow(std::vector<NodeShare>& shares);
  void read_residuals();  // and ways of the nodes
  // False: some cluster has no factor. The first time, what bodies can measure then.
  bool read_factored();
  // Impulses on the nodes of each cluster; nothing is answered.
  void move(std::span<const std::vector<NodeVector>* const> impulses);
  void end();

 private:
  friend class RemoteCluster;
  Bytes head(IslandRequest request) const;
  void post(Bytes message) { letters_.push_back(std::make_unique<Letter>(*communicator_, rank_, std::move(message))); }
  Bytes answer();

  Communicator* communicator_;
  int rank_;
  std::vector<std::unique_ptr<RemoteCluster>> clusters_;
  std::vector<std::unique_ptr<Letter>> letters_;  // until they are answered
  Bytes structure_;
  MessageReader shares_{{}};  // the rest of it: what contacts follow
  // The question at hand: of which clusters; sent, and answered.
  Bytes question_, answered_;
  std::size_t answer_size_ = 0;
  bool sent_ = false, came_ = false;
};

}  // namespace ymir
