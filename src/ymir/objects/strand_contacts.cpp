#include "ymir/objects/strand_contacts.h"

#include <algorithm>

#include "ymir/objects/curves_object.h"
#include "ymir/objects/strand_arms.h"
#include "ymir/objects/strand_block.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;

Vec3d of(const Vec3<Real>& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

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
  rolls_ = block.object_->rolls(block.group_);
  if (rolls_) std::visit([&](auto& body) { body.set_arms(&arms_); }, body_);
}

void StrandContacts::begin() {
  if (!rolls_) return;
  const StrandStep& s = block_->newton_.step();
  arms_.set(block_->newton_.row(1, 0) - block_->newton_.row(0, 0),
            strand_arms(block_->object_->strands(), block_->object_->rod_channels(), block_->group_));
  placed_.assign(static_cast<std::size_t>(s.vertices), Real::all(0));
  if (!block_->object_->moving_roots()) return;
  for (int j = 0; j + 1 < s.vertices; ++j) {
    const EdgeArms::Edge& edge = arms_.edge(j);
    const Real length = sqrt(dot(edge.along, edge.along)), size = sqrt(dot(edge.arm[0], edge.arm[0]));
    const auto exists = length > 0.0;
    const Vec3<Real> before = edge.along * (1.0 / select(exists, length, 1.0)), now = s.edge(j).t, m1 = s.edge(j).m1;
    const Vec3<Real> carried = transport(edge.arm[0] * (1.0 / select(exists, size, 1.0)), before, now);
    const Real angle = atan2(dot(cross(carried, m1), now), dot(carried, m1)) - block_->newton_.frame_turn(j);
    placed_[static_cast<std::size_t>(j)] = select(exists, angle, 0.0);
  }
}

int StrandContacts::per_lane() const {
  const int vertices = block_->newton_.step().vertices;
  return rolls_ ? EdgeArms::per_lane(vertices) : vertices;
}

// The first vertex of a strand is its ghost, which the Boundary does not have.
void StrandContacts::follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights,
                            Vec3d arm, std::vector<NodeShare>& shares) const {
  const std::size_t first = shares.size();
  for (std::size_t k = 0; k < vertices.size(); ++k)
    shares.push_back({place * per_lane() + vertices[k] + 1, weights[k]});
  if (!rolls_ || dot(arm, arm) == 0) return;
  const bool at_first = vertices.size() < 2 || weights[1] == 0, at_second = !at_first && weights[0] == 0;
  if (!at_first && !at_second) return follow_arm(place, vertices[0] + 1, arm, first, shares);
  // A vertex is in two edges, each of which has half of what is pulled at beside it.
  const int vertex = vertices[at_first ? 0 : 1] + 1;
  const auto exists = [&](int j) { return dot(of(arms_.edge(j).arm[0], place), of(arms_.edge(j).arm[0], place)) > 0; };
  const double part = exists(vertex - 1) && exists(vertex) ? 0.5 : 1;
  for (const int edge : {vertex - 1, vertex})
    if (exists(edge)) follow_arm(place, edge, arm * part, first, shares);
}

// What of the arm is along the edge is a place of it farther on.
void StrandContacts::follow_arm(int lane, int j, Vec3d arm, std::size_t first, std::vector<NodeShare>& shares) const {
  const EdgeArms::Edge& edge = arms_.edge(j);
  const double shift = dot(arm, of(edge.along, lane));
  const auto add = [&](std::int32_t node, double weight) {
    const auto known = std::find_if(shares.begin() + static_cast<std::ptrdiff_t>(first), shares.end(),
                                    [&](const NodeShare& s) { return s.node == node; });
    if (known == shares.end())
      shares.push_back({node, weight});
    else
      known->weight += weight;
  };
  add(lane * per_lane() + j, -shift);
  add(lane * per_lane() + j + 1, shift);
  for (int which = 0; which < 2; ++which) {
    const Vec3d a = of(edge.arm[which], lane);
    if (dot(a, a) > 0) add(arms_.node(lane, j, which), dot(arm, a) / dot(a, a));
  }
}

