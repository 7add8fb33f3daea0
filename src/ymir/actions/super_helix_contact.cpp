#include "ymir/actions/super_helix_contact.h"

#include <algorithm>

#include "ymir/physics/contact/sticking_penalty.h"

namespace ymir {
namespace {

class SuperHelixContact final : public HelixConstraint {
 public:
  SuperHelixContact(SuperHelixObject& object, int clearance, std::string owner, SolidDuring solid,
                    const PenaltyParams& params)
      : strands_(&object.strands()),
        points_(object.gauss().count),
        clearance_(clearance),
        owner_(std::move(owner)),
        solid_(std::move(solid)),
        params_(params) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact"; }
  double penetration() const override {
    return deepest_.empty() ? 0 : *std::max_element(deepest_.begin(), deepest_.end());
  }
  void prepare(double begin, double end) override {
    solid_at_end_ = solid_(begin, end);
    deepest_.assign(static_cast<std::size_t>(strands_->group_count() * StrandSystem::lanes), 0);
  }

  void assemble(const HelixPoints& points) override {
    double& deepest = deepest_[static_cast<std::size_t>(points.group * StrandSystem::lanes + points.lane)] = 0;
    for (std::size_t i = 0; i < points.now.size(); ++i) {
      const TouchedSolid touched = touched_on_the_way(solid_at_end_, points.begin[i], points.now[i]);
      const int element = static_cast<int>(i) / points_, g = static_cast<int>(i) % points_;
      const double depth = strands_->plane(points.group, clearance_ + g)[element][points.lane] - touched.distance;
      if (!(depth > 0)) continue;
      deepest = std::max(deepest, -touched.distance);
      const StickingPenalty touch(penalty_stiffness(params_.stiffness, points.mass[i], points.dt), params_.thickness,
                                  params_.friction, depth, touched.normal,
                                  points.now[i] - points.begin[i] - touched.carried, {0, 0, 0}, {0, 0, 0});
      points.gradient[i] += touch.gradient;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) points.stiffness[i](r, c) += touch.stiffness(touched.normal, r, c);
    }
  }

 private:
  const StrandSystem* strands_;
  int points_, clearance_;
  std::string owner_;
  SolidDuring solid_;
  PenaltyParams params_;
  SolidAtEnd solid_at_end_;
  std::vector<double> deepest_;  // of each strand, at the last iterate [m]
};

}  // namespace

void add_super_helix_contact(SuperHelixObject& object, const std::string& owner, SolidDuring solid,
                             const PenaltyParams& params) {
  const int points = object.gauss().count;
  const int clearance = object.strands().channel_count();
  for (int g = 0; g < points; ++g)
    object.strands().add_channel("clearance " + owner + " " + std::to_string(g), StrandSystem::Kind::constant);
  // What begins nearer than it may stays as near: it is not pushed out.
  object.add_emission([&object, clearance, at = solid(0, 0), params](Strand& strand, const SuperHelix& helix) {
    const auto& gauss = object.gauss();
    for (int e = 0; e < helix.elements; ++e)
      for (int g = 0; g < gauss.count; ++g) {
        const auto element = static_cast<std::size_t>(e);
        const double radius = strand.channel(object.helix_channels().radius)[element];
        strand.channel(clearance + g)[element] =
            std::min(radius + params.thickness, at(helix.frame(e, gauss.at[g] * helix.length).position).distance);
      }
  });
  object.add_constraint(std::make_unique<SuperHelixContact>(object, clearance, owner, std::move(solid), params));
}

}  // namespace ymir
