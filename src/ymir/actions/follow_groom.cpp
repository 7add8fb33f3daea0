#include "ymir/actions/follow_groom.h"

#include <fmt/format.h>

#include <cmath>

#include "ymir/actions/surface_motion.h"
#include "ymir/base/error.h"
#include "ymir/data/triangle_bvh.h"

namespace ymir {
namespace {

using Real = StrandReal;

// Right-handed axes: the world's unless something carries them.
struct Axes {
  Vec3d origin{0, 0, 0};  // [m]
  Vec3d axis[3]{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec3d direction_in(Vec3d v) const { return {dot(axis[0], v), dot(axis[1], v), dot(axis[2], v)}; }
  Vec3d place_in(Vec3d x) const { return direction_in(x - origin); }
};

// Places of the groom at a time within the substep at hand. Strands are numbered as in the input.
class Groom {
 public:
  virtual ~Groom() = default;
  // On one thread.
  virtual void prepare(double begin, double end) = 0;
  // The axes that a strand's places are given in.
  virtual Axes axes(std::int64_t /*strand*/, double /*time*/) const { return {}; }
  // Origin of a vertex within them.
  virtual Vec3d origin(std::int64_t /*strand*/, int /*vertex*/, double /*time*/) const { return {0, 0, 0}; }
  virtual bool animated() const { return false; }  // origins differ from vertex to vertex
};

class StillGroom final : public Groom {
 public:
  void prepare(double, double) override {}
};

class CarriedGroom final : public Groom {
 public:
  CarriedGroom(std::shared_ptr<const AnimatedSurface> surface, const std::vector<Vec3d>& roots) : surface_(surface) {
    surface_.prepare(0, 0);
    Surface posed = surface->rest();
    posed.positions = surface_.positions();
    const TriangleBvh bvh(posed);
    for (const Vec3d& root : roots) {
      const ClosestPoint nearest = bvh.closest(root);
      at_.push_back({nearest.triangle, nearest.barycentric});
    }
  }
  void prepare(double begin, double end) override { surface_.prepare(begin, end); }
  Axes axes(std::int64_t strand, double time) const override {
    const Embedding base = surface_.point(at_[static_cast<std::size_t>(strand)], time);
    return {base.position, {base.frame[0], base.frame[1], base.frame[2]}};
  }

 private:
  SurfaceMotion surface_;
  std::vector<SurfacePoint> at_;  // of each root
};

class AnimatedGroom final : public Groom {
 public:
  AnimatedGroom(AnimatedSurface groom, std::vector<std::int64_t> first)
      : groom_(std::move(groom)), first_(std::move(first)) {
    prepare(0, 0);
  }
  void prepare(double begin, double end) override {
    begin_ = begin;
    end_ = end;
    groom_.pose(begin, from_);
    groom_.pose(end, to_);
  }
  Vec3d origin(std::int64_t strand, int vertex, double time) const override {
    const auto i = static_cast<std::size_t>(first_[static_cast<std::size_t>(strand)] + vertex);
    const double s = end_ > begin_ ? (time - begin_) / (end_ - begin_) : 1;
    return from_[i] * (1 - s) + to_[i] * s;
  }
  bool animated() const override { return true; }

 private:
  AnimatedSurface groom_;
  std::vector<std::int64_t> first_;  // vertex of each strand
  std::vector<Vec3d> from_, to_;     // when the substep begins, and ends [m]
  double begin_ = 0, end_ = 0;       // [s]
};

struct FollowChannels {
  int local;      // vector: place in the axes of the strand [m]
  int stiffness;  // k V [N/m]
};

class FollowGroom final : public StrandConstraint {
 public:
  FollowGroom(std::string owner, StrandSystem& strands, FollowChannels channels, std::shared_ptr<Groom> groom,
              FollowFactor factor)
      : owner_(std::move(owner)),
        strands_(&strands),
        channels_(channels),
        groom_(std::move(groom)),
        factor_(std::move(factor)) {}
  std::string owner() const override { return owner_; }
  std::string what() const override { return "pull towards a groom"; }
  int work_planes() const override { return 3; }
  void prepare(double time, double dt) override { groom_->prepare(time - dt, time); }

  // Places at the end of the substep, or of the part of it that is solved.
  void begin(StrandStep& s, Real* work) override {
    const StrandSystem::Group& group = strands_->group(s.group);
    Vec3<Real> base;
    Real frame[3][3];
    for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
      const std::int64_t id = group.id[static_cast<std::size_t>(lane)];
      const Axes at = id >= 0 ? groom_->axes(id, s.time) : Axes{};
      for (int k = 0; k < 3; ++k) {
        base[k].set(lane, at.origin[k]);
        for (int r = 0; r < 3; ++r) frame[r][k].set(lane, at.axis[k][r]);
      }
    }
    const Real* local[3];
    for (int k = 0; k < 3; ++k) local[k] = strands_->plane(s.group, channels_.local + k);
    for (int i = 0; i < s.vertices; ++i)
      for (int r = 0; r < 3; ++r)
        work[r * s.vertices + i] =
            base[r] + frame[r][0] * local[0][i] + frame[r][1] * local[1][i] + frame[r][2] * local[2][i];
    if (!groom_->animated()) return;
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      for (int i = 1; i < group.count[static_cast<std::size_t>(lane)]; ++i) {
        const Vec3d origin = groom_->origin(group.id[static_cast<std::size_t>(lane)], i - 1, s.time);
        for (int k = 0; k < 3; ++k) {
          Real& place = work[k * s.vertices + i];
          place.set(lane, place[lane] + origin[k]);
        }
      }
  }

