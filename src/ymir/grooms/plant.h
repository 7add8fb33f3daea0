// Plants as elastons: branches along curves, leaves on surfaces, trunks and fruit inside of surfaces, joined where they
// touch.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ymir/data/elaston_cloud.h"

namespace ymir {

class Plant {
 public:
  // spacing: of nodes, on branches rounded so that they have a whole number of segments [m].
  explicit Plant(double spacing) { cloud_.spacing = spacing; }

  // Round branches; radii are the channel `radius` of the vertices or strands, else `radius` [m]. Throws Error, naming
  // `from`, where a strand has no length or no thickness.
  void add_branches(const Curves& curves, double radius, const std::string& from);
  // Sheets of a thickness [m]; each part of the surface that hangs together is a leaf.
  void add_leaves(const Surface& surface, double thickness, const std::string& from);

  // What is thick all around: each part of a closed surface that hangs together is one. Throws Error where it is not
  // closed, or needs more than `most` cells.
  void add_trunks(const Surface& surface, const std::string& from, std::size_t most);

  // Joins parts that touch, nearer than half a spacing. A solid that touches a branch and bears none is a fruit. Held,
  // if wanted, are branches that begin at no other part, and the feet of all other solids.
  ElastonCloud grown(bool hold_roots);
  // Leaves that touch nothing, after grown().
  int loose() const { return loose_; }

 private:
  struct Segment {
    std::int32_t a, b;  // nodes
    double radius;      // [m]
    std::size_t strand;
    std::int32_t first;  // node of the strand
  };
  struct Branch {
    std::int32_t first;  // node
    double radius;       // at its root [m]
  };
  // Nodes of a leaf, and points by which it may touch a branch.
  struct Leaf {
    std::int32_t first, end;
    std::vector<Vec3d> points;
  };
  // Its elastons, and half the edge of their cubes.
  struct Trunk {
    std::int32_t first, end;
    double half;         // [m]
    bool bears = false;  // a branch grows out of it
  };
  // The nearest part, as two of its nodes.
  struct Touch {
    double gap = std::numeric_limits<double>::infinity();
    std::int32_t nodes[2] = {-1, -1};
    std::int32_t trunk = -1;
    bool found() const { return nodes[0] >= 0; }
  };
  static constexpr std::size_t no_strand = std::numeric_limits<std::size_t>::max();

  void add_tube(const std::vector<Vec3d>& nodes, const std::vector<double>& radius, std::int32_t first);
  // Nodes among the points of a leaf, not much nearer to each other than nodes are spaced.
  void add_leaf_nodes(Leaf& leaf);
  std::int32_t nearest_node(const Leaf& leaf, Vec3d x) const;
  Touch touch_branch(Vec3d x, std::size_t strand) const;
  Touch touch_trunk(Vec3d x) const;
  Touch touch(Vec3d x, std::size_t strand) const;
  void join(std::int32_t node, const Touch& on);
  std::size_t add_trunk(const Surface& surface, const std::string& from, std::size_t most);  // its cubes
  void add_bark(const Surface& surface, const Trunk& trunk, const std::function<std::int32_t(Vec3d)>& nearest);
  bool hangs(const Trunk& trunk);
  void hold_foot(const Trunk& trunk);
  void merge();

  ElastonCloud cloud_;
  std::vector<Segment> segments_;
  std::vector<Branch> branches_;
  std::vector<Leaf> leaves_;
  std::vector<Trunk> trunks_;
  std::vector<std::pair<std::int32_t, std::int32_t>> same_;  // nodes that become one
  int loose_ = 0;
};

}  // namespace ymir
