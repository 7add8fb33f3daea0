// A rigid body whose velocity is copied to the corners of a box around it: contacts then see nodes, as those of others,
// and the masses D at the corners enter a matrix of 6x6.
//
//   velocity of a corner = v + omega x arm;   M + sum D_c J_c'J_c
//
// Impulses and torques of the unknowns: about the centre of mass, in the world's axes.
#pragma once

#include <span>

#include "ymir/math/mat3.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

class RigidCopiesBody final : public NodalBody {
 public:
  static constexpr int copies = 8;

  // axes: columns are the unit axes of the box; half: its half lengths [m]; centre: of the box from the centre of mass.
  // Half lengths below a hundredth of the longest one are raised to that.
  RigidCopiesBody(double mass, Vec3d centre, const Mat3d& axes, Vec3d half);
  // M by rows and f. False: M is not positive definite.
  bool set(const double (&m)[6][6], const double (&f)[6]);
  // For a free body: mass, inertia about the axes of the box; v and omega of the step without contact.
  bool set_free(double mass, Vec3d inertia, Vec3d velocity, Vec3d spin);

  // Trilinear weights of a point, given from the centre of mass.
  void weights(Vec3d arm, double (&weight)[copies]) const;

  int nodes() const override { return copies; }
  void describe(std::span<NodeMetric> nodes) const override;
  Adapt adapt() const override { return Adapt::often; }
  bool factor(std::span<const double> d) override;
  void solve(NodeVector* x) override { solve(factor_, x); }
  void solve_metric(NodeVector* x) override { solve(metric_, x); }

 private:
  static bool factor(double (&a)[6][6]);
  void solve(const double (&l)[6][6], NodeVector* x) const;

  double mass_;
  Mat3d axes_;
  Vec3d centre_, half_;
  Vec3d arm_[copies];
  double m_[6][6] = {}, f_[6] = {};
  double factor_[6][6] = {}, metric_[6][6] = {};  // L of L L', the diagonal inverted
};

}  // namespace ymir
