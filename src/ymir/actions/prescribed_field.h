// A vector field given from outside: a sum of analytic fields and sampled volumes.
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/volume_grid_sampler.h"
#include "ymir/physics/fields/vector_field.h"

namespace ymir {

class PrescribedField {
 public:
  void add(const VectorField& field) { analytic_.push_back(field); }
  void add(std::shared_ptr<const VolumeGridSampler> volume) { volumes_.push_back(std::move(volume)); }
  bool empty() const { return analytic_.empty() && volumes_.empty(); }

  // Sum of all parts at n points at time t [s]; zero without parts.
  void sample(int n, ConstVec3Planes x, double t, Vec3Planes out) const;

 private:
  std::vector<VectorField> analytic_;
  std::vector<std::shared_ptr<const VolumeGridSampler>> volumes_;
};

}  // namespace ymir
