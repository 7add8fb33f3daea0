// Collider Object: a solid that other objects meet. It owns no degrees of freedom, its pose is a function of time
// alone; it is an object so that frames show it.
#pragma once

#include "ymir/data/animated_surface.h"
#include "ymir/pipeline/object.h"

namespace ymir {

class ColliderObject final : public Object {
 public:
  // `shape` is what frames show; `root`: this rank contributes it (one rank must).
  ColliderObject(std::string path, int group, AnimatedSurface shape, bool root)
      : Object(std::move(path), group), shape_(std::move(shape)), root_(root) {}

  void schedule(Timeline& timeline) override;
  std::int64_t element_count() const override { return 0; }
  void save() override {}
  void rollback() override {}
  std::optional<std::string> non_finite() const override { return std::nullopt; }
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "surface"; }
  std::uint64_t hash() const override { return 0; }
  // The channels of a collider, for documentation where there is none (nullptr).
  static std::vector<Channel> list(ColliderObject* collider);
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}

 private:
  AnimatedSurface shape_;
  bool root_;
  double shown_ = 0;  // time of the pose that frames show [s]
};

}  // namespace ymir
