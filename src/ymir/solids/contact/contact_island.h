// Clusters that touch each other, or colliders: one Newton loop for all of them, with exact Coulomb friction in every
// iteration. [Daviet, Bertails-Descoubes, Boissieux 2011, 4; Lesser2022, 6.3, Collision Constraint]
//
//   A dq = b + H'r/dt,  u = H (way + dq)/dt + room/dt n - velocity of a collider,  (u, r) in Coulomb's law
//
// A and b are those of Newton's method at the iterate, without contact; r are whole impulses of the substep, so that
// nothing adds up over iterations. Normals, and the points of contact on both sides, are those that detection found
// when the substep began.
//
// Clusters may be on other ranks (remote_clusters.h): this one, the home of the island, goes through the loop for all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ymir/solids/contact/cluster_contacts.h"
#include "ymir/solids/contact/contact_dump.h"
#include "ymir/solids/contact/contact_scene.h"
#include "ymir/solids/contact/remote_clusters.h"
#include "ymir/solids/contact/smooth_contacts.h"
#include "ymir/solids/contact/whole_contacts.h"
#include "ymir/solvers/nodal_contact/nodal_contact.h"

namespace ymir {

class CondensedContacts;

class ContactIsland {
 public:
  struct Outcome {
    Cluster::Outcome newton;  // residual and what is worst: of the worst cluster; counts: of all
    ContactStatus status = ContactStatus::solved;
    double error = 0;                     // E_s of the last iteration
    std::int64_t contact_iterations = 0;  // of all Newton iterations
    std::size_t closed = 0;               // contacts that carry something
    std::size_t worst_contact = 0;        // of the scene, where it is not solved
  };

  // A cluster whose blocks are all here, or all on one other rank; its number, for contacts.
  int add(Cluster& cluster);
  int add_remote(Communicator& communicator, int rank);
  // A point of one of its blocks; cluster -1: of a collider.
  struct Side {
    int cluster = -1;
    Cluster::Held at;
  };
  // contact: its number in the scene. The first side is no collider.
  void add_contact(std::size_t contact, const Side& a, const Side& b);

  // The problem of the first Newton iteration is kept, unless it is too large to be written down.
  void record() { recording_ = true; }
  const std::optional<RecordedContacts>& recorded() const { return recorded_; }

  // Impulses are those of the scene, before and after.
  Outcome advance(const Step& step, ContactScene& scene);

  // Parts of it, for those who lend it clusters: a cluster at the beginning of the substep, and the nodes that a side
  // of a contact follows (appended).
  static void begin(Cluster& cluster, const Step& step);
  static void follow(const ContactScene& scene, const Contact& contact, int side, const Cluster::Held& at,
                     const ClusterContacts& contacts, std::vector<NodeShare>& shares);

 private:
  struct Touching {
    Cluster* cluster;                         // nullptr: it is elsewhere
    std::optional<ClusterContacts> contacts;  // from begin() of the cluster on
    RemoteCluster* remote = nullptr;

    const Cluster::Outcome& outcome() const { return cluster != nullptr ? cluster->outcome() : remote->outcome(); }
    Vec3d way(std::int32_t node) const { return remote != nullptr ? remote->way(node) : contacts->way(node); }
    NodalBody& body() { return remote != nullptr ? *remote : contacts->body(); }
  };
  struct Touch {
    std::size_t contact;
    Side side[2];
  };

  template <class F>  // f(cluster) of those that are here
  void for_each_cluster(F&& f);
  template <class F>  // whether f is true for all of those
  bool all_clusters(F&& f);
  void ask(IslandRequest request) {
    for (const auto& r : remote_) r->ask(request);
  }
  void find_forces(const ContactScene& scene, double dt);
  bool may_descend() const;
  bool on_colliders() const;
  void move();
  void leave_out_ties(const ContactScene& scene);
  void list_contacts(const ContactScene& scene, double dt);
  void find_laws(const ContactScene& scene, double dt);
  void follow_laws(const ContactScene& scene, double dt);
  void solve_smooth(double tolerance);
  void look_for_closed_barriers(const ContactScene& scene, double dt);
  void set_free(const ContactScene& scene, double dt);
  bool judge();
  double tolerance_now(const ContactScene& scene) const;
  bool sharpen(const ContactScene& scene);
  bool solve(const ContactScene& scene, double dt);
  bool solve_whole(double tolerance, double dt);
  bool nothing_pushes() const;
  bool stays_open();
  bool pass_by(double dt);
  void note(double error, std::int64_t iterations, std::size_t worst, double tolerance);
  void solve_contacts(double tolerance);
  void finish_condensed(double tolerance);
  void collect();
  bool recordable() const;
  void solve_and_record(double tolerance);
  RecordedContacts::Splitting split_from_rest(const CondensedContacts& condensed) const;
  void record_whole();
  bool few() const;
  bool whole() const;
  bool coupled() const;
  bool heap() const;
  void begin_all(const Step& step, ContactScene& scene);
  void iterate(const Step& step, ContactScene& scene);
  void push(double per_dt);
  void give(ContactScene& scene);

  std::vector<Touching> clusters_;
  std::vector<std::unique_ptr<RemoteClusters>> remote_;  // by rank
  std::vector<Touch> contacts_;
  ContactList list_;
  std::vector<NodalBody*> bodies_;  // by cluster
  NodalContact solver_;
  bool thin_ = false;    // some block is: contacts are solved with the matrices of all
  bool trying_ = false;  // whether the splitting does, though some block is thin
  WholeContacts whole_;
  bool whole_begun_ = false;
  std::vector<SmoothLaw> laws_;          // by contact
  bool smooth_ = false, mixed_ = false;  // some contact is by penalty or barrier; not all
  SmoothContacts smooth_contacts_;
  std::vector<std::vector<NodeVector>> given_;  // impulses on the nodes of each cluster
  Outcome outcome_;
  bool finishing_ = false;  // contacts are solved to their tolerance, whatever Newton's residual
  bool recording_ = false;
  std::optional<RecordedContacts> recorded_;
};

}  // namespace ymir