  void assemble(StrandStep& s, Real* work) override {
    const Real* stiffness = strands_->plane(s.group, channels_.stiffness);
    const double factor = factor_(s.time);
    const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
    for (int i = 1; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k) {
        const int r = row(s, i, k);
        const Real spring = stiffness[i] * factor;
        s.residual[r] += spring * (s.position[k][i] - work[k * s.vertices + i]);
        s.matrix[r * column] += spring;
        s.scale[r] += spring;
      }
  }
  void advance(StrandStep&, const Real&, Real*) override {}
  void end(StrandStep&, Real*) override {}

  int parameters() const override { return 3; }
  void strain_of(const StrandStep& s, const Real* displacement, Real* jz) const override {
    for (int i = 1; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k) jz[k * s.vertices + i] = displacement[row(s, i, k)];
  }
  void rest_gradient(const StrandStep& s, const Real* z, Real* to) const override {
    const Real* stiffness = strands_->plane(s.group, channels_.stiffness);
    for (int i = 1; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k) to[k * s.vertices + i] = stiffness[i] * factor_(s.time) * z[row(s, i, k)];
  }
  void add_rest_force(StrandStep& s, const Real* dp, Real* to) const override {
    const Real* stiffness = strands_->plane(s.group, channels_.stiffness);
    for (int i = 1; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k) to[row(s, i, k)] += stiffness[i] * factor_(s.time) * dp[k * s.vertices + i];
  }
  // In the axes of the strand, so that the place goes along with them.
  void shift_rest(StrandStep& s, const Real* change) override {
    const StrandSystem::Group& group = strands_->group(s.group);
    for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
      const std::int64_t id = group.id[static_cast<std::size_t>(lane)];
      if (id < 0 || !(s.active[lane] > 0)) continue;
      const Axes at = groom_->axes(id, s.time);
      for (int i = 1; i < group.count[static_cast<std::size_t>(lane)]; ++i) {
        if (!(strands_->at(s.group, channels_.stiffness, i, lane) > 0)) continue;
        const Vec3d grown{change[i][lane], change[s.vertices + i][lane], change[2 * s.vertices + i][lane]};
        const Vec3d shift = at.direction_in(grown);
        for (int k = 0; k < 3; ++k) strands_->at(s.group, channels_.local + k, i, lane) -= shift[k];
      }
    }
  }

 private:
  static int row(const StrandStep& s, int vertex, int k) {
    return s.multipliers ? MultiplierLayout::row(vertex, k) : PlainLayout::row(vertex, k);
  }

  std::string owner_;
  StrandSystem* strands_;
  FollowChannels channels_;
  std::shared_ptr<Groom> groom_;
  FollowFactor factor_;
};

void follow(CurvesObject& curves, const std::string& owner, std::vector<Vec3d> shape, std::shared_ptr<Groom> groom,
            double stiffness, const FollowFactor& factor) {
  using Kind = StrandSystem::Kind;
  StrandSystem& strands = curves.strands();
  const FollowChannels channels{strands.add_vector(owner + ".place", Kind::constant),
                                strands.add_channel(owner + ".stiffness", Kind::constant)};
  curves.add_constraint(std::make_unique<FollowGroom>(owner, strands, channels, groom, factor));
  curves.add_emission([&curves, channels, groom, shape = std::move(shape), stiffness](Strand& strand) {
    const RodChannels& rod = curves.rod_channels();
    const auto first = static_cast<std::size_t>(curves.curves().first[static_cast<std::size_t>(strand.id)]);
    const Axes axes = groom->axes(strand.id, 0);
    for (int i = 1; i < strand.vertices; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double k = curves.curve_value("stiffness", strand.id, i - 1).value_or(stiffness);
      if (!(k >= 0) || !std::isfinite(k))
        throw Error(ExitCode::bad_input, fmt::format("{}: strand {}, vertex {}: stiffness is {}; give a value of at "
                                                     "least 0",
                                                     curves.path(), strand.id, i - 1, k));
      const double density = curves.curve_value("density", strand.id, i - 1).value_or(curves.description().density);
      strand.channel(channels.stiffness)[at] = k * strand.channel(rod.mass)[at] / density;
      if (groom->animated()) continue;
      Vec3d x;
      for (int k3 = 0; k3 < 3; ++k3) x[k3] = strand.channel(rod.position + k3)[at];
      const Vec3d local = axes.place_in(shape.empty() ? x : shape[first + at - 1]);
      for (int k3 = 0; k3 < 3; ++k3) strand.channel(channels.local + k3)[at] = local[k3];
    }
  });
}

}  // namespace

void follow_groom(CurvesObject& curves, const std::string& owner, std::vector<Vec3d> shape,
                  std::shared_ptr<const AnimatedSurface> surface, double stiffness, const FollowFactor& factor) {
  std::shared_ptr<Groom> groom = std::make_shared<StillGroom>();
  if (surface != nullptr) {
    const std::vector<Vec3d>& x = shape.empty() ? curves.curves().positions : shape;
    std::vector<Vec3d> roots;
    for (std::size_t s = 0; s < curves.curves().strand_count(); ++s)
      roots.push_back(x[static_cast<std::size_t>(curves.curves().first[s])]);
    groom = std::make_shared<CarriedGroom>(std::move(surface), roots);
  }
  follow(curves, owner, std::move(shape), std::move(groom), stiffness, factor);
}

void follow_animated_groom(CurvesObject& curves, const std::string& owner, AnimatedSurface groom, double stiffness,
                           const FollowFactor& factor) {
  follow(curves, owner, {}, std::make_shared<AnimatedGroom>(std::move(groom), curves.curves().first), stiffness,
         factor);
}

}  // namespace ymir
