// D of the start, and the scale of errors, for the kinds of nodes that bodies have. (docs/theory/contact_nodal.md)
#pragma once

#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

// Vertex of a deformable body. In an implicit step neighbours share its impulse: compliances are about 1/(5 m).
inline NodeMetric metric_of_vertex(double mass) { return {15 * mass, mass > 0 ? 1 / (5 * mass) : 0}; }
// The same where its compliance is known: M^-1 is at most 1/m, and what is not is no compliance.
inline NodeMetric metric_of_compliance(double compliance, const NodeMetric& otherwise) {
  const bool is_one = compliance > 0 && compliance * otherwise.mass < 30;
  return is_one ? NodeMetric{2 / compliance, compliance} : otherwise;
}
// One of `copies` of a rigid body's velocity.
inline NodeMetric metric_of_copy(double mass, int copies) {
  const double d = 3 * mass / copies;
  return {d, mass > 0 ? 1 / d : 0};
}
// Point beside the axis of a strand. Torsion is stiff, all edges turn together, and each has a share of what D they want.
inline NodeMetric metric_of_arm(double compliance) {
  return compliance > 0 ? NodeMetric{0.2 / compliance, compliance} : NodeMetric{};
}
inline NodeMetric metric_of_particle(double mass) { return {mass, mass > 0 ? 1 / mass : 0}; }

}  // namespace ymir
