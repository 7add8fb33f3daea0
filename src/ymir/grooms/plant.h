// Plants as elastons: branches along curves, leaves on surfaces, joined where they touch.
#pragma once

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

  // Joins parts that touch, nearer than half a spacing, and holds branches that begin at no other part, if wanted.
  ElastonCloud grown(bool hold_roots);
  // Leaves that touch no branch, after grown().
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
  struct Touch {
    double gap;
    const Segment* segment = nullptr;
  };

  void add_tube(const std::vector<Vec3d>& nodes, const std::vector<double>& radius, std::int32_t first);
  // Nodes among the points of a leaf, not much nearer to each other than nodes are spaced.
  void add_leaf_nodes(Leaf& leaf);
  std::int32_t nearest_node(const Leaf& leaf, Vec3d x) const;
  Touch touch(Vec3d x, std::size_t strand) const;
  void join(std::int32_t node, const Segment& segment);
  void merge();

  ElastonCloud cloud_;
  std::vector<Segment> segments_;
  std::vector<Branch> branches_;
  std::vector<Leaf> leaves_;
  std::vector<std::pair<std::int32_t, std::int32_t>> same_;  // nodes that become one
  int loose_ = 0;
};

}  // namespace ymir
