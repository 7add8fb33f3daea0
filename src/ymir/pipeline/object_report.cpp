#include "ymir/pipeline/object_report.h"

#include <algorithm>

namespace ymir {

void ObjectReport::join(const ObjectReport& other) {
  solves += other.solves;
  iterations += other.iterations;
  unconverged += other.unconverged;
  retries += other.retries;
  cg_iterations += other.cg_iterations;
  direct_solves += other.direct_solves;
  contacts += other.contacts;
  contact_iterations += other.contact_iterations;
  contacts_found += other.contacts_found;
  if (!other.worst.empty() && (worst.empty() || other.residual > residual)) worst = other.worst;
  residual = std::max(residual, other.residual);
  speed = std::max(speed, other.speed);
  courant = std::max(courant, other.courant);
  stretch = std::max(stretch, other.stretch);
  penetration = std::max(penetration, other.penetration);
  crushed = std::max(crushed, other.crushed);
}

}  // namespace ymir
