// All hairs of a groom, carried by simulated guides from frame to frame: interpolated with their lengths kept, rooted
// in the skin and kept out of the solids of the frame. Nothing is remembered from one frame to the next.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ymir/grooms/interpolate.h"
#include "ymir/grooms/push_out.h"

namespace ymir {

class HairCarrier {
 public:
  // Surfaces by name, as they lie at rest. Those that most of the hairs are inside of are left out of account. Errors
  // as those of precompute_interpolation.
  using Surfaces = std::map<std::string, Surface, std::less<>>;
  HairCarrier(Curves groom, Curves guides_rest, const Surfaces& rest, int neighbours, const std::string& groom_name,
              const std::string& guides_name);

  const Curves& groom() const { return groom_; }
  const Curves& guides() const { return guides_; }
  std::size_t nearest_guide(std::size_t hair) const;

  // The hairs of a frame, of its guides and surfaces; a surface of which nothing is known at rest keeps hairs out only.
  Curves carry(const Curves& guides_moved, const Surfaces& surfaces, const std::string& frame_name) const;

 private:
  // Where a root grows: nowhere when `surface` is empty.
  struct Foot {
    std::string surface;
    std::array<std::int32_t, 3> triangle{};
    Vec3d barycentric, rest;
  };
  Foot foot_of(Vec3d root, const std::map<std::string, Solid, std::less<>>& solids, const Surfaces& rest) const;
  static SkinPoint moved(const Foot& foot, const Surfaces& surfaces);

  Curves groom_, guides_;
  InterpolationWeights weights_;
  std::vector<Foot> hair_feet_, guide_feet_;
  std::vector<std::string> ignored_;  // surfaces that enclose the hairs
};

}  // namespace ymir
