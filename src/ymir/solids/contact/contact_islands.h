// The islands of a substep, on all ranks: clusters joined by contacts.
//
// An island whose clusters are all on one rank is advanced there, different islands by different ranks at the same
// time. One that spans ranks has a home, which goes through its Newton loop; those with clusters of it do their part of
// the work (remote_clusters.h). Clusters and contacts of an island are in the same order on any number of ranks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ymir/solids/contact/contact_dump.h"
#include "ymir/solids/contact/contact_island.h"
#include "ymir/solids/contact/lent_clusters.h"

namespace ymir {

class ContactIslands {
 public:
  explicit ContactIslands(Communicator& communicator) : communicator_(&communicator) {}

  // A cluster, wherever it is: the same on all ranks.
  struct Part {
    Cluster* cluster = nullptr;                 // nullptr: it is not here
    int rank = -1;                              // that has all of it; -1: it spans ranks
    std::size_t blocks = 1;                     // in it
    bool whole = false;                         // of an object that one rank has all of
    std::pair<int, std::int64_t> order{-1, 0};  // object and block that it begins with
  };
  // Where the piece of a side is.
  struct Seat {
    int part = -1;
    Cluster::Held at;
  };

  void clear();
  // by_piece: of the scene's Boundary, where contacts touch it; contacts of a piece without a part are left out.
  // Result: a part that touches others and is where it cannot be solved for: on several ranks, or coupled and away from
  // home.
  std::optional<std::size_t> find(const ContactScene& scene, std::span<const Part> parts,
                                  std::span<const Seat> by_piece);
  // Whether a part is in one.
  bool touched(std::size_t part) const { return !islands_of_.empty() && islands_of_[part] >= 0; }

  void record();
  // Collective. Outcomes of the islands that are at home here.
  std::vector<ContactIsland::Outcome> advance(const Step& step, ContactScene& scene);
  void write_recorded(ContactDump& dump) const;  // collective
  // Contacts in islands that are at home here.
  std::int64_t contacts() const;

 private:
  struct Home {
    int number;  // of the island, on all ranks
    std::unique_ptr<ContactIsland> island;
  };
  // An island that spans ranks, of which something is here.
  struct Spanning {
    Home home;  // without an island: it is not here
    std::optional<LentClusters> lent;
  };
  int home_of(std::span<const Part> parts, const std::vector<std::size_t>& members) const;
  std::optional<std::size_t> add(std::span<const Part> parts, const std::vector<std::size_t>& members, int number);
  void share_impulses(ContactScene& scene);
  template <class F>
  void for_each(F&& f) const;

  Communicator* communicator_;
  std::vector<Home> islands_;
  std::vector<Spanning> spanning_;
  std::vector<int> islands_of_;  // by part; -1: it touches nothing
  std::vector<int> number_in_;   // of each part, in its island
  // Of each island that something of is here.
  std::vector<ContactIsland*> island_at_;
  std::vector<LentClusters*> lent_at_;
  bool told_ = false;
  std::vector<int> homes_;    // ranks
  std::vector<int> home_of_;  // of each contact; -1: it is in no island
};

}  // namespace ymir
