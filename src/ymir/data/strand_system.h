// Strand System: channels of real numbers on the vertices of strands, stored for solvers that handle `lanes` strands at
// once.
//
// Strands of about equal length share a Group; a channel of a group is a plane [vertex][lane], so that a vertex of all
// lanes is one vector load. A strand lies whole in one group and on one rank. Lanes do not mix: what happens to a
// strand does not depend on its neighbours in the group, nor on the number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/data/grid_domain.h"
#include "ymir/math/simd.h"

namespace ymir {

// One strand by itself: as it enters, leaves, and travels between ranks.
struct Strand {
  std::int64_t id = 0;
  int vertices = 0;
  Vec3d home{0, 0, 0};         // the bucket there decides which rank owns it
  std::int64_t tie = -1;       // strands that constraints connect have one number of their own; -1: none
  std::vector<double> values;  // [channel][vertex]
  std::span<double> channel(int c) {
    return {values.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(vertices),
            static_cast<std::size_t>(vertices)};
  }
  std::span<const double> channel(int c) const {
    return {values.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(vertices),
            static_cast<std::size_t>(vertices)};
  }
};

class StrandSystem {
 public:
  static constexpr int lanes = 4;
  using Real = Lanes<double, lanes>;
  enum class Kind : std::uint8_t {
    constant,  // does not change while time passes
    state,     // advanced by a substep: saved before it, stored in checkpoints
  };

  struct Group {
    int vertices = 0;                      // of the longest strand
    std::array<std::int64_t, lanes> id{};  // -1: no strand in this lane
    std::array<int, lanes> count{};        // vertices of each strand, 0 without one
    std::array<Vec3d, lanes> home{};
    std::int64_t tie = -1;     // of all its strands
    std::vector<Real> values;  // [channel][vertex]
    std::vector<Real> saved;   // state channels at the beginning of the substep
  };

  explicit StrandSystem(GridDomain& domain) : domain_(&domain) {}

  // While there are no strands. A vector takes three consecutive channels (x, y, z of it).
  int add_channel(std::string name, Kind kind);
  int add_vector(const std::string& name, Kind kind);
  int channel_count() const { return static_cast<int>(channels_.size()); }
  const std::string& channel_name(int c) const { return channels_[static_cast<std::size_t>(c)].name; }
  // First channel of that name; -1 when there is none. A vector "v" is found as such.
  int find(std::string_view name) const;

  Strand make_strand(std::int64_t id, int vertices) const;
  // These strands (of this rank) and no others, packed into groups by length, then id. Strands with different ties
  // never share a group: what is solved together is then the same on any number of ranks.
  void assign(std::vector<Strand> strands);
  std::vector<Strand> take_all();  // leaves none
  Strand strand(int group, int lane) const;
  std::vector<Strand> copy_all() const;  // in order of id
  struct Seat {
    int group, lane;
  };
  std::vector<Seat> seats() const;  // of all strands, in order of id

  std::uint64_t arrangement() const { return arrangement_; }  // another one: strands are elsewhere than before

  int group_count() const { return static_cast<int>(groups_.size()); }
  Group& group(int g) { return groups_[static_cast<std::size_t>(g)]; }
  const Group& group(int g) const { return groups_[static_cast<std::size_t>(g)]; }
  // Plane of a channel: vertices values of `lanes` strands each.
  Real* plane(int group, int channel) {
    Group& g = this->group(group);
    return g.values.data() + static_cast<std::size_t>(channel) * static_cast<std::size_t>(g.vertices);
  }
  const Real* plane(int group, int channel) const { return const_cast<StrandSystem*>(this)->plane(group, channel); }
  // The same for a state channel, as it was at the last save().
  const Real* saved(int group, int channel) const;
  double& at(int group, int channel, int vertex, int lane) {
    return reinterpret_cast<double*>(plane(group, channel))[vertex * lanes + lane];
  }

  std::int64_t strand_count() const { return strands_; }  // of this rank
  std::int64_t vertex_count() const { return vertices_; }
  void save();
  void rollback();
  void save(int group);
  void rollback(int group);
  void rollback(int group, int lane);
  // Strands whose owner changed travel. Collective.
  void migrate();
  BucketKey bucket_of(int group, int lane) const;  // of its home
  // All strands are on this rank, wherever their homes are.
  void keep_on(int rank) { keeper_ = rank; }
  int keeper() const { return keeper_; }  // -1: homes decide
  // Whether a strand of that home is on this rank.
  bool local(Vec3d home) const;
  GridDomain& domain() const { return *domain_; }

  // Of all ranks, whatever the distribution. Collective.
  std::uint64_t hash() const;
  const std::string* non_finite_channel() const;
  std::size_t memory() const;  // [bytes]

 private:
  struct Channel {
    std::string name;
    Kind kind;
    int saved = -1;  // index among the state channels
  };
  void count();

  GridDomain* domain_;
  int keeper_ = -1;
  std::vector<Channel> channels_;
  int state_channels_ = 0;
  std::vector<Group> groups_;
  std::int64_t strands_ = 0, vertices_ = 0;
  std::uint64_t arrangement_ = 0;
};

}  // namespace ymir
