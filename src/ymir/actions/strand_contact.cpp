#include "ymir/actions/strand_contact.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

class StrandContact final : public StrandConstraint {
 public:
  struct Channels {
    PenaltyChannels penalty;
    int free_position, clearance;
  };
  StrandContact(StrandSystem& strands, const Channels& channels, std::string owner, Collider collider,
                const PenaltyParams& params)
      : strands_(&strands),
        channels_(channels),
        owner_(std::move(owner)),
        collider_(std::move(collider)),
        params_(params) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact"; }
  int work_planes() const override { return 3; }

  void prepare(double time, double dt) override {
    deepest_.assign(static_cast<std::size_t>(strands_->group_count()), 0);
    if (!collider_.pose) return;
    begin_ = {time - dt, collider_.pose(time - dt)};
    end_ = {time, collider_.pose(time)};
  }

  // Where a point of the collider under each vertex would be taken: slip is measured from there.
  void begin(StrandStep& s, StrandReal* work) override {
    const RigidTransform before = pose(s.time - s.dt), now = pose(s.time);
    for (int i = 0; i < s.vertices; ++i)
      for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
        const Vec3d x{s.position[0][i][lane], s.position[1][i][lane], s.position[2][i][lane]};
        const Vec3d carried = collider_.pose ? now.to_world(before.to_body(x)) : x;
        for (int k = 0; k < 3; ++k) work[k * s.vertices + i].set(lane, carried[k]);
      }
  }

  void assemble(StrandStep& s, StrandReal* work) override {
    const StrandReal* clearance = strands_->plane(s.group, channels_.clearance);
    const StrandReal* free = strands_->plane(s.group, channels_.free_position);
    const PenaltyContact contact(*strands_, s.group, channels_.penalty, params_);
    const RigidTransform now = pose(s.time);
    double deepest = 0;
    const StrandSystem::Group& group = strands_->group(s.group);
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      for (int i = 1; i < group.count[static_cast<std::size_t>(lane)]; ++i) {
        const Vec3d x{s.position[0][i][lane], s.position[1][i][lane], s.position[2][i][lane]};
        const DistanceSample sample = collider_.distance(collider_.pose ? now.to_body(x) : x);
        const double depth = clearance[i][lane] - sample.distance;
        if (!(depth > 0)) continue;
        if (free[i][lane] != 0) deepest = std::max(deepest, -sample.distance);
        const Vec3d n = collider_.pose ? now.direction_to_world(sample.normal) : sample.normal;
        const Vec3d start{work[i][lane], work[s.vertices + i][lane], work[2 * s.vertices + i][lane]};
        contact.add(s, i, lane, depth, n, x - start);
      }
    // Rest shapes are adapted before the first substep.
    if (static_cast<std::size_t>(s.group) < deepest_.size()) deepest_[static_cast<std::size_t>(s.group)] = deepest;
  }
  double penetration() const override {
    return deepest_.empty() ? 0 : *std::max_element(deepest_.begin(), deepest_.end());
  }
  void advance(StrandStep&, const StrandReal&, StrandReal*) override {}
  void end(StrandStep&, StrandReal*) override {}

 private:
  struct Moment {
    double time = 0;
    RigidTransform pose;
  };
  RigidTransform pose(double time) const {
    if (!collider_.pose) return {};
    if (time == end_.time) return end_.pose;
    return time == begin_.time ? begin_.pose : collider_.pose(time);
  }

  StrandSystem* strands_;
  Channels channels_;
  std::string owner_;
  Collider collider_;
  PenaltyParams params_;
  Moment begin_, end_;           // of the whole substep
  std::vector<double> deepest_;  // vertex inside the collider, by group, at the last iterate [m]
};

}  // namespace

void add_strand_contact(CurvesObject& curves, const std::string& owner, Collider collider,
                        const PenaltyParams& params) {
  const RodChannels& rod = curves.rod_channels();
  const StrandContact::Channels channels{
      PenaltyChannels::of(curves), rod.free_position,
      curves.strands().add_channel("clearance " + owner, StrandSystem::Kind::constant)};
  curves.add_emission([&rod, channels, collider, params](Strand& strand) {
    const RigidTransform pose = collider.pose ? collider.pose(0) : RigidTransform{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(strand.vertices); ++i) {
      const Vec3d x{strand.channel(rod.position)[i], strand.channel(rod.position + 1)[i],
                    strand.channel(rod.position + 2)[i]};
      const double thickness =
          channels.penalty.thickness >= 0 ? strand.channel(channels.penalty.thickness)[i] : params.thickness;
      strand.channel(channels.clearance)[i] =
          std::min(strand.channel(rod.radius)[i] + thickness, collider.distance(pose.to_body(x)).distance);
    }
  });
  curves.add_constraint(
      std::make_unique<StrandContact>(curves.strands(), channels, owner, std::move(collider), params));
}

}  // namespace ymir
