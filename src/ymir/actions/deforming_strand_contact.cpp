#include "ymir/actions/deforming_strand_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ymir {
namespace {

// What a vertex last saw of the surface.
struct Sight {
  Vec3d x;                                                     // from where [m]
  double distance = std::numeric_limits<double>::quiet_NaN();  // signed [m]; NaN: nothing yet
  double odometer = 0;                                         // of the surface [m]
};

class DeformingStrandContact final : public StrandConstraint {
 public:
  struct Channels {
    PenaltyChannels penalty;
    int free_position;
    int clearance, released;  // at the beginning, and when it has been brought out
  };
  DeformingStrandContact(StrandSystem& strands, const Channels& channels, std::string owner,
                         std::shared_ptr<const DeformingSurface> surface, const PenaltyParams& params, double push_out)
      : strands_(&strands),
        channels_(channels),
        owner_(std::move(owner)),
        surface_(std::move(surface)),
        motion_(surface_->during(0, 0)),
        params_(params),
        push_out_(push_out) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "contact, deforming"; }
  int work_planes() const override { return 3; }

  void prepare(double time, double dt) override {
    motion_ = surface_->during(time - dt, time);
    deepest_.assign(static_cast<std::size_t>(strands_->group_count()), 0);
    sights_.resize(static_cast<std::size_t>(strands_->group_count()));
    for (int g = 0; g < strands_->group_count(); ++g) {
      const StrandSystem::Group& group = strands_->group(g);
      Sights& sights = sights_[static_cast<std::size_t>(g)];
      const std::size_t size = static_cast<std::size_t>(group.vertices) * StrandSystem::lanes;
      if (sights.id == group.id && sights.of_vertex.size() == size) continue;
      sights.id = group.id;
      sights.of_vertex.assign(size, {});
    }
  }

  void begin(StrandStep& s, StrandReal* work) override {
    for (int k = 0; k < 3; ++k) std::copy_n(s.position[k], s.vertices, work + k * s.vertices);
  }

  void assemble(StrandStep& s, StrandReal* work) override {
    const StrandReal* clearance = strands_->plane(s.group, channels_.clearance);
    const StrandReal* released = strands_->plane(s.group, channels_.released);
    const StrandReal* free = strands_->plane(s.group, channels_.free_position);
    const PenaltyContact contact(*strands_, s.group, channels_.penalty, params_);
    const StrandSystem::Group& group = strands_->group(s.group);
    const bool remembers = static_cast<std::size_t>(s.group) < sights_.size();
    Sight* sights = remembers ? sights_[static_cast<std::size_t>(s.group)].of_vertex.data() : nullptr;
    double deepest = 0;
    for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
      if (s.active[lane] == 0) continue;
      for (int i = 1; i < group.count[static_cast<std::size_t>(lane)]; ++i) {
        if (free[i][lane] == 0) continue;
        const Vec3d x{s.position[0][i][lane], s.position[1][i][lane], s.position[2][i][lane]};
        const double kept = std::min(released[i][lane], clearance[i][lane] + push_out_ * s.time);
        const SurfaceSample sample =
            look(x, s.time, kept, sights != nullptr ? sights + i * StrandSystem::lanes + lane : nullptr);
        const double depth = kept - sample.distance;
        if (!(depth > 0)) continue;
        deepest = std::max(deepest, -sample.distance);
        const Vec3d n = sample.normal;
        const Vec3d start{work[i][lane], work[s.vertices + i][lane], work[2 * s.vertices + i][lane]};
        const Vec3d moved = x - start - motion_->displacement(sample, s.time - s.dt, s.time);
        contact.add(s, i, lane, depth, n, moved);
      }
    }
    if (remembers) deepest_[static_cast<std::size_t>(s.group)] = deepest;
  }
  double penetration() const override {
    return deepest_.empty() ? 0 : *std::max_element(deepest_.begin(), deepest_.end());
  }
  void advance(StrandStep&, const StrandReal&, StrandReal*) override {}
  void end(StrandStep&, StrandReal*) override {}

 private:
  struct Sights {
    std::array<std::int64_t, StrandSystem::lanes> id{};
    std::vector<Sight> of_vertex;
  };

  // The surface seen from x, or nothing when it is certainly farther than `kept`.
  SurfaceSample look(Vec3d x, double time, double kept, Sight* last) const {
    double bound = std::numeric_limits<double>::infinity();
    if (last != nullptr && !std::isnan(last->distance)) {
      const double moved = norm(x - last->x) + motion_->moved_since(last->odometer);
      if (last->distance - moved > kept) return {};
      bound = (std::abs(last->distance) + moved) * (1 + 1e-9) + 1e-12;
    }
    SurfaceSample sample = motion_->sample(x, time, bound);
    if (sample.triangle < 0) sample = motion_->sample(x, time);
    if (last != nullptr) *last = {x, sample.distance, motion_->odometer()};
    return sample;
  }

  StrandSystem* strands_;
  Channels channels_;
  std::string owner_;
  std::shared_ptr<const DeformingSurface> surface_;
  std::shared_ptr<const MovingSurface> motion_;
  PenaltyParams params_;
  double push_out_;              // [m/s]
  std::vector<Sights> sights_;   // by group; each is used by one thread at a time
  std::vector<double> deepest_;  // vertex inside the surface, by group, at the last iterate [m]
};

