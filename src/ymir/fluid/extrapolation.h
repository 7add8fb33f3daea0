// Continues the velocity of a gas into solids and behind their surface, where advection reads it but no projection
// determines it. [method notes C, 2 and 8]
//
// Known are faces of gas cells that are open enough; the velocity of barely open ones is inaccurate. Layer by layer,
// faces that touch a solid or are barely open take the mean of those of their six neighbours of the same component that
// were known in the layers before, on the same side of sheets; faces that a sheet closes keep its velocity. Faces
// between two cells of ambient air are left alone: advection does not read them.
#pragma once

#include <memory>
#include <vector>

#include "ymir/fluid/gas_grid.h"

namespace ymir {

struct ExtrapolationOptions {
  int layers = 3;
  float least_open = 0.1f;  // area fraction above which a face is known
  // Wholly closed faces keep their value, which the projection sets to the solid's velocity: gas beside a wall then
  // feels the wall's motion along it too, not only across.
  bool keep_closed = false;
};

class Extrapolation {
 public:
  Extrapolation(DiscreteVolume& volume, ChannelId<float> open, ChannelId<std::uint8_t> cell);
  ~Extrapolation();

  // Channel with the marks of GasGrid::sheets; invalid: there are none.
  void set_sheets(ChannelId<std::uint8_t> sheets) { sheets_ = sheets; }

  // Collective.
  void extend(ChannelId<float> velocity, const ExtrapolationOptions& options = {});

  std::int64_t extended_faces() const { return extended_; }  // by the last extend(), on this rank

 private:
  struct Work;
  void classify(const ExtrapolationOptions& options);
  void find_layer(ChannelId<float> velocity, int layer);
  void set_layer(ChannelId<float> velocity, int layer);

  DiscreteVolume* volume_;
  ChannelId<float> open_;
  ChannelId<std::uint8_t> cell_, layer_, sheets_;
  std::unique_ptr<Work> work_;
  std::int64_t extended_ = 0;
};

}  // namespace ymir
