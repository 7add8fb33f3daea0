// Collider Object: a solid that does not move and that other objects meet. It owns no degrees of freedom; it is an
// object so that frames show it.
#pragma once

#include "ymir/data/meshes.h"
#include "ymir/pipeline/object.h"

namespace ymir {

class ColliderObject final : public Object {
 public:
  // `shape` is what frames show; `root`: this rank contributes it (one rank must).
  ColliderObject(std::string path, int group, Surface shape, bool root)
      : Object(std::move(path), group), shape_(std::move(shape)), root_(root) {}

  void schedule(Timeline&) override {}
  std::int64_t element_count() const override { return 0; }
  void save() override {}
  void rollback() override {}
  std::optional<std::string> non_finite() const override { return std::nullopt; }
  ObjectState frame_state() const override;
  ObjectState checkpoint() const override { return {path(), "state", {}, {}}; }
  void restore(const ObjectState*) override {}
  std::uint64_t hash() const override { return 0; }
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}

 private:
  Surface shape_;
  bool root_;
};

}  // namespace ymir
