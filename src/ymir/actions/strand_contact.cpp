#include "ymir/actions/strand_contact.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

constexpr double stick = 0.1;  // stiffness of sticking by that of the contact

class StrandContact final : public StrandConstraint {
 public:
  StrandContact(StrandSystem& strands, int mass, int clearance, std::string owner, Collider collider,
                const PenaltyParams& params)
      : strands_(&strands),
        mass_(mass),
        clearance_(clearance),
        owner_(std::move(owner)),
        collider_(std::move(collider)),
        params_(params) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact"; }
  int work_planes() const override { return 3; }

  void prepare(double time, double dt) override {
    if (!collider_.pose) return;
    before_ = collider_.pose(time - dt);
    now_ = collider_.pose(time);
  }

  // Where a point of the collider under each vertex would be taken: slip is measured from there.
  void begin(StrandStep& s, StrandReal* work) override {
    for (int i = 0; i < s.vertices; ++i)
      for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
        const Vec3d x{s.position[0][i][lane], s.position[1][i][lane], s.position[2][i][lane]};
        const Vec3d carried = collider_.pose ? now_.to_world(before_.to_body(x)) : x;
        for (int k = 0; k < 3; ++k) work[k * s.vertices + i].set(lane, carried[k]);
      }
  }

  void assemble(StrandStep& s, StrandReal* work) override {
    const StrandReal* clearance = strands_->plane(s.group, clearance_);
    const StrandReal* mass = strands_->plane(s.group, mass_);
    const StrandSystem::Group& group = strands_->group(s.group);
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      for (int i = 1; i < group.count[static_cast<std::size_t>(lane)]; ++i) {
        const Vec3d x{s.position[0][i][lane], s.position[1][i][lane], s.position[2][i][lane]};
        const DistanceSample sample = collider_.distance(collider_.pose ? now_.to_body(x) : x);
        const double depth = clearance[i][lane] - sample.distance;
        if (!(depth > 0)) continue;
        const Vec3d n = collider_.pose ? now_.direction_to_world(sample.normal) : sample.normal;
        const Vec3d start{work[i][lane], work[s.vertices + i][lane], work[2 * s.vertices + i][lane]};
        Vec3d slip = x - start;
        slip -= n * dot(slip, n);
        const double k = params_.stiffness * mass[i][lane] / (s.dt * s.dt), h = params_.thickness;
        const bool grazing = depth < h;
        const double normal = grazing ? k * depth * depth / (2 * h) : k * (depth - h / 2);
        // Sticking is a spring, softer than the contact; sliding pulls with mu N against the slip.
        const double length = norm(slip), spring = stick * k, limit = params_.friction * normal;
        const double hold = length * spring > limit ? limit / length : spring;
        add(s, i, lane, n, n * -normal + slip * hold, grazing ? k * depth / h : k, hold);
      }
  }
  void advance(StrandStep&, const StrandReal&, StrandReal*) override {}
  void end(StrandStep&, StrandReal*) override {}

 private:
  // Gradient, and the matrix stiffness n n' + hold (I - n n').
  static void add(StrandStep& s, int i, int lane, Vec3d n, Vec3d gradient, double stiffness, double hold) {
    const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
    const int row = s.multipliers ? MultiplierLayout::row(i, 0) : PlainLayout::row(i, 0);
    const auto at = [lane](StrandReal* values, int k) -> double& {
      return reinterpret_cast<double*>(values)[k * StrandSystem::lanes + lane];
    };
    for (int a = 0; a < 3; ++a) {
      at(s.residual, row + a) += gradient[a];
      for (int b = 0; b <= a; ++b) {
        const double value = (stiffness - hold) * n[a] * n[b] + (a == b ? hold : 0);
        at(s.matrix, (row + b) * column + a - b) += value;
        if (a == b) at(s.scale, row + a) += value;
      }
    }
  }

  StrandSystem* strands_;
  int mass_, clearance_;
  std::string owner_;
  Collider collider_;
  PenaltyParams params_;
  RigidTransform before_, now_;
};

}  // namespace

void add_strand_contact(CurvesObject& curves, const std::string& owner, Collider collider,
                        const PenaltyParams& params) {
  const int channel = curves.strands().add_channel("clearance " + owner, StrandSystem::Kind::constant);
  curves.add_emission([&curves, channel, collider, thickness = params.thickness](Strand& strand) {
    const RodChannels& rod = curves.channels();
    const RigidTransform pose = collider.pose ? collider.pose(0) : RigidTransform{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(strand.vertices); ++i) {
      const Vec3d x{strand.channel(rod.position)[i], strand.channel(rod.position + 1)[i],
                    strand.channel(rod.position + 2)[i]};
      strand.channel(channel)[i] =
          std::min(strand.channel(rod.radius)[i] + thickness, collider.distance(pose.to_body(x)).distance);
    }
  });
  curves.add_constraint(std::make_unique<StrandContact>(curves.strands(), curves.channels().mass, channel, owner,
                                                        std::move(collider), params));
}

}  // namespace ymir
