#include "ymir/objects/rigid_contacts.h"

#include <algorithm>

#include "ymir/math/box.h"
#include "ymir/objects/rigid_block.h"

namespace ymir {
namespace {

constexpr int n = RigidStep::size;

Box box_of(const RigidBody& body) {
  Box box;
  for (const Vec3d& p : body.points) box.include(p);
  return box;
}

}  // namespace

RigidContacts::RigidContacts(RigidBlock& block)
    : block_(&block),
      centre_(box_of(block.body()).center()),
      half_(box_of(block.body()).size() * 0.5),
      body_(placed()) {}

Vec3d RigidContacts::corner(std::int32_t node) const {
  return centre_ + Vec3d{node & 1 ? half_.x : -half_.x, node & 2 ? half_.y : -half_.y, node & 4 ? half_.z : -half_.z};
}

// About the iterate. Carried bodies answer to nothing.
RigidCopiesBody RigidContacts::placed() const {
  const Quaternion& q = block_->step_.rotation;
  const Mat3d axes(rotate(q, Vec3d{1, 0, 0}), rotate(q, Vec3d{0, 1, 0}), rotate(q, Vec3d{0, 0, 1}));
  return {block_->carried_ ? 0 : block_->body().mass, rotate(q, centre_), axes, half_};
}

void RigidContacts::follow(int, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d,
                           std::vector<NodeShare>& shares) const {
  Vec3d in_body{0, 0, 0};
  for (std::size_t k = 0; k < vertices.size(); ++k)
    in_body += block_->body().points[static_cast<std::size_t>(vertices[k])] * weights[k];
  double weight[RigidCopiesBody::copies];
  body_.weights(rotate(block_->step_.rotation, in_body), weight);
  for (std::int32_t c = 0; c < RigidCopiesBody::copies; ++c) shares.push_back({c, weight[c]});
}

Vec3d RigidContacts::way(std::int32_t node) const {
  const RigidStep& s = block_->step_;
  return s.point(corner(node)).position - s.begin_point(corner(node)).position;
}

void RigidContacts::push(std::span<const NodeVector> impulses, double per_dt) {
  if (block_->carried_) return;
  for (std::int32_t c = 0; c < RigidCopiesBody::copies; ++c) {
    const NodeVector& p = impulses[static_cast<std::size_t>(c)];
    const Vec3d pull = Vec3d{p[0], p[1], p[2]} * -per_dt;
    const RigidPoint at = block_->step_.point(corner(c));
    const Vec3d torque = at.torque(pull);
    for (int k = 0; k < 3; ++k) {
      block_->step_.residual[k] += pull[k];
      block_->step_.residual[3 + k] += torque[k];
    }
  }
}

void RigidContacts::add_levers(std::span<const NodeVector> impulses, double per_dt) {
  if (block_->carried_) return;
  for (std::int32_t c = 0; c < RigidCopiesBody::copies; ++c) {
    const NodeVector& p = impulses[static_cast<std::size_t>(c)];
    block_->step_.add_lever(block_->step_.point(corner(c)), Vec3d{p[0], p[1], p[2]} * -per_dt);
  }
}

void RigidContacts::columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const {
  if (block_->carried_) return;
  const Vec3d arm = rotate(block_->step_.rotation, corner(node));
  for (int k = 0; k < 3; ++k) {
    Vec3d axis{0, 0, 0};
    axis[k] = weight;
    to.push_back({k, axis});
    to.push_back({3 + k, cross(axis, arm)});
  }
}

bool RigidContacts::refresh(double dt) {
  body_ = placed();
  double m[n][n], f[n];
  for (int r = 0; r < n; ++r) {
    f[r] = -dt * block_->step_.residual[r];
    for (int c = 0; c < n; ++c) m[r][c] = dt * dt * block_->entry(r, c);
  }
  return body_.set(m, f);
}

// d(point) = shift + turn x arm.
void RigidContacts::spread(std::span<const NodeVector> impulses, double times, double* rows) const {
  if (block_->carried_) return;
  for (std::int32_t c = 0; c < RigidCopiesBody::copies; ++c) {
    const NodeVector& p = impulses[static_cast<std::size_t>(c)];
    const Vec3d pull = Vec3d{p[0], p[1], p[2]} * times;
    const Vec3d torque = cross(block_->step_.point(corner(c)).arm, pull);
    for (int k = 0; k < 3; ++k) {
      rows[k] += pull[k];
      rows[3 + k] += torque[k];
    }
  }
}

void RigidContacts::collect(const double* rows, double times, std::span<NodeVector> nodes) const {
  const Vec3d shift{rows[0], rows[1], rows[2]}, turn{rows[3], rows[4], rows[5]};
  for (std::int32_t c = 0; c < RigidCopiesBody::copies; ++c) {
    const Vec3d way = block_->carried_ ? Vec3d{0, 0, 0} : shift + cross(turn, block_->step_.point(corner(c)).arm);
    for (int k = 0; k < 3; ++k) nodes[static_cast<std::size_t>(c)].set(k, way[k] * times);
  }
}

MatrixPart& RigidContacts::with_masses(std::span<const double> d, double dt) {
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      heavy_.at(static_cast<std::size_t>(r), static_cast<std::size_t>(c)) = block_->entry(r, c);
  if (block_->carried_) return heavy_;
  const auto add = [&](int r, int c, double value) {
    heavy_.at(static_cast<std::size_t>(r), static_cast<std::size_t>(c)) += value;
  };
  for (std::int32_t copy = 0; copy < RigidCopiesBody::copies; ++copy) {
    const double stiffness = d[static_cast<std::size_t>(copy)] / (dt * dt);
    const Vec3d arm = block_->step_.point(corner(copy)).arm;
    const Mat3d x = cross_matrix(arm);  // J = (I, -[arm]x)
    for (int i = 0; i < 3; ++i) {
      add(i, i, stiffness);
      for (int j = 0; j < 3; ++j) {
        add(3 + i, j, stiffness * x(i, j));
        add(j, 3 + i, stiffness * x(i, j));
        add(3 + i, 3 + j, stiffness * ((i == j ? dot(arm, arm) : 0) - arm[i] * arm[j]));
      }
    }
  }
  return heavy_;
}

}  // namespace ymir
