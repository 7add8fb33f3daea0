// Clusters of this rank in an island that another rank solves: the other side of remote_clusters.h.
#pragma once

#include <optional>
#include <vector>

#include "ymir/parallel/message.h"
#include "ymir/solids/contact/cluster_contacts.h"
#include "ymir/solids/contact/contact_scene.h"
#include "ymir/solids/contact/island_request.h"

namespace ymir {

class LentClusters {
 public:
  explicit LentClusters(int home) : home_(home) {}
  int home() const { return home_; }
  // In the order in which the home knows them.
  int add(Cluster& cluster);
  // A side (0: a) of a contact of the scene on one of them, in the order of contacts.
  void add_side(std::size_t contact, int side, int cluster, const Cluster::Held& at);

  // Answers the home until it is done with the substep.
  void serve(Communicator& communicator, const Step& step, const ContactScene& scene);

 private:
  struct Lent {
    Cluster* cluster;
    std::optional<ClusterContacts> contacts;  // from begin() of the cluster on
    std::vector<NodeVector> given;            // impulses on its nodes
  };
  struct Side {
    std::size_t contact;
    int side, cluster;
    Cluster::Held at;
  };
  NodalBody& body(std::size_t cluster) { return clusters_[cluster].contacts->body(); }
  template <class F>
  void for_each(F&& f);
  void begin(const Step& step, const ContactScene& scene, MessageWriter& out);
  void assemble(MessageWriter& out);
  void prepare(MessageWriter& out);
  void measure(MessageWriter& out);
  void solve(bool metric, MessageReader& in, MessageWriter& out);
  void solve_many(MessageReader& in, MessageWriter& out);
  void factor(MessageReader& in, MessageWriter& out);
  void move(MessageReader& in);

  int home_;
  double dt_ = 0;
  bool measured_ = false;  // the home has been told
  std::vector<Lent> clusters_;
  std::vector<Side> sides_;
  std::vector<std::vector<NodeVector>> vectors_;  // of a question
};

}  // namespace ymir
