#include "ymir/objects/strand_contacts.h"

#include "ymir/objects/curves_object.h"
#include "ymir/objects/strand_block.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;

}  // namespace

StrandContacts::StrandContacts(StrandBlock& block) : block_(&block) {
  const StrandStep& s = block.newton_.step();
  if (s.multipliers) body_.emplace<WithMultipliers>();
  const StrandSystem& strands = block.object_->strands();
  const RodChannels& channels = block.object_->rod_channels();
  const Real* mass = strands.plane(block.group_, channels.mass);
  const Real* free = strands.plane(block.group_, channels.free_position);
  std::vector<Real> moving(static_cast<std::size_t>(s.vertices));
  for (int i = 0; i < s.vertices; ++i) moving[static_cast<std::size_t>(i)] = mass[i] * free[i];
  std::visit([&](auto& body) { body.set_masses(s.vertices, moving); }, body_);
}

// The first vertex of a strand is its ghost, which the Boundary does not have.
void StrandContacts::follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights,
                            std::vector<NodeShare>& shares) const {
  const int count = block_->newton_.step().vertices;
  for (std::size_t k = 0; k < vertices.size(); ++k) shares.push_back({place * count + vertices[k] + 1, weights[k]});
}

Vec3d StrandContacts::way(std::int32_t node) const {
  const StrandStep& s = block_->newton_.step();
  const int lane = node / s.vertices, i = node % s.vertices;
  const StrandSystem& strands = block_->object_->strands();
  const int position = block_->object_->rod_channels().position;
  Vec3d way;
  for (int k = 0; k < 3; ++k) way[k] = s.position[k][i][lane] - strands.saved(block_->group_, position + k)[i][lane];
  return way;
}

void StrandContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  StrandStep& s = block_->newton_.step();
  const Real* free = block_->object_->strands().plane(block_->group_, block_->object_->rod_channels().free_position);
  for (int i = 1; i < s.vertices; ++i)
    for (int k = 0; k < 3; ++k) {
      Real p;
      for (int lane = 0; lane < lanes; ++lane)
        p.set(lane, impulses[static_cast<std::size_t>(lane * s.vertices + i)][k]);
      Real& residual = s.residual[block_->newton_.row(i, k)];
      residual = residual - p * free[i] * per_dt;
    }
}

void StrandContacts::columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const {
  const int count = block_->newton_.step().vertices, lane = node / count, i = node % count;
  const Real* free = block_->object_->strands().plane(block_->group_, block_->object_->rod_channels().free_position);
  if (free[i][lane] == 0) return;
  for (int k = 0; k < 3; ++k) {
    Vec3d way{0, 0, 0};
    way[k] = weight;
    to.push_back({block_->newton_.row(i, k) * lanes + lane, way});
  }
}

NodalBody& StrandContacts::body() {
  return std::visit([](auto& body) -> NodalBody& { return body; }, body_);
}

bool StrandContacts::refresh(double dt) {
  const StrandStep& s = block_->newton_.step();
  side_.resize(static_cast<std::size_t>(block_->newton_.rows()));
  for (std::size_t r = 0; r < side_.size(); ++r) side_[r] = -(s.residual[r] + s.condensed[r]);
  return std::visit([&](auto& body) { return body.set(block_->kept(), dt * dt, side_.data(), dt, !s.multipliers); },
                    body_);
}

void StrandContacts::spread(std::span<const NodeVector> impulses, double times, double* rows) const {
  const StrandStep& s = block_->newton_.step();
  const Real* free = block_->object_->strands().plane(block_->group_, block_->object_->rod_channels().free_position);
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 1; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k)
        rows[block_->newton_.row(i, k) * lanes + lane] +=
            impulses[static_cast<std::size_t>(lane * s.vertices + i)][k] * free[i][lane] * times;
}

void StrandContacts::collect(const double* rows, double times, std::span<NodeVector> nodes) const {
  const StrandStep& s = block_->newton_.step();
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k)
        nodes[static_cast<std::size_t>(lane * s.vertices + i)].set(
            k, rows[block_->newton_.row(i, k) * lanes + lane] * times);
}

MatrixPart& StrandContacts::with_masses(std::span<const double> d, double dt) {
  const StrandStep& s = block_->newton_.step();
  std::vector<double> stiffness(d.begin(), d.end());
  for (double& value : stiffness) value /= dt * dt;
  heavy_.set(block_->kept(), s.vertices, s.multipliers, stiffness);
  return heavy_;
}

}  // namespace ymir
