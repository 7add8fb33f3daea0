// The one implicit system of everything solid that is coupled: the manybodies solver. [Lesser2022, 5.1 and 6.5]
//
// Blocks (groups of strands, particles, meshes, rigid bodies) that couplings connect form a cluster (cluster.h), solved
// as one, also where they are on several ranks (spanning_clusters.h). Blocks that nothing touches are left to their
// objects, which advance them alone, in cache.
#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ymir/pipeline/object.h"
#include "ymir/solids/cluster.h"
#include "ymir/solids/contact/contact_islands.h"
#include "ymir/solids/contact/contact_scene.h"
#include "ymir/solids/contact/lone_contact.h"
#include "ymir/solids/solid_object.h"
#include "ymir/solids/spanning_clusters.h"

namespace ymir {

class SolidSystem final : public Object {
 public:
  SolidSystem();  // on one rank
  explicit SolidSystem(Communicator& communicator);
  ~SolidSystem() override;
  Communicator& communicator() const { return *communicator_; }

  // Kept by name: sums do not depend on the order of a setup.
  void add(SolidObject& object);
  void add(std::unique_ptr<Coupling> coupling);
  const std::vector<SolidObject*>& members() const { return members_; }
  const std::vector<std::unique_ptr<Coupling>>& couplings() const { return couplings_; }

  // What touches what; objects of it are added by whoever names them there.
  ContactScene& contacts() { return contacts_; }
  const ContactScene& contacts() const { return contacts_; }

  // Writes the contact problems of every substep, also of those that are undone, to a folder.
  void record_contacts(const std::filesystem::path& folder);

  // Substeps, which are `longest` at most [s], are to be short enough that what touches does not pass unseen.
  void adapt_substeps(double longest) { longest_ = longest; }

  // Finds the clusters of this substep; their blocks are left to advance().
  void detect(const Step& step);
  bool in_cluster(const SolidObject* object, int block) const;
  // Of all that is coupled to the object, now or in another substep, directly or through others: one with as many
  // unknowns or more; of those with as many, the first by name counts as larger. nullptr: there is none.
  const SolidObject* larger(const SolidObject& object) const;
  void advance(const Step& step);

  // Iterations in one Newton step after which the direct solver takes over.
  void set_cg_limit(int iterations) { cg_limit_ = iterations; }
  // Of the last substep: most CG iterations of a solve, and solves the direct solver had to do.
  int cg_iterations() const { return cg_iterations_; }
  int direct_solves() const { return direct_solves_; }

  // Also settles where what touches is, before objects are ingested.
  void schedule(Timeline& timeline) override;
  std::int64_t element_count() const override { return 0; }
  SolveReport solve_report() const override { return report_; }
  ObjectReport report() const override { return solves_; }
  double step_limit() const override { return limit_; }
  void save() override;
  void rollback() override { set_state(saved_); }
  void accept() override;
  std::optional<std::string> non_finite() const override { return std::nullopt; }
  std::vector<Channel> channels() override { return list(this); }
  // The same without a system (nullptr), for documentation.
  static std::vector<Channel> list(SolidSystem* system);
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override;
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}

 private:
  // A block, wherever it is.
  struct Node {
    int member = -1, rank = 0, block = 0;
    auto operator<=>(const Node&) const = default;
  };
  using Content = std::vector<Node>;
  struct Link;
  std::vector<Link> find_links() const;
  void make_clusters(const std::vector<Link>& links, const std::vector<Content>& contents);
  void make_islands(const std::vector<Content>& contents);
  template <class Coupled>
  void hand_out(const Step& step, const Coupled& coupled);
  void note(const std::vector<Cluster::Outcome>& outcomes);
  void advance_islands(const Step& step);
  std::string name_of(const Contact& contact) const;
  int home_of(const Content& content) const;
  Cluster::Systems systems_for(const Content& content);
  void share_state();

  std::vector<double> state() const;
  void set_state(std::span<const double> values);

  std::vector<SolidObject*> members_;
  std::vector<std::unique_ptr<Coupling>> couplings_;
  Communicator* communicator_;
  ContactScene contacts_;
  std::vector<Cluster> clusters_;  // all of whose blocks are here
  std::vector<char> touched_;      // of each cluster: it is in an island
  std::vector<char> in_island_;    // of each piece that contacts know
  // Contacts that objects solve for themselves, by members, and the length of the substep [s].
  std::vector<std::vector<LoneContact>> lone_;
  double lone_dt_ = 0;
  ContactIslands islands_;
  std::unique_ptr<ContactDump> dump_;  // nullptr: nobody wants it
  struct Member {
    int cluster;
    std::size_t number;
  };
  std::map<Node, Member> cluster_at_;  // of a block here
  SpanningClusters spanning_;
  bool any_spanning_ = false;  // on any rank
  std::map<Content, Cluster::Systems> systems_, next_systems_;
  std::vector<std::pair<const SolidObject*, int>> taken_;  // sorted
  std::string too_fast_;                                   // why the substep is to be shorter
  std::vector<double> saved_, begin_state_;                // of couplings: before and when the substep began
  SolveReport report_;
  ObjectReport solves_;                                                   // of the substep at hand
  double longest_ = 0, limit_ = std::numeric_limits<double>::infinity();  // of substeps; 0: they are as they are [s]
  int cg_iterations_ = 0, direct_solves_ = 0;
  int cg_limit_ = 300;  // a factor of the whole takes about as long as a hundred
};

}  // namespace ymir
