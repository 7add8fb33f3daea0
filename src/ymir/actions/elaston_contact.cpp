#include "ymir/actions/elaston_contact.h"

#include <algorithm>

#include "ymir/physics/contact/sticking_penalty.h"

namespace ymir {
namespace {

class ElastonContact final : public ElastonConstraint {
 public:
  ElastonContact(ElastonObject& object, std::string owner, SolidDuring solid, const MeshContactParams& params)
      : mass_(object.mass()), owner_(std::move(owner)), solid_(std::move(solid)), params_(params) {
    // What begins nearer than it may stays as near: it is not pushed out.
    const auto at = solid_(0, 0);
    for (const ElastonSample& e : object.cloud().elastons) {
      clearance_.push_back(std::min(params.thickness + e.radius, at(e.centre).distance));
      grazing_.push_back(grazing_depth(params.thickness, clearance_.back() - e.radius));
    }
    friction_.assign(3 * clearance_.size(), 0);
    next_friction_.resize(clearance_.size());
    slid_.resize(clearance_.size());
    deepest_.assign(std::max<std::size_t>(object.pieces().size(), 1), 0);
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact"; }
  std::span<double> state() override { return friction_; }
  double penetration() const override { return *std::max_element(deepest_.begin(), deepest_.end()); }
  void prepare(double begin, double end) override {
    solid_at_end_ = solid_(begin, end);
    std::fill(slid_.begin(), slid_.end(), Vec3d{0, 0, 0});
  }

  void assemble(const ElastonCentres& centres) override {
    double& deepest = deepest_[static_cast<std::size_t>(centres.piece)] = 0;
    for (std::size_t i = 0; i < centres.now.size(); ++i) {
      const std::size_t e = centres.first + i;
      const TouchedSolid touched = touched_on_the_way(solid_at_end_, centres.begin[i], centres.now[i]);
      const double depth = clearance_[e] - touched.distance;
      next_friction_[e] = {0, 0, 0};
      if (!(depth > 0)) continue;
      deepest = std::max(deepest, -touched.distance);
      const StickingPenalty touch(penalty_stiffness(params_.stiffness, mass_[e], centres.dt), grazing_[e],
                                  params_.friction, depth, touched.normal,
                                  centres.now[i] - centres.begin[i] - touched.carried,
                                  {friction_[3 * e], friction_[3 * e + 1], friction_[3 * e + 2]}, slid_[e]);
      slid_[e] = touch.sliding;
      next_friction_[e] = touch.friction;
      centres.gradient[i] += touch.gradient;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) centres.stiffness[i](r, c) += touch.stiffness(touched.normal, r, c);
    }
  }

  void end(const ElastonCentres& centres) override {
    for (std::size_t e = centres.first; e < centres.first + centres.now.size(); ++e)
      for (int k = 0; k < 3; ++k) friction_[3 * e + static_cast<std::size_t>(k)] = next_friction_[e][k];
  }

 private:
  std::vector<double> mass_;  // of each elaston [kg]
  std::string owner_;
  SolidDuring solid_;
  MeshContactParams params_;
  std::vector<double> clearance_, grazing_;  // of each elaston [m]
  SolidAtEnd solid_at_end_;
  std::vector<double> friction_;      // of each elaston when the substep began, 3 each [N]
  std::vector<Vec3d> next_friction_;  // at the present iterate [N]
  std::vector<Vec3d> slid_;           // where to, at the last iterate
  std::vector<double> deepest_;       // of each plant [m]
};

}  // namespace

void add_elaston_contact(ElastonObject& object, const std::string& owner, SolidDuring solid,
                         const MeshContactParams& params) {
  object.add_constraint(std::make_unique<ElastonContact>(object, owner, std::move(solid), params));
}

}  // namespace ymir
