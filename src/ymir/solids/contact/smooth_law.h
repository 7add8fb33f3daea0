// How a contact answers that gives a little: a normal force by the gap, friction by the slip of the substep.
//
//   F = -E'(d) n - g f1(|s_T|) s_T/|s_T|,  d = s.n;  K = -dF/ds at a given bound g of friction
//
// s: of the first side relative to the second, along the normal from where the gap is closed, across it since the
// substep began [m]. [Li2020]
#pragma once

#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/contact/contact_potential.h"
#include "ymir/physics/contact/smooth_friction.h"

namespace ymir {

// exact: Coulomb's law, nothing overlaps. penalty, barrier: contact_potential.h.
enum class ContactResponse : unsigned char { exact, penalty, barrier };

struct SmoothLaw {
  ContactResponse response = ContactResponse::exact;
  double stiffness = 0;  // k [N/m]
  double reach = 0;      // h [m]
  double friction = 0;   // mu
  double slip = 0;       // e [m]

  bool smooth() const { return response != ContactResponse::exact; }
  ContactPotential normal(double gap) const {
    return response == ContactResponse::barrier ? barrier_potential(stiffness, reach, gap)
                                                : penalty_potential(stiffness, reach, gap);
  }
};

struct SmoothForce {
  Vec3d force{0, 0, 0};             // F, on the first side [N]
  double normal = 0;                // of which along the normal
  Vec3d axis[3];                    // of K: the normal, the direction of the slip, and across both
  double stiffness[3] = {0, 0, 0};  // along them [N/m]

  SmoothForce() = default;
  // bound: g [N].
  SmoothForce(const SmoothLaw& law, Vec3d n, Vec3d s, double bound) {
    const ContactPotential p = law.normal(dot(n, s));
    const SmoothFriction friction(bound, law.slip, s - n * dot(n, s));
    normal = p.force;
    force = n * p.force + friction.force;
    axis[0] = n;
    axis[1] =
        friction.along == friction.across || friction.direction == Vec3d{0, 0, 0} ? any_normal(n) : friction.direction;
    axis[2] = cross(n, axis[1]);
    stiffness[0] = p.stiffness;
    stiffness[1] = friction.along;
    stiffness[2] = friction.across;
  }
  Mat3d matrix() const {
    Mat3d k;
    for (int i = 0; i < 3; ++i) k += outer(axis[i], axis[i]) * stiffness[i];
    return k;
  }
};

}  // namespace ymir