Vec3d StrandContacts::way(std::int32_t node) const {
  const StrandStep& s = block_->newton_.step();
  const int lane = node / per_lane(), i = node % per_lane();
  const StrandSystem& strands = block_->object_->strands();
  const int position = block_->object_->rod_channels().position;
  const auto moved = [&](int vertex) {
    Vec3d way;
    for (int k = 0; k < 3; ++k)
      way[k] = s.position[k][vertex][lane] - strands.saved(block_->group_, position + k)[vertex][lane];
    return way;
  };
  if (i < s.vertices) return moved(i);
  const int j = (i - s.vertices) / 2, which = (i - s.vertices) % 2;
  if (j + 1 >= s.vertices) return {0, 0, 0};
  const EdgeArms::Edge& edge = arms_.edge(j);
  const double turned = (placed_[static_cast<std::size_t>(j)] + block_->newton_.frame_turn(j))[lane];
  return of(edge.way[which], lane) * turned -
         of(edge.along, lane) * dot(of(edge.arm[which], lane), moved(j + 1) - moved(j));
}

void StrandContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  StrandStep& s = block_->newton_.step();
  const Real* free = block_->object_->strands().plane(block_->group_, block_->object_->rod_channels().free_position);
  for (int i = 1; i < s.vertices; ++i)
    for (int k = 0; k < 3; ++k) {
      Real p;
      for (int lane = 0; lane < lanes; ++lane)
        p.set(lane, impulses[static_cast<std::size_t>(lane * per_lane() + i)][k]);
      Real& residual = s.residual[block_->newton_.row(i, k)];
      residual = residual - p * free[i] * per_dt;
    }
  if (rolls_) arms_.spread(impulses.data(), -per_dt, s.residual);
}

void StrandContacts::columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const {
  const int count = block_->newton_.step().vertices, lane = node / per_lane(), i = node % per_lane();
  const auto add = [&](int vertex, int local, Vec3d way) {
    to.push_back({block_->newton_.row(vertex, local) * lanes + lane, way});
  };
  if (i < count) {
    const Real* free = block_->object_->strands().plane(block_->group_, block_->object_->rod_channels().free_position);
    if (free[i][lane] == 0) return;
    for (int k = 0; k < 3; ++k) {
      Vec3d way{0, 0, 0};
      way[k] = weight;
      add(i, k, way);
    }
    return;
  }
  const int j = (i - count) / 2, which = (i - count) % 2;
  const EdgeArms::Edge& edge = arms_.edge(j);
  if (edge.turns[lane] != 0) add(j, 3, of(edge.way[which], lane) * weight);
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3 && edge.moves[end][lane] != 0; ++k)
      add(j + end, k, of(edge.along, lane) * ((end == 0 ? weight : -weight) * edge.arm[which][k][lane]));
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
            impulses[static_cast<std::size_t>(lane * per_lane() + i)][k] * free[i][lane] * times;
  if (!rolls_) return;
  std::vector<Real>& beside = rows_;
  beside.assign(static_cast<std::size_t>(block_->newton_.rows()), Real::all(0));
  arms_.spread(impulses.data(), times, beside.data());
  for (std::size_t r = 0; r < beside.size(); ++r)
    for (int lane = 0; lane < lanes; ++lane) rows[r * lanes + static_cast<std::size_t>(lane)] += beside[r][lane];
}

void StrandContacts::collect(const double* rows, double times, std::span<NodeVector> nodes) const {
  const StrandStep& s = block_->newton_.step();
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < s.vertices; ++i)
      for (int k = 0; k < 3; ++k)
        nodes[static_cast<std::size_t>(lane * per_lane() + i)].set(
            k, rows[block_->newton_.row(i, k) * lanes + lane] * times);
  if (!rolls_) return;
  rows_.resize(static_cast<std::size_t>(block_->newton_.rows()));
  for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r] = Real::load(rows + r * lanes);
  arms_.collect(rows_.data(), times, nodes.data());
}

MatrixPart& StrandContacts::with_masses(std::span<const double> d, double dt) {
  const StrandStep& s = block_->newton_.step();
  heavy_.set(block_->kept(), s.vertices, s.multipliers, d, 1 / (dt * dt), rolls_ ? &arms_ : nullptr);
  return heavy_;
}

}  // namespace ymir
