#include "ymir/actions/follow_animation.h"

#include <algorithm>
#include <numeric>

#include "ymir/data/mesh_values.h"
#include "ymir/objects/mesh_cells.h"

namespace ymir {
namespace {

constexpr const char* channel = "stiffness";

// Where the animation is at the end of the substep.
struct Target {
  AnimatedSurface surface;
  std::vector<Vec3d> positions;  // [m]
};

// No node is held: the motion only has the pose read once per substep, on one thread.
void read_poses(MeshObject& object, const std::string& owner, const std::shared_ptr<Target>& target) {
  MeshObject::NodeMotion motion;
  motion.owner = owner;
  motion.prepare = [target](double, double end) { target->surface.pose(end, target->positions); };
  object.hold(std::move(motion));
  target->surface.pose(0, target->positions);
}

class Follow : public MeshConstraint {
 public:
  Follow(std::string owner, std::shared_ptr<const Target> target, FollowFactor factor)
      : target_(std::move(target)), factor_(std::move(factor)), owner_(std::move(owner)) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "pull towards an animation"; }
  BlockMatrix::Elements elements() const override { return {{}, 0}; }
  bool divisible() const override { return true; }

 protected:
  std::shared_ptr<const Target> target_;
  std::vector<double> stiffness_;  // of each vertex of the target [N/m]
  FollowFactor factor_;

 private:
  std::string owner_;
};

class FollowNodes final : public Follow {
 public:
  FollowNodes(const MeshObject& object, std::string owner, std::shared_ptr<const Target> target, double stiffness,
              const FollowFactor& factor)
      : Follow(std::move(owner), std::move(target), factor) {
    stiffness_ = node_values(object.mesh(), channel).value_or(std::vector<double>(object.volume().size(), stiffness));
    for (std::size_t i = 0; i < stiffness_.size(); ++i) stiffness_[i] *= object.volume()[i];
  }
  void assemble(MeshStep& s) override {
    const double factor = factor_(s.time);
    for (std::size_t i = 0; i < stiffness_.size(); ++i) {
      const double k = factor * stiffness_[i];
      s.residual[i] += (s.position[i] - target_->positions[i]) * k;
      s.scale[i] += Vec3d{k, k, k};
      double* d = s.matrix.diagonal(static_cast<std::int32_t>(i));
      for (int r = 0; r < 3; ++r) d[4 * r] += k;
    }
  }
};

class FollowSkin final : public Follow {
 public:
  FollowSkin(const MeshObject& object, std::string owner, std::shared_ptr<const Target> target, double stiffness,
             const FollowFactor& factor)
      : Follow(std::move(owner), std::move(target), factor), object_(&object) {
    const Surface& skin = object.mesh().skin;
    stiffness_.assign(skin.positions.size(), 0);
    double all = 0;
    for (const auto& t : skin.triangles) {
      const auto corner = [&](std::size_t k) { return skin.positions[static_cast<std::size_t>(t[k])]; };
      const double area = 0.5 * norm(cross(corner(1) - corner(0), corner(2) - corner(0)));
      for (const std::int32_t v : t) stiffness_[static_cast<std::size_t>(v)] += area / 3;
      all += area;
    }
    const double volume = std::accumulate(object.volume().begin(), object.volume().end(), 0.0);
    const auto painted = node_values(object.mesh(), channel);
    for (std::size_t v = 0; v < stiffness_.size(); ++v) {
      double k = stiffness;
      if (painted) {
        k = 0;
        for_each_node(v, [&](std::int32_t i, double w) { k += w * (*painted)[static_cast<std::size_t>(i)]; });
      }
      stiffness_[v] *= std::max(k, 0.0) * volume / all;
    }
  }
  void restrict_to(std::span<const std::int32_t> cells) override {
    for (std::size_t v = 0; v < stiffness_.size(); ++v)
      if (!std::binary_search(cells.begin(), cells.end(), object_->mesh().embedded[v].cell)) stiffness_[v] = 0;
  }
  void assemble(MeshStep& s) override {
    const std::vector<Vec3d> x = object_->skin(s.position);
    const double factor = factor_(s.time);
    for (std::size_t v = 0; v < x.size(); ++v) {
      const double k = factor * stiffness_[v];
      if (k == 0) continue;
      for_each_node(v, [&](std::int32_t i, double wi) {
        s.residual[static_cast<std::size_t>(i)] += (x[v] - target_->positions[v]) * (k * wi);
        s.scale[static_cast<std::size_t>(i)] += Vec3d{1, 1, 1} * (k * wi * wi);
        for_each_node(v, [&](std::int32_t j, double wj) {
          if (j > i) return;
          double* block = s.matrix.block(s.matrix.slot(i, j));
          for (int r = 0; r < 3; ++r) block[4 * r] += k * wi * wj;
        });
      });
    }
  }

 private:
  template <class F>
  void for_each_node(std::size_t vertex, F&& f) const {
    const SolidMesh& mesh = object_->mesh();
    const CellPoint& at = mesh.embedded[vertex];
    double weight[Embedding::max_dofs / 3];
    weights_in(mesh, at, weight);
    const int count = nodes_of(mesh.shape);
    for (int a = 0; a < count; ++a) f(mesh.cells[static_cast<std::size_t>(at.cell * count + a)], weight[a]);
  }
  const MeshObject* object_;
};

template <class Kind>
void follow(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
            const FollowFactor& factor) {
  const auto data = std::make_shared<Target>(Target{std::move(target), {}});
  read_poses(object, owner, data);
  object.add_constraint(std::make_unique<Kind>(object, owner, data, stiffness, factor));
}

}  // namespace

void follow_nodes(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
                  const FollowFactor& factor) {
  follow<FollowNodes>(object, owner, std::move(target), stiffness, factor);
}

void follow_skin(MeshObject& object, const std::string& owner, AnimatedSurface target, double stiffness,
                 const FollowFactor& factor) {
  follow<FollowSkin>(object, owner, std::move(target), stiffness, factor);
}

}  // namespace ymir