// Clearance of the vertices of a strand at the beginning, and what it grows to.
void fill_clearance(Strand& strand, const RodChannels& rod, const DeformingStrandContact::Channels& channels,
                    const MovingSurface& surface, double time, double thickness) {
  const auto vertices = static_cast<std::size_t>(strand.vertices);
  const auto clearance = strand.channel(channels.clearance), released = strand.channel(channels.released);
  const auto radius = strand.channel(rod.radius);
  bool any_outside = false;
  Vec3d last;
  double distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < vertices; ++i) {
    const Vec3d x{strand.channel(rod.position)[i], strand.channel(rod.position + 1)[i],
                  strand.channel(rod.position + 2)[i]};
    const int painted = channels.penalty.thickness;
    const double full = radius[i] + (painted >= 0 ? strand.channel(painted)[i] : thickness);
    const SurfaceSample sample = surface.sample(x, time, (distance + norm(x - last)) * (1 + 1e-9) + 1e-12);
    distance = std::abs(sample.distance);
    last = x;
    clearance[i] = std::min(full, sample.distance);
    any_outside = any_outside || (i > 0 && sample.distance >= 0);
  }
  const bool held = vertices > 1 && strand.channel(rod.free_position)[1] == 0;
  bool planted = held && any_outside;
  for (std::size_t i = 0; i < vertices; ++i) {
    if (i > 0 && clearance[i] >= 0) planted = false;
    released[i] = clearance[i] < 0 && !planted ? radius[i] : clearance[i];
  }
}

}  // namespace

void add_deforming_strand_contact(CurvesObject& curves, const std::string& owner,
                                  std::shared_ptr<const DeformingSurface> surface, const PenaltyParams& params,
                                  double push_out) {
  StrandSystem& strands = curves.strands();
  const DeformingStrandContact::Channels channels{
      PenaltyChannels::of(curves), curves.rod_channels().free_position,
      strands.add_channel("clearance " + owner, StrandSystem::Kind::constant),
      strands.add_channel("clearance outside " + owner, StrandSystem::Kind::constant)};
  curves.add_emission([&curves, channels, surface, params](Strand& strand) {
    fill_clearance(strand, curves.rod_channels(), channels, *surface->during(0, 0), 0, params.thickness);
  });
  curves.add_constraint(
      std::make_unique<DeformingStrandContact>(strands, channels, owner, std::move(surface), params, push_out));
}

}  // namespace ymir
