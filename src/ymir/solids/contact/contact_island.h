// Clusters that touch each other, or colliders: one Newton loop for all of them, with exact Coulomb friction in every
// iteration. [Daviet, Bertails-Descoubes, Boissieux 2011, 4; Lesser2022, 6.3, Collision Constraint]
//
//   A dq = b + H'r/dt,  u = H (way + dq)/dt + room/dt n - velocity of a collider,  (u, r) in Coulomb's law
//
// A and b are those of Newton's method at the iterate, without contact; r are whole impulses of the substep, so that
// nothing adds up over iterations. Normals, and the points of contact on both sides, are those that detection found
// when the substep began.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ymir/solids/contact/cluster_contacts.h"
#include "ymir/solids/contact/contact_scene.h"
#include "ymir/solids/contact/whole_contacts.h"
#include "ymir/solvers/coulomb/coulomb_problem.h"
#include "ymir/solvers/nodal_contact/nodal_contact.h"

namespace ymir {

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

  // A cluster whose blocks are all here; its number, for contacts.
  int add(Cluster& cluster);
  // A point of one of its blocks; cluster -1: of a collider.
  struct Side {
    int cluster = -1;
    Cluster::Held at;
  };
  // contact: its number in the scene. The first side is no collider.
  void add_contact(std::size_t contact, const Side& a, const Side& b);

  // The problem of the first Newton iteration is kept, unless it is too large to be written down.
  void record() { recording_ = true; }
  struct Recorded {
    CoulombProblem problem;
    std::vector<Vec3d> r;  // as solved
  };
  const std::optional<Recorded>& recorded() const { return recorded_; }

  // Impulses are those of the scene, before and after.
  Outcome advance(const Step& step, ContactScene& scene);

 private:
  struct Touching {
    Cluster* cluster;
    std::optional<ClusterContacts> contacts;  // from begin() of the cluster on
  };
  struct Touch {
    std::size_t contact;
    Side side[2];
  };

  template <class F>
  void for_each_cluster(F&& f);
  template <class F>  // whether f is true for all
  bool all_clusters(F&& f);
  void leave_out_ties(const ContactScene& scene);
  void list_contacts(const ContactScene& scene, double dt);
  void set_free(const ContactScene& scene, double dt);
  bool judge();
  double tolerance_now(const ContactScene& scene) const;
  bool sharpen(const ContactScene& scene);
  bool solve(const ContactScene& scene, double dt);
  bool solve_whole(double tolerance, double dt);
  void solve_contacts(double tolerance);
  void collect();
  void solve_and_record(double tolerance);
  bool few() const;
  bool whole() const;
  void push(double per_dt);
  void give(ContactScene& scene);

  std::vector<Touching> clusters_;
  std::vector<Touch> contacts_;
  ContactList list_;
  std::vector<NodalBody*> bodies_;  // by cluster
  NodalContact solver_;
  bool thin_ = false;  // some block is: contacts are solved with the matrices of all
  WholeContacts whole_;
  std::vector<std::vector<NodeVector>> given_;  // impulses on the nodes of each cluster
  Outcome outcome_;
  bool finishing_ = false;  // contacts are solved to their tolerance, whatever Newton's residual
  bool recording_ = false;
  std::optional<Recorded> recorded_;
};

}  // namespace ymir
